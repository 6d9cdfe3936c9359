import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { ErrorPanel, sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { useDialog } from "../ui/dialog.ts";
import { ensureConfirmed, settingsQuery, workspacesQuery } from "./queries.ts";
import type { Settings, Workspace } from "./queries.ts";
import { NotConnected, useReturn } from "./slack-return.tsx";
import { SetUp, Steps } from "./slack-setup.tsx";
import { TokenForm } from "./slack-token.tsx";
import { isHttps, nameOf } from "./slack-words.ts";
import type { SlackSettings } from "./slack-words.ts";
import { RemoveWorkspace, Workspaces } from "./slack-workspaces.tsx";

/** The Slack workspaces. After an installation, Slack sends the browser back to this page. (spec: Channels) */
export function Slack() {
  const settings = useQuery(settingsQuery);
  const { installed, problem, forget } = useReturn();
  return (
    <>
      {problem !== undefined && <NotConnected word={problem} />}
      {settings.isPending ? (
        <p className="muted">{t("Loading")}</p>
      ) : settings.isError ? (
        <ErrorPanel
          title={t("Could not load the settings")}
          error={settings.error}
          retry={() => void settings.refetch()}
        />
      ) : settings.data.slack === null ? (
        <SetUp title={t("Slack is not set up yet")} slack={null} publicUrl={settings.data.public_url} />
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

/** The open dialog. */
type Asked = { kind: "token" } | { kind: "remove"; workspace: Workspace };

interface ConnectedProps {
  slack: SlackSettings;
  publicUrl: Settings["public_url"];
  /** Id of the workspace in which the app was just installed. */
  installed: string | undefined;
  /** Called when a workspace was connected in another way. */
  onConnected: () => void;
}

/** The page after the app is set up. There may be workspaces. */
function Connected({ slack, publicUrl, installed, onConnected }: ConnectedProps) {
  const query = useQuery(workspacesQuery);
  const { asked, ask, close } = useDialog<Asked>();
  // The id in the address may be made up, so only known workspaces are shown.
  const fresh = query.data?.find(({ team_id }) => team_id !== null && team_id === installed);
  const ways = <Ways slack={slack} publicUrl={publicUrl} onToken={() => ask({ kind: "token" })} />;
  return (
    <>
      {/* Always present, so that screen readers announce what is added. */}
      <output>
        {fresh !== undefined && (
          <span className="notice ok">
            {rich("{workspace} is connected. Send a test message to check it.", {
              workspace: <bdi>{nameOf(fresh)}</bdi>,
            })}
          </span>
        )}
      </output>
      {!isHttps(publicUrl) && <WithoutHttps slack={slack} publicUrl={publicUrl} />}
      {query.isPending ? (
        <p className="muted">{t("Loading")}</p>
      ) : query.isError ? (
        <ErrorPanel title={t("Could not load the workspaces")} error={query.error} retry={() => void query.refetch()} />
      ) : query.data.length === 0 ? (
        <SetUp title={t("The app is not installed in a workspace yet")} slack={slack} publicUrl={publicUrl}>
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
            <summary>{t("Setup")}</summary>
            <Steps slack={slack} publicUrl={publicUrl} isConnected />
          </details>
        </>
      )}
      {asked?.kind === "token" && <TokenForm onConnected={onConnected} onClose={close} />}
      {asked?.kind === "remove" && <RemoveWorkspace workspace={asked.workspace} onClose={close} />}
    </>
  );
}

/** Says what does not work without an https address. Shows nothing if everything works. */
function WithoutHttps({ slack, publicUrl }: { slack: SlackSettings; publicUrl: string }) {
  const isCalled = slack.http && !slack.socket_mode;
  if (!isCalled && !slack.oauth) return null;
  const values = { variable: <code>SERVICE_PUBLIC_URL</code>, url: publicUrl };
  return (
    <p className="notice warn">
      {t("Slack needs an https address.")}{" "}
      {!slack.oauth
        ? rich("Buttons won't work while {variable} is {url}.", values)
        : isCalled
          ? rich("Buttons and “Add to Slack” won't work while {variable} is {url}.", values)
          : rich("“Add to Slack” won't work while {variable} is {url}.", values)}
      {isCalled && <> {t("Set it to an https address, or switch to Socket Mode as described under Setup.")}</>}
    </p>
  );
}

interface WaysProps {
  slack: SlackSettings;
  publicUrl: string;
  onToken: () => void;
}

const START = "/api/channels/slack/oauth/start";

/** The ways to connect a workspace. */
function Ways({ slack, publicUrl, onToken }: WaysProps) {
  const page = `${publicUrl}/settings/slack`;
  const isElsewhere = new URL(publicUrl).origin !== location.origin;
  const hasButton = slack.oauth && !isElsewhere;
  return (
    <>
      <div className="row">
        {hasButton && (
          <Button
            component="a"
            href={START}
            onClick={(event: { preventDefault: () => void }) => {
              // The service answers a page that has not confirmed the password with an error.
              event.preventDefault();
              void ensureConfirmed().then(
                (isConfirmed) => isConfirmed && location.assign(START),
                (failure: unknown) => toast({ message: sentenceOf(failure), tone: "bad" }),
              );
            }}
          >
            {t("Add to Slack")}
          </Button>
        )}
        <Button variant={hasButton ? "default" : "filled"} onClick={onToken}>
          {t("Add a bot token")}
        </Button>
      </div>
      {slack.oauth && isElsewhere && (
        <p className="notice">
          {rich("To use “Add to Slack”, open this page at the public URL: {link}", { link: <a href={page}>{page}</a> })}
        </p>
      )}
    </>
  );
}
