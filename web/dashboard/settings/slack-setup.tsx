import { Radio } from "@mantine/core";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
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
  /** null if Slack is not set up. */
  slack: SlackSettings | null;
  publicUrl: string;
  /** Whether a workspace is connected. */
  isConnected?: boolean;
  /** The ways to connect a workspace. */
  children?: ReactNode;
}

/** The steps to set up Slack. */
export function SetUp({ title, ...steps }: StepsProps & { title: string }) {
  return (
    <section className="surface stack" aria-labelledby="setup">
      <h2 id="setup">{title}</h2>
      <p>
        {t("Post tasks to a Slack channel or to one person. People answer with a button or in a form.")}
        {steps.slack === null && <> {t("The first two steps are done once, by someone who can add apps in Slack.")}</>}
      </p>
      <Steps {...steps} />
    </section>
  );
}

/** The steps in order. Completed steps are ticked and folded. */
export function Steps({ slack, publicUrl, isConnected = false, children }: StepsProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const manifest = useQuery(manifestQuery(chosen));
  const isSocketMode = chosen ?? manifest.data?.settings.socket_mode_enabled;
  const isSet = slack !== null && (isSocketMode === undefined || (isSocketMode ? slack.socket_mode : slack.http));
  return (
    <ol className="steps">
      <Step number={1} title={t("Create the app in Slack")} isDone={slack !== null}>
        <Radio.Group
          label={t("How Slack reaches the service")}
          value={isSocketMode === undefined ? null : String(isSocketMode)}
          onChange={(value) => setChosen(value === "true")}
        >
          <div className="stack">
            <Radio
              value="false"
              label={t("HTTP requests from Slack")}
              description={t("Needs a public https address.")}
            />
            <Radio
              value="true"
              label={t("Socket Mode: no public address")}
              description={t("The service keeps a connection to Slack open.")}
            />
          </div>
        </Radio.Group>
        {isSocketMode === false && !isHttps(publicUrl) && (
          <p className="notice warn">
            {rich(
              "Slack needs an https address, and the public URL of this service is {url}. Set {variable} first, or choose Socket Mode.",
              { url: publicUrl, variable: <code>SERVICE_PUBLIC_URL</code> },
            )}
          </p>
        )}
        <p>
          {rich(
            "At {link} choose “Create New App”, “From a manifest”, and the workspace of the app. Paste this as JSON:",
            { link: <SlackApps /> },
          )}
        </p>
        {manifest.isPending ? (
          <p className="muted">{t("Loading")}</p>
        ) : manifest.isError ? (
          <ErrorPanel
            title={t("Could not load the manifest")}
            error={manifest.error}
            retry={() => void manifest.refetch()}
          />
        ) : (
          <Manifest text={JSON.stringify(manifest.data, null, 2)} />
        )}
      </Step>
      <Step number={2} title={t("Set environment variables")} isDone={isSet}>
        <Variables slack={slack} isSocketMode={isSocketMode ?? false} />
      </Step>
      <Step number={3} title={t("Connect a workspace")} isDone={isConnected}>
        {slack === null ? (
          <p className="muted">
            {rich(
              "After the restart, this page has a button “Add to Slack” or a field for a bot token. The workspace of {variable} is connected automatically.",
              { variable: <code>SERVICE_SLACK_BOT_TOKEN</code> },
            )}
          </p>
        ) : (
          (children ?? <p>{t("Done. Connect more workspaces at the top of this page.")}</p>)
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
              <span className="unseen">{t("Done:")} </span>
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
      <pre className="snippet" tabIndex={0} aria-label={t("Manifest")}>
        {text}
      </pre>
      <div className="row end">
        <CopyButton text={text} label={t("Copy the manifest")} />
      </div>
    </div>
  );
}

interface Variable {
  readonly names: readonly string[];
  readonly isSet: boolean;
  readonly about: ReactNode;
}

/** The variables that are not set, with their purpose and where to find them in Slack. */
function Variables({ slack, isSocketMode }: { slack: SlackSettings | null; isSocketMode: boolean }) {
  const needed: Variable = isSocketMode
    ? {
        names: ["SERVICE_SLACK_APP_TOKEN"],
        isSet: slack?.socket_mode === true,
        about: rich(
          "Opens the connection to Slack. Under “Basic Information”, “App-Level Tokens”, generate one with the scope {scope}. It begins with {prefix}.",
          { scope: <code>connections:write</code>, prefix: <code>xapp-</code> },
        ),
      }
    : {
        names: ["SERVICE_SLACK_SIGNING_SECRET"],
        isSet: slack?.http === true,
        about: t(
          "Verifies requests from Slack. Find it under “Basic Information”, “App Credentials”, “Signing Secret”.",
        ),
      };
  const button: Variable = {
    names: ["SERVICE_SLACK_CLIENT_ID", "SERVICE_SLACK_CLIENT_SECRET"],
    isSet: slack?.oauth === true,
    about: t(
      "For the button “Add to Slack” on this page, and any number of workspaces. Find both under “Basic Information”, “App Credentials”. For workspaces of other companies, also activate public distribution under “Manage Distribution”.",
    ),
  };
  const token: Variable = {
    names: ["SERVICE_SLACK_BOT_TOKEN"],
    isSet: false,
    about: rich(
      "Connects one workspace automatically. After you install the app, find it under “OAuth & Permissions”, “Bot User OAuth Token”. It begins with {prefix}. You can also add it on this page later.",
      { prefix: <code>xoxb-</code> },
    ),
  };
  const set = [needed, button].filter(({ isSet }) => isSet).flatMap(({ names }) => names);
  const ways = slack === null ? [token, button] : button.isSet ? [] : [button];
  return (
    <>
      {set.length > 0 && (
        <p>
          {as("already done", "Set:")} <Names names={set} />
        </p>
      )}
      {!needed.isSet && <Missing variables={[needed]} />}
      {ways.length > 0 && (
        <>
          <p>
            {slack === null
              ? t("To connect workspaces, set one of these or both:")
              : t("Not set. You don't need it for a bot token:")}
          </p>
          <Missing variables={ways} />
        </>
      )}
      {(!needed.isSet || ways.length > 0) && <p>{t("Then restart the service, and return to this page.")}</p>}
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
