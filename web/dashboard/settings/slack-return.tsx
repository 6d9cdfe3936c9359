import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { settingsQuery } from "./queries.ts";

/** The result of an installation, if the browser comes back from Slack. */
export interface SlackReturn {
  /** Id of the connected workspace. */
  readonly installed?: string | undefined;
  /** A stable word that says why no workspace was connected. */
  readonly problem?: string | undefined;
}

/** Reads the result of an installation from the address and removes it there, so that a reload does not repeat it. */
export function useReturn(): SlackReturn & { forget: () => void } {
  const router = useRouter();
  const [came, setCame] = useState<SlackReturn>(router.state.location.search);
  useEffect(() => {
    if (came.installed !== undefined || came.problem !== undefined)
      void router.navigate({ to: "/settings/{-$part}", params: { part: "slack" }, replace: true });
  }, [came, router]);
  return { ...came, forget: () => setCame({}) };
}

const SPENT = t("The code from Slack was already used or has expired. Start again.");

/** Why a workspace was not connected and what to do, by the stable word. */
const PROBLEMS: Readonly<Record<string, ReactNode>> = {
  access_denied: t("The installation was cancelled in Slack."),
  state: t(
    "The installation was started in another session or more than ten minutes ago, or it is already complete. Start again.",
  ),
  signed_out: t("You were no longer signed in as an operator when you returned from Slack. Start again."),
  refused: t("Slack rejected the installation. Start again."),
  org_install: t("The app was installed in a whole organization. Install it in one workspace."),
  token_rotation: t(
    "The tokens of the app expire, because token rotation is on. Create the app again from the manifest below, which turns it off.",
  ),
  environment: rich("{variable} already connects this workspace. Nothing has changed.", {
    variable: <code>SERVICE_SLACK_BOT_TOKEN</code>,
  }),
  invalid_code: SPENT,
  code_already_used: SPENT,
  bad_redirect_uri: <UnknownWayBack />,
  bad_client_secret: <WrongCredentials variable="SERVICE_SLACK_CLIENT_SECRET" />,
  invalid_client_id: <WrongCredentials variable="SERVICE_SLACK_CLIENT_ID" />,
  invalid_team_for_non_distributed_app: t(
    "The app can only be installed in the workspace that created it. Activate public distribution in Slack, under “Manage Distribution”.",
  ),
  connect: t("The service could not reach Slack. Check outbound network access, and try again."),
  ratelimited: t("Slack is rate limiting. Try again in a minute."),
  too_many: t("The app is in the maximum number of workspaces. Remove one that you no longer use."),
};

/** Says why the workspace was not connected. */
export function NotConnected({ word }: { word: string }) {
  const says = Object.hasOwn(PROBLEMS, word) ? PROBLEMS[word] : <Unknown word={word} />;
  return (
    <p className={`notice ${word === "access_denied" ? "" : "bad"}`} role="alert">
      <strong>{t("No workspace was connected.")}</strong> {says}
    </p>
  );
}

function WrongCredentials({ variable }: { variable: string }) {
  return rich(
    "{variable} does not belong to this app. Find it in Slack under “Basic Information”. Set it, and restart the service.",
    { variable: <code>{variable}</code> },
  );
}

function UnknownWayBack() {
  const { data } = useQuery(settingsQuery);
  return rich(
    "Slack does not know the redirect URL. Add {url} in Slack under “OAuth & Permissions”, “Redirect URLs”.",
    {
      url: <code>{data?.public_url}/api/channels/slack/oauth/callback</code>,
    },
  );
}

/** Shows only words that look like those of Slack, because anyone can craft a link. */
function Unknown({ word }: { word: string }) {
  if (!/^[a-z_]{1,60}$/.test(word)) return t("See the log.");
  return rich("Slack answered {answer}. The log may have details.", { answer: <code>{word}</code> });
}
