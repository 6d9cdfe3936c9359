import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ReactNode } from "react";
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
          With one workspace, agents post a task to a channel with <code>slack:#approvals</code> in <code>notify</code>,
          or to Dana with <code>slack:dana@example.com</code>.
        </>
      ) : (
        <>
          With several workspaces, agents name one in <code>notify</code>, as in <code>slack+{team_id}:#approvals</code>
          . Without an id, as in <code>slack:#approvals</code>, nothing is posted.
        </>
      )}{" "}
      People who answer in Slack must be listed under <Link to="/users">People</Link> with the same email as in Slack.
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
        {team_id !== null && (
          <p className="muted">
            Id: <code>{team_id}</code>
          </p>
        )}
        <p className="muted">
          <Origin workspace={workspace} />
        </p>
        {team_id !== null && (
          <p className="muted">
            In notify: <code>slack+{team_id}:#approvals</code>
            {isOnly && (
              <>
                {" "}
                or <code>slack:#approvals</code>
              </>
            )}
          </p>
        )}
      </div>
      {problem !== null && <Unusable workspace={workspace} problem={problem} />}
      {missing_scopes.length > 0 && <Missing workspace={workspace} />}
      <div className="row">
        {team_id === null ? (
          <Button variant="default" size="xs" onClick={askAgain}>
            Check again
          </Button>
        ) : (
          <Button
            variant="default"
            size="xs"
            aria-expanded={isTesting}
            aria-label={`Send a test message in ${name}`}
            onClick={() => setIsTesting(!isTesting)}
          >
            Send a test message
          </Button>
        )}
        {source !== "environment" && (
          <Button variant="default" size="xs" aria-label={`Remove ${name}`} onClick={() => onRemove(workspace)}>
            Remove
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
    return (
      <>
        Set by <code>SERVICE_SLACK_BOT_TOKEN</code>. Change it there
      </>
    );
  return (
    <>
      {source === "oauth" ? "Installed" : "Added with a bot token"} <Time at={created_at} />
      {updated_at !== null && updated_at !== created_at && (
        <>
          , and again <Time at={updated_at} />
        </>
      )}
    </>
  );
}

function Unusable({ workspace, problem }: { workspace: Workspace; problem: string }) {
  const { word, sentence } = readFailure(problem);
  const help = helpFor(word, workspace);
  return (
    <div className="notice bad" role="alert">
      <p>
        Can't post there: <bdi>{sentence}</bdi>
      </p>
      {help !== undefined && <p>{help}</p>}
    </div>
  );
}

/** The features that need a permission. */
const WITHOUT: Readonly<Record<string, string>> = {
  "chat:write": "nothing can be posted",
  "chat:write.public": "people must /invite the app to each channel first",
  "im:write": "direct messages don't work",
  "users:read": "people can't be found by @handle, and people with an email can't answer",
  "channels:history": "replies in threads of public channels don't reach tasks",
  "groups:history": "replies in threads of private channels don't reach tasks",
  "im:history": "replies in threads of direct messages don't reach tasks",
  "users:read.email": "people can't be found by email, and people without a Slack user id can't answer",
};

function Missing({ workspace }: { workspace: Workspace }) {
  return (
    <div className="notice warn stack">
      <p>Missing permissions:</p>
      <ul className="sentences">
        {workspace.missing_scopes.map((scope) => (
          <li key={scope}>
            <code>{scope}</code>: without it, {WITHOUT[scope] ?? "some features don't work"}.
          </li>
        ))}
      </ul>
      <p>
        {workspace.source !== "oauth" && "Add them in Slack, under “OAuth & Permissions”, “Bot Token Scopes”. "}
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
      title={`Remove ${name}?`}
      action="Remove workspace"
      onConfirm={async () => {
        await remove(`${WORKSPACES}/${encodeURIComponent(workspace.team_id ?? "")}`);
        toast({ message: `${name} removed` });
        await queryClient.invalidateQueries(workspacesQuery);
      }}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          Tasks are no longer posted there, and buttons on existing messages stop working. Notifications to{" "}
          <code>slack+{workspace.team_id}:</code> fail.
        </p>
        <p>The app stays in the workspace until someone removes it in Slack. You can connect it again at any time.</p>
      </div>
    </Confirm>
  );
}
