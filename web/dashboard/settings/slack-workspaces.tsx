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
import { InNotify } from "./in-notify.tsx";
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
        {known !== undefined && <HowToName team_id={known} isOnly={isOnly} />}
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

function HowToName({ team_id, isOnly }: { team_id: string | null; isOnly: boolean }) {
  return (
    <p>
      {isOnly
        ? rich(
            "With one workspace, agents post a task to a channel with {entry} in {field}, or to Dana with {otherEntry}.",
            {
              entry: <code>slack:#approvals</code>,
              field: <code>notify</code>,
              otherEntry: <code>slack:dana@example.com</code>,
            },
          )
        : rich(
            "With several workspaces, agents name one in {field}, as in {entry}. Without an id, as in {shortEntry}, nothing is posted.",
            {
              field: <code>notify</code>,
              entry: <code>slack+{team_id}:#approvals</code>,
              shortEntry: <code>slack:#approvals</code>,
            },
          )}{" "}
      {rich("People who answer in Slack must be listed under {people} with the same email as in Slack.", {
        people: <Link to="/users">{t("People")}</Link>,
      })}
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
        {team_id !== null && <p className="muted">{rich("Id: {id}", { id: <code>{team_id}</code> })}</p>}
        <p className="muted">
          <Origin workspace={workspace} />
        </p>
        {team_id !== null && (
          <p className="muted">
            <InNotify
              entry={<code>slack+{team_id}:#approvals</code>}
              shortEntry={isOnly ? <code>slack:#approvals</code> : null}
            />
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
    return rich("Set by {variable}. Change it there", { variable: <code>SERVICE_SLACK_BOT_TOKEN</code> });
  const time = <Time at={created_at} />;
  if (updated_at === null || updated_at === created_at)
    return source === "oauth" ? rich("Installed {time}", { time }) : rich("Added with a bot token {time}", { time });
  const again = <Time at={updated_at} />;
  return source === "oauth"
    ? rich("Installed {time}, and again {again}", { time, again })
    : rich("Added with a bot token {time}, and again {again}", { time, again });
}

function Unusable({ workspace, problem }: { workspace: Workspace; problem: string }) {
  const { word, sentence } = readFailure(problem);
  const help = helpFor(word, workspace);
  return (
    <div className="notice bad" role="alert">
      <p>{rich("Can't post there: {reason}", { reason: <bdi>{sentence}</bdi> })}</p>
      {help !== undefined && <p>{help}</p>}
    </div>
  );
}

type Effect = (permission: ReactNode) => ReactNode;

/** What does not work without a permission. */
const WITHOUT: Readonly<Record<string, Effect>> = {
  "chat:write": (permission) => rich("{permission}: without it, nothing can be posted.", { permission }),
  "chat:write.public": (permission) =>
    rich("{permission}: without it, people must /invite the app to each channel first.", { permission }),
  "im:write": (permission) => rich("{permission}: without it, direct messages don't work.", { permission }),
  "users:read": (permission) =>
    rich("{permission}: without it, people can't be found by @handle, and people with an email can't answer.", {
      permission,
    }),
  "channels:history": (permission) =>
    rich("{permission}: without it, replies in threads of public channels don't reach tasks.", { permission }),
  "groups:history": (permission) =>
    rich("{permission}: without it, replies in threads of private channels don't reach tasks.", { permission }),
  "im:history": (permission) =>
    rich("{permission}: without it, replies in threads of direct messages don't reach tasks.", { permission }),
  "users:read.email": (permission) =>
    rich("{permission}: without it, people can't be found by email, and people without a Slack user id can't answer.", {
      permission,
    }),
};

const withoutSome: Effect = (permission) => rich("{permission}: without it, some features don't work.", { permission });

function Missing({ workspace }: { workspace: Workspace }) {
  return (
    <div className="notice warn stack">
      <p>{t("Missing permissions:")}</p>
      <ul className="sentences">
        {workspace.missing_scopes.map((scope) => (
          <li key={scope}>{(WITHOUT[scope] ?? withoutSome)(<code>{scope}</code>)}</li>
        ))}
      </ul>
      <p>
        {workspace.source !== "oauth" && (
          <>{t("Add them in Slack, under “OAuth & Permissions”, “Bot Token Scopes”.")} </>
        )}
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
        toast({ message: t("{workspace} removed", { workspace: name }) });
        await queryClient.invalidateQueries(workspacesQuery);
      }}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          {rich(
            "Tasks are no longer posted there, and buttons on existing messages stop working. Notifications to {entry} fail.",
            { entry: <code>slack+{workspace.team_id}:</code> },
          )}
        </p>
        <p>
          {t("The app stays in the workspace until someone removes it in Slack. You can connect it again at any time.")}
        </p>
      </div>
    </Confirm>
  );
}
