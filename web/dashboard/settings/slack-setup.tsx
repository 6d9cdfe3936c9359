import { Radio } from "@mantine/core";
import { IconCheck } from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { CopyButton } from "../ui/copy.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { manifestQuery } from "./queries.ts";
import { SlackApps } from "./slack-token.tsx";
import { isHttps } from "./slack-words.ts";
import type { SlackSettings } from "./slack-words.ts";

interface StepsProps {
  /** null: nothing of it is set. */
  slack: SlackSettings | null;
  publicUrl: string;
  /** Whether there is a workspace. */
  isConnected?: boolean;
  /** How one is connected. */
  children?: ReactNode;
}

/** What there is to do before anything can be asked in Slack. */
export function SetUp({ title, ...steps }: StepsProps & { title: string }) {
  return (
    <section className="surface stack" aria-labelledby="set-up">
      <h2 id="set-up">{title}</h2>
      <p>
        In Slack, a task asks in a channel or one person directly, and is answered there by a button or in a form.
        {steps.slack === null && " The first two steps are done once, by somebody who may add apps at Slack."}
      </p>
      <Steps {...steps} />
    </section>
  );
}

/** The way from zero, in order; what is done is ticked and folded. */
export function Steps({ slack, publicUrl, isConnected = false, children }: StepsProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const manifest = useQuery(manifestQuery(chosen));
  const isSocketMode = chosen ?? manifest.data?.settings.socket_mode_enabled;
  const isSet = slack !== null && (isSocketMode === undefined || (isSocketMode ? slack.socket_mode : slack.http));
  return (
    <ol className="steps">
      <Step number={1} title="Make the app at Slack" isDone={slack !== null}>
        <Radio.Group
          label="How Slack reaches this server"
          value={isSocketMode === undefined ? null : String(isSocketMode)}
          onChange={(value) => setChosen(value === "true")}
        >
          <div className="stack">
            <Radio
              value="false"
              label="Slack calls this server over HTTP"
              description="It needs a public address with https."
            />
            <Radio
              value="true"
              label="Socket Mode: this server has no public address"
              description="It keeps a connection to Slack open instead."
            />
          </div>
        </Radio.Group>
        {isSocketMode === false && !isHttps(publicUrl) && (
          <p className="notice warn">
            The public address of this service is {publicUrl}, and Slack takes addresses with https alone. Set{" "}
            <code>SERVICE_PUBLIC_URL</code> first, or choose Socket Mode.
          </p>
        )}
        <p>
          At <SlackApps /> choose “Create New App”, “From a manifest”, and the workspace that the app is to belong to.
          Paste this as JSON:
        </p>
        {manifest.isPending ? (
          <p className="muted">Loading</p>
        ) : manifest.isError ? (
          <ErrorPanel
            title="The manifest could not be loaded"
            error={manifest.error}
            retry={() => void manifest.refetch()}
          />
        ) : (
          <Manifest text={JSON.stringify(manifest.data, null, 2)} />
        )}
      </Step>
      <Step number={2} title="Set the variables of the environment" isDone={isSet}>
        <Variables slack={slack} isSocketMode={isSocketMode ?? false} />
      </Step>
      <Step number={3} title="Connect a workspace" isDone={isConnected}>
        {slack === null ? (
          <p className="muted">
            After that, this page has the means: a button “Add to Slack”, or a field for a bot token. The workspace of{" "}
            <code>SERVICE_SLACK_BOT_TOKEN</code> is connected by itself.
          </p>
        ) : (
          (children ?? <p>It is done. More workspaces are connected in the same way, at the top of this page.</p>)
        )}
      </Step>
    </ol>
  );
}

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li>
      <span className={`chip ${isDone ? "ok" : "mute"}`} aria-hidden>
        {isDone ? <IconCheck size={14} stroke={2.5} /> : number}
      </span>
      {isDone ? (
        <details>
          <summary>
            <h3>
              <span className="unseen">Done: </span>
              {title}
            </h3>
          </summary>
          <div className="stack">{children}</div>
        </details>
      ) : (
        <div className="stack">
          <h3>{title}</h3>
          {children}
        </div>
      )}
    </li>
  );
}

function Manifest({ text }: { text: string }) {
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="snippet" tabIndex={0} aria-label="Manifest">
        {text}
      </pre>
      <div className="row end">
        <CopyButton text={text} label="Copy the manifest" />
      </div>
    </div>
  );
}

interface Variable {
  readonly names: readonly string[];
  readonly isSet: boolean;
  readonly about: ReactNode;
}

/** What is still missing, with what it is for and where it stands at Slack. */
function Variables({ slack, isSocketMode }: { slack: SlackSettings | null; isSocketMode: boolean }) {
  const needed: Variable = isSocketMode
    ? {
        names: ["SERVICE_SLACK_APP_TOKEN"],
        isSet: slack?.socket_mode === true,
        about: (
          <>
            Opens the connection to Slack. Under “Basic Information”, “App-Level Tokens”: generate one with the scope{" "}
            <code>connections:write</code>. It begins with <code>xapp-</code>.
          </>
        ),
      }
    : {
        names: ["SERVICE_SLACK_SIGNING_SECRET"],
        isSet: slack?.http === true,
        about: "Shows that a request comes from Slack. Under “Basic Information”, “App Credentials”, “Signing Secret”.",
      };
  const button: Variable = {
    names: ["SERVICE_SLACK_CLIENT_ID", "SERVICE_SLACK_CLIENT_SECRET"],
    isSet: slack?.oauth === true,
    about:
      "For the button “Add to Slack” on this page, and any number of workspaces. Both stand under “Basic Information”, “App Credentials”. For workspaces of others, activate public distribution as well, under “Manage Distribution”.",
  };
  const token: Variable = {
    names: ["SERVICE_SLACK_BOT_TOKEN"],
    isSet: false,
    about: (
      <>
        For one workspace, without anything to press here. Under “OAuth &amp; Permissions”, once the app is installed:
        “Bot User OAuth Token”. It begins with <code>xoxb-</code>, and can also be added on this page later.
      </>
    ),
  };
  const set = [needed, button].filter(({ isSet }) => isSet).flatMap(({ names }) => names);
  const ways = slack === null ? [token, button] : button.isSet ? [] : [button];
  return (
    <>
      {set.length > 0 && (
        <p>
          Set: <Names names={set} />
        </p>
      )}
      {!needed.isSet && <Missing variables={[needed]} />}
      {ways.length > 0 && (
        <>
          <p>
            {slack === null ? "And, for workspaces, one of these or both:" : "Not set, and not needed for a bot token:"}
          </p>
          <Missing variables={ways} />
        </>
      )}
      {(!needed.isSet || ways.length > 0) && <p>Then start the service again, and come back to this page.</p>}
    </>
  );
}

function Missing({ variables }: { variables: readonly Variable[] }) {
  return (
    <dl className="stack">
      {variables.map(({ names, about }) => (
        <div key={names[0]}>
          <dt>
            <Names names={names} />
          </dt>
          <dd className="muted">{about}</dd>
        </div>
      ))}
    </dl>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return names.map((name, i) => (
    <span key={name}>
      {i > 0 && ", "}
      <code>{name}</code>
    </span>
  ));
}
