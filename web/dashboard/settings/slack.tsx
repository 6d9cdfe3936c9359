import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorPanel } from "../ui/page.tsx";
import { useDialog } from "./dialog.ts";
import { settingsQuery, workspacesQuery } from "./queries.ts";
import type { Settings, Workspace } from "./queries.ts";
import { NotConnected, useReturn } from "./slack-return.tsx";
import { SetUp, Steps } from "./slack-setup.tsx";
import { TokenForm } from "./slack-token.tsx";
import { isHttps, nameOf } from "./slack-words.ts";
import type { SlackSettings } from "./slack-words.ts";
import { RemoveWorkspace, Workspaces } from "./slack-workspaces.tsx";

/** Where tasks ask in Slack; also where the browser comes back to from there. (spec: Channels) */
export function Slack() {
  const settings = useQuery(settingsQuery);
  const { installed, problem, forget } = useReturn();
  return (
    <>
      {problem !== undefined && <NotConnected word={problem} />}
      {settings.isPending ? (
        <p className="muted">Loading</p>
      ) : settings.isError ? (
        <ErrorPanel
          title="The settings could not be loaded"
          error={settings.error}
          retry={() => void settings.refetch()}
        />
      ) : settings.data.slack === null ? (
        <SetUp title="Slack is not set up yet" slack={null} publicUrl={settings.data.public_url} />
      ) : (
        <Connected
          slack={settings.data.slack}
          publicUrl={settings.data.public_url}
          installed={installed}
          onConnected={forget}
        />
      )}
    </>
  );
}

/** What is asked about: a bot token to add, or whether a workspace is to be removed. */
type Asked = { kind: "token" } | { kind: "remove"; workspace: Workspace };

interface ConnectedProps {
  slack: SlackSettings;
  publicUrl: Settings["public_url"];
  /** Id of the workspace that somebody has just allowed the app in. */
  installed: string | undefined;
  /** One was connected, in another way. */
  onConnected: () => void;
}

/** The app is there; it may be in workspaces. */
function Connected({ slack, publicUrl, installed, onConnected }: ConnectedProps) {
  const query = useQuery(workspacesQuery);
  const { asked, ask, close } = useDialog<Asked>();
  // Whoever makes up an address is told of nothing that is not so.
  const fresh = query.data?.find(({ team_id }) => team_id !== null && team_id === installed);
  const ways = <Ways slack={slack} publicUrl={publicUrl} onToken={() => ask({ kind: "token" })} />;
  return (
    <>
      {/* It is there before anything is said, so that it is said aloud. */}
      <output>
        {fresh !== undefined && (
          <span className="notice ok">
            <bdi>{nameOf(fresh)}</bdi> is connected. Send a test message to see it arrive.
          </span>
        )}
      </output>
      {!isHttps(publicUrl) && <WithoutHttps slack={slack} publicUrl={publicUrl} />}
      {query.isPending ? (
        <p className="muted">Loading</p>
      ) : query.isError ? (
        <ErrorPanel title="The workspaces could not be loaded" error={query.error} retry={() => void query.refetch()} />
      ) : query.data.length === 0 ? (
        <SetUp title="The app is in no workspace yet" slack={slack} publicUrl={publicUrl}>
          {ways}
        </SetUp>
      ) : (
        <>
          <Workspaces
            workspaces={query.data}
            onRemove={(workspace) => ask({ kind: "remove", workspace })}
            askAgain={() => void query.refetch()}
          >
            {ways}
          </Workspaces>
          <details className="surface fold">
            <summary>Set-up</summary>
            <Steps slack={slack} publicUrl={publicUrl} isConnected />
          </details>
        </>
      )}
      {asked?.kind === "token" && <TokenForm onConnected={onConnected} onClose={close} />}
      {asked?.kind === "remove" && <RemoveWorkspace workspace={asked.workspace} onClose={close} />}
    </>
  );
}

/** What does not work where Slack does not reach the service; nothing where all does. */
function WithoutHttps({ slack, publicUrl }: { slack: SlackSettings; publicUrl: string }) {
  const isCalled = slack.http && !slack.socket_mode;
  const broken = [
    ...(isCalled ? ["what is pressed in Slack does nothing"] : []),
    ...(slack.oauth ? ["“Add to Slack” ends in an error there"] : []),
  ];
  if (broken.length === 0) return null;
  return (
    <p className="notice warn">
      Slack takes addresses with https alone, and the public one of this service is {publicUrl}: {broken.join(", and ")}
      . Set <code>SERVICE_PUBLIC_URL</code>
      {isCalled && ", or switch to Socket Mode as the set-up says"}.
    </p>
  );
}

interface WaysProps {
  slack: SlackSettings;
  publicUrl: string;
  onToken: () => void;
}

/** How a workspace is connected from here. */
function Ways({ slack, publicUrl, onToken }: WaysProps) {
  const page = `${publicUrl}/settings/slack`;
  const isElsewhere = new URL(publicUrl).origin !== location.origin;
  const hasButton = slack.oauth && !isElsewhere;
  return (
    <>
      <div className="row">
        {hasButton && (
          <Button component="a" href="/api/channels/slack/oauth/start">
            Add to Slack
          </Button>
        )}
        <Button variant={hasButton ? "default" : "filled"} onClick={onToken}>
          Add by bot token
        </Button>
      </div>
      {slack.oauth && isElsewhere && (
        <p className="notice">
          “Add to Slack” leads back to the public address of this service, where you are not signed in from here. Open{" "}
          <a href={page}>{page}</a> for it.
        </p>
      )}
    </>
  );
}
