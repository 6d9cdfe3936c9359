import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { remove } from "../api.ts";
import { Confirm } from "../ui/confirm.tsx";
import { readFailure } from "../task/notifications.ts";
import { queryClient } from "../queries.ts";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { WORKSPACES, workspacesQuery } from "./queries.ts";
import type { Workspace } from "./queries.ts";
import { helpFor, PostTest } from "./slack-test.tsx";
import { ANEW, nameOf } from "./slack-words.ts";

interface WorkspacesProps {
  workspaces: readonly Workspace[];
  onRemove: (workspace: Workspace) => void;
  askAgain: () => void;
  /** The ways to connect another workspace. */
  children: ReactNode;
}

export function Workspaces({ workspaces, onRemove, askAgain, children }: WorkspacesProps) {
  const known = workspaces.find(({ team_id }) => team_id !== null)?.team_id;
  const isOnly = workspaces.length === 1;
  return (
    <>
      <div className="stack">
        {known !== undefined && <InNotify team_id={known} isOnly={isOnly} />}
        {children}
      </div>
      <dl className="surface facts">
        {workspaces.map((workspace) => (
          <div key={workspace.team_id ?? ""}>
            <dt>
              <bdi>{nameOf(workspace)}</bdi>
            </dt>
            <dd>
              <About workspace={workspace} isOnly={isOnly} onRemove={onRemove} askAgain={askAgain} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function InNotify({ team_id, isOnly }: { team_id: string | null; isOnly: boolean }) {
  return (
    <p>
      {isOnly ? (
        <>
          {rich(
            "With one workspace, agents post a task to a channel with {code} in {code2}, or to Dana with {code3}.",
            {
              code: <code>slack:#approvals</code>,
              code2: <code>notify</code>,
              code3: <code>slack:dana@example.com</code>,
            },
          )}
        </>
      ) : (
        <>
          {rich(
            "With several workspaces, agents name one in {code}, as in {code2}. Without an id, as in {code3}, nothing is posted.",
            {
              code: <code>notify</code>,
              code2: <code>slack+{team_id}:#approvals</code>,
              code3: <code>slack:#approvals</code>,
            },
          )}
        </>
      )}{" "}
      People who answer in Slack must be listed under <Link to="/users">{t("People")}</Link> with the same email as in
      Slack.
    </p>
  );
}

interface AboutProps {
  workspace: Workspace;
  isOnly: boolean;
  onRemove: (workspace: Workspace) => void;
  askAgain: () => void;
}

function About({ workspace, isOnly, onRemove, askAgain }: AboutProps) {
  const [isTesting, setIsTesting] = useState(false);
  const { team_id, source, missing_scopes, problem, updated_at } = workspace;
  const name = nameOf(workspace);
  return (
    <div className="stack">
      <div>
        {team_id !== null && <p className="muted">{rich("Id: {code}", { code: <code>{team_id}</code> })}</p>}
        <p className="muted">
          <Origin workspace={workspace} />
        </p>
        {team_id !== null && (
          <p className="muted">
            In notify: <code>slack+{team_id}:#approvals</code>
            {isOnly && <> {rich("or {code}", { code: <code>slack:#approvals</code> })}</>}
          </p>
        )}
      </div>
      {problem !== null && <Unusable workspace={workspace} problem={problem} />}
      {missing_scopes.length > 0 && <Missing workspace={workspace} />}
      <div className="row">
        {team_id === null ? (
          <Button variant="default" size="xs" onClick={askAgain}>
            {t("Check again")}
          </Button>
        ) : (
          <Button
            variant="default"
            size="xs"
            aria-expanded={isTesting}
            aria-label={t("Send a test message in {name}", { name })}
            onClick={() => setIsTesting(!isTesting)}
          >
            {t("Send a test message")}
          </Button>
        )}
        {source !== "environment" && (
          <Button
            variant="default"
            size="xs"
            aria-label={t("Remove {name}", { name })}
            onClick={() => onRemove(workspace)}
          >
            {t("Remove")}
          </Button>
        )}
      </div>
      {/* A new token discards the result of the last test. */}
      {isTesting && team_id !== null && <PostTest key={updated_at} workspace={workspace} team_id={team_id} />}
    </div>
  );
}

/** How and when the workspace was connected. */
function Origin({ workspace: { source, created_at, updated_at } }: { workspace: Workspace }) {
  if (source === "environment" || created_at === null)
    return <>{rich("Set by {code}. Change it there", { code: <code>SERVICE_SLACK_BOT_TOKEN</code> })}</>;
  return (
    <>
      {source === "oauth" ? t("Installed") : t("Added with a bot token")} <Time at={created_at} />
      {updated_at !== null && updated_at !== created_at && (
        <>{rich(", and again {time}", { time: <Time at={updated_at} /> })}</>
      )}
    </>
  );
}

function Unusable({ workspace, problem }: { workspace: Workspace; problem: string }) {
  const { word, sentence } = readFailure(problem);
  const help = helpFor(word, workspace);
  return (
    <div className="notice bad" role="alert">
      <p>{rich("Can't post there: {bdi}", { bdi: <bdi>{sentence}</bdi> })}</p>
      {help !== undefined && <p>{help}</p>}
    </div>
  );
}

/** The features that need a permission. */
const WITHOUT: Readonly<Record<string, string>> = {
  "chat:write": t("nothing can be posted"),
  "chat:write.public": t("people must /invite the app to each channel first"),
  "im:write": t("direct messages don't work"),
  "users:read": t("people can't be found by @handle, and people with an email can't answer"),
  "channels:history": t("replies in threads of public channels don't reach tasks"),
  "groups:history": t("replies in threads of private channels don't reach tasks"),
  "im:history": t("replies in threads of direct messages don't reach tasks"),
  "users:read.email": t("people can't be found by email, and people without a Slack user id can't answer"),
};

function Missing({ workspace }: { workspace: Workspace }) {
  return (
    <div className="notice warn stack">
      <p>{t("Missing permissions:")}</p>
      <ul className="sentences">
        {workspace.missing_scopes.map((scope) => (
          <li key={scope}>
            <code>{scope}</code>: without it, {WITHOUT[scope] ?? t("some features don't work")}.
          </li>
        ))}
      </ul>
      <p>
        {workspace.source !== "oauth" && t("Add them in Slack, under “OAuth & Permissions”, “Bot Token Scopes”. ")}
        {ANEW[workspace.source]}
      </p>
    </div>
  );
}

/** Asks for confirmation before a workspace is removed. */
export function RemoveWorkspace({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const name = nameOf(workspace);
  return (
    <Confirm
      title={t("Remove {name}?", { name })}
      action={t("Remove workspace")}
      onConfirm={async () => {
        await remove(`${WORKSPACES}/${encodeURIComponent(workspace.team_id ?? "")}`);
        toast({ message: `${name} removed` });
        await queryClient.invalidateQueries(workspacesQuery);
      }}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          {rich(
            "Tasks are no longer posted there, and buttons on existing messages stop working. Notifications to {code} fail.",
            { code: <code>slack+{workspace.team_id}:</code> },
          )}
        </p>
        <p>
          {t("The app stays in the workspace until someone removes it in Slack. You can connect it again at any time.")}
        </p>
      </div>
    </Confirm>
  );
}
