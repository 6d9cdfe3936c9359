import { Button } from "@mantine/core";
import { ProjectLine, useAgentName } from "../projects/name.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { IconAlertTriangle, IconHandStop } from "../ui/icons.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { Moment, Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { resumeAgent, type Agent, type AgentToken } from "./queries.ts";
import { useSeveralProjects } from "../projects/queries.ts";
import { countOfTasks, recipientsInWords, scopesInWords } from "./words.ts";

/** What an operator wants to do with an agent, and what a dialog asks about. */
export type AgentAction =
  | { kind: "edit" | "stop" | "delete" | "token"; agent: Agent }
  | { kind: "revoke"; agent: Agent; token: AgentToken };

interface CardProps {
  agent: Agent;
  onAction: (action: AgentAction) => void;
}

/** The live tokens that an agent may have. */
const TOKENS_MAX = 2;

export function AgentCard({ agent, onAction }: CardProps) {
  const { id, name, tokens } = agent;
  const fullName = useAgentName(agent);
  return (
    <section className="surface stack" aria-labelledby={id}>
      <div className="between">
        <h2 id={id} className="sentences">
          {name}
        </h2>
        <div className="row">
          <Button
            variant="default"
            size="xs"
            aria-label={`Edit ${fullName}`}
            onClick={() => onAction({ kind: "edit", agent })}
          >
            Edit
          </Button>
          {agent.disabled_at === null ? (
            <Button
              variant="default"
              size="xs"
              aria-label={`Stop ${fullName}`}
              leftSection={<IconHandStop size={14} aria-hidden />}
              onClick={() => onAction({ kind: "stop", agent })}
            >
              Stop
            </Button>
          ) : (
            <ResumeButton agent={agent} />
          )}
          <Button
            variant="default"
            size="xs"
            aria-label={`Delete ${fullName}`}
            onClick={() => onAction({ kind: "delete", agent })}
          >
            Delete
          </Button>
        </div>
      </div>
      <ProjectLine slug={agent.project} />
      {agent.description !== null && (
        <p className="sentences" dir="auto">
          {agent.description}
        </p>
      )}
      <Facts agent={agent} />
      {tokens.length > 0 && <Tokens agent={agent} onRevoke={(token) => onAction({ kind: "revoke", agent, token })} />}
      <div className="row">
        {tokens.length < TOKENS_MAX ? (
          <Button
            variant="default"
            size="xs"
            aria-label={`New token for ${fullName}`}
            onClick={() => onAction({ kind: "token", agent })}
          >
            New token
          </Button>
        ) : (
          <p className="muted">Two tokens are the most. Revoke one before you create another.</p>
        )}
      </div>
    </section>
  );
}

function ResumeButton({ agent }: { agent: Agent }) {
  const { id } = agent;
  const name = useAgentName(agent);
  const [busy, setBusy] = useState(false);
  const resume = async (): Promise<void> => {
    setBusy(true);
    try {
      await resumeAgent(id);
      toast({ message: `${name} may go on` });
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
      setBusy(false);
    }
  };
  return (
    <Button size="xs" loading={busy} aria-label={`Let it go on: ${name}`} onClick={() => void resume()}>
      Let it go on
    </Button>
  );
}

function Facts({ agent }: { agent: Agent }) {
  const { id, open_tasks, last_used_at, limited_at, disabled_at } = agent;
  const hasSeveral = useSeveralProjects() !== null;
  return (
    <dl className="delivery-facts detail">
      <dt>State</dt>
      <dd>
        {disabled_at === null ? (
          <span className="chip ok">Running</span>
        ) : (
          <>
            <span className="chip bad">
              <IconHandStop size={14} stroke={1.75} aria-hidden />
              Stopped
            </span>{" "}
            <Moment at={disabled_at} />
          </>
        )}
      </dd>
      <dt>May</dt>
      <dd>{scopesInWords(agent, hasSeveral)}</dd>
      {agent.host_answers && (
        <>
          <dt>At its host</dt>
          <dd>The person who uses it may answer. The host is trusted to ask them.</dd>
        </>
      )}
      <dt>May ask</dt>
      <dd>{recipientsInWords(agent)}</dd>
      <dt>Open tasks</dt>
      <dd>
        {open_tasks === 0 ? (
          <span className="muted">No open tasks</span>
        ) : (
          <Link to="/inbox" search={{ agent: id }}>
            {countOfTasks(open_tasks)}
          </Link>
        )}
      </dd>
      <dt>Last seen</dt>
      <dd>{last_used_at === null ? <span className="muted">Never</span> : <Moment at={last_used_at} />}</dd>
      <dt>Limits</dt>
      <dd>
        {agent.max_open_tasks.toLocaleString()} open tasks, {agent.max_tasks_per_minute.toLocaleString()} new tasks a
        minute
      </dd>
      <dt>Last limited</dt>
      <dd>
        {limited_at === null ? (
          <span className="muted">Never</span>
        ) : (
          <span className="chip warn">
            <IconAlertTriangle size={14} stroke={1.75} aria-hidden />
            <Moment at={limited_at} />
          </span>
        )}
      </dd>
    </dl>
  );
}

function Tokens({ agent, onRevoke }: { agent: Agent; onRevoke: (token: AgentToken) => void }) {
  const name = useAgentName(agent);
  return (
    <table className="data as-cards" aria-label={`Tokens of ${name}`}>
      <thead>
        <tr>
          <th scope="col">Token</th>
          <th scope="col">Created</th>
          <th scope="col">Last used</th>
          <th scope="col">Expires</th>
          <th scope="col">
            <span className="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {agent.tokens.map((token) => (
          <tr key={token.id}>
            <th scope="row">
              <code title="The start of the token">{token.prefix}</code>
            </th>
            <td data-label="Created">
              <Time at={token.created_at} />
            </td>
            <td data-label="Last used">{token.last_used_at === null ? "Never" : <Moment at={token.last_used_at} />}</td>
            <td data-label="Expires">{token.expires_at === null ? "Never" : <Time at={token.expires_at} />}</td>
            <td>
              <div className="row end">
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Revoke ${token.prefix} of ${name}`}
                  onClick={() => onRevoke(token)}
                >
                  Revoke
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
