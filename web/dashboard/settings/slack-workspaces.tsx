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
  /** How another is connected. */
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
          As long as there is one workspace, an agent writes <code>slack:#approvals</code> in <code>notify</code>, and
          the task asks there; or <code>slack:dana@example.com</code>, and it asks Dana.
        </>
      ) : (
        <>
          With several workspaces, an agent says in <code>notify</code> which one it means, as in{" "}
          <code>slack+{team_id}:#approvals</code>. Without an id, as in <code>slack:#approvals</code>, nobody is told.
        </>
      )}{" "}
      Who answers in Slack has to be among the <Link to="/users">users</Link>, with the address that they have in Slack.
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
            Ask Slack again
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
      {/* What became of a test says nothing about a token that was replaced since. */}
      {isTesting && team_id !== null && <PostTest key={updated_at} workspace={workspace} team_id={team_id} />}
    </div>
  );
}

/** How the workspace came here, and when. */
function Origin({ workspace: { source, created_at, updated_at } }: { workspace: Workspace }) {
  if (source === "environment" || created_at === null)
    return (
      <>
        Set by <code>SERVICE_SLACK_BOT_TOKEN</code>, and cannot be changed here
      </>
    );
  return (
    <>
      {source === "oauth" ? "Installed" : "Added by its bot token"} <Time at={created_at} />
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
        Nothing can be said there: <bdi>{sentence}</bdi>
      </p>
      {help !== undefined && <p>{help}</p>}
    </div>
  );
}

/** What does not work without a permission. */
const WITHOUT: Readonly<Record<string, string>> = {
  "chat:write": "nothing is posted",
  "chat:write.public": "channels have to /invite the app first",
  "im:write": "nobody is written to directly",
  "users:read": "nobody is found by their @handle, and nobody can answer who is known by address",
  "users:read.email": "nobody is found by address, and nobody can answer who is known by address alone",
};

function Missing({ workspace }: { workspace: Workspace }) {
  return (
    <div className="notice warn stack">
      <p>The app lacks permissions there:</p>
      <ul className="sentences">
        {workspace.missing_scopes.map((scope) => (
          <li key={scope}>
            <code>{scope}</code>: without it, {WITHOUT[scope] ?? "some of it does not work"}.
          </li>
        ))}
      </ul>
      <p>
        {workspace.source !== "oauth" &&
          "Add what is missing at Slack, under “OAuth & Permissions”, “Bot Token Scopes”. "}
        {ANEW[workspace.source]}
      </p>
    </div>
  );
}

/** Asks whether a workspace is to be forgotten. */
export function RemoveWorkspace({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const name = nameOf(workspace);
  return (
    <Confirm
      title={`Remove ${name}?`}
      action="Remove workspace"
      onConfirm={async () => {
        await remove(`${WORKSPACES}/${encodeURIComponent(workspace.team_id ?? "")}`);
        toast({ message: `${name} is removed` });
        await queryClient.invalidateQueries(workspacesQuery);
      }}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          Nothing is posted there any more, and what is pressed there does nothing, on messages that are there already
          as well. Tasks that name <code>slack+{workspace.team_id}:</code> in <code>notify</code> tell nobody there.
        </p>
        <p>
          The app itself stays in the workspace until somebody removes it at Slack. You can connect it here again at any
          time.
        </p>
      </div>
    </Confirm>
  );
}
