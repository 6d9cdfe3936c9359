import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { settingsQuery } from "./queries.ts";

/** What Slack's page has led to, if that is where the browser comes from. */
export interface SlackReturn {
  /** Id of the workspace that was connected. */
  readonly installed?: string | undefined;
  /** Why none was: a stable word. */
  readonly problem?: string | undefined;
}

/** Reads from the address what came of an installation, and takes it away there: a reload does not say it again. */
export function useReturn(): SlackReturn & { forget: () => void } {
  const router = useRouter();
  const [came, setCame] = useState<SlackReturn>(router.state.location.search);
  useEffect(() => {
    if (came.installed !== undefined || came.problem !== undefined)
      void router.navigate({ to: "/settings/{-$part}", params: { part: "slack" }, replace: true });
  }, [came, router]);
  return { ...came, forget: () => setCame({}) };
}

const AGAIN = "Begin again.";
const CREDENTIALS = "It stands at Slack, under “Basic Information”. Set it, and start the service again.";
const SPENT = `What Slack had handed over was used already, or is too old. ${AGAIN}`;

/** Why a workspace was not connected, and what helps, for the stable word of it. */
const PROBLEMS: Readonly<Record<string, ReactNode>> = {
  access_denied: "The app was not allowed at Slack.",
  state: `The installation was begun in another session, more than ten minutes ago, or was ended already. ${AGAIN}`,
  signed_out: `You were not signed in as an operator any more when you came back from Slack. ${AGAIN}`,
  refused: `Slack did not let the app in. ${AGAIN}`,
  org_install: "The app was installed in a whole organisation. Install it in one workspace.",
  token_rotation:
    "The app’s tokens expire, since token rotation is on. Make the app anew from the manifest below, which has it off.",
  environment: (
    <>
      <code>SERVICE_SLACK_BOT_TOKEN</code> connects this workspace already. Nothing has changed.
    </>
  ),
  invalid_code: SPENT,
  code_already_used: SPENT,
  bad_redirect_uri: <UnknownWayBack />,
  bad_client_secret: (
    <>
      <code>SERVICE_SLACK_CLIENT_SECRET</code> is not the app’s. {CREDENTIALS}
    </>
  ),
  invalid_client_id: (
    <>
      <code>SERVICE_SLACK_CLIENT_ID</code> is not the app’s. {CREDENTIALS}
    </>
  ),
  invalid_team_for_non_distributed_app:
    "So far the app may be installed only where it was made. Activate public distribution at Slack, under “Manage Distribution”.",
  connect: "This server could not reach Slack. Check its way out, and try again.",
  ratelimited: "Slack wants to be asked less often. Try again in a minute.",
  too_many: "The app is in as many workspaces as it can be. Remove one that is not used any more.",
};

/** Says why the workspace was not connected. */
export function NotConnected({ word }: { word: string }) {
  const says = Object.hasOwn(PROBLEMS, word) ? PROBLEMS[word] : <Unknown word={word} />;
  return (
    <p className={`notice ${word === "access_denied" ? "" : "bad"}`} role="alert">
      <strong>No workspace was connected.</strong> {says}
    </p>
  );
}

function UnknownWayBack() {
  const { data } = useQuery(settingsQuery);
  return (
    <>
      Slack does not know where to send you back to. Add{" "}
      <code>{data?.public_url}/api/channels/slack/oauth/callback</code> at Slack, under “OAuth &amp; Permissions”,
      “Redirect URLs”.
    </>
  );
}

/** Nothing that does not look like Slack's words is repeated: anybody can write an address. */
function Unknown({ word }: { word: string }) {
  if (!/^[a-z_]{1,60}$/.test(word)) return <>The log says why.</>;
  return (
    <>
      Slack answered <code>{word}</code>; the log may say more.
    </>
  );
}
