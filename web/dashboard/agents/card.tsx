import { Button } from "@mantine/core";
import { as, plural, t } from "../../../languages/text.ts";
import { ProjectLine, useAgentName } from "../projects/name.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { IconAlertTriangle, IconHandStop } from "../ui/icons.tsx";
import { inOneLine } from "../lists.ts";
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
            aria-label={t("Edit {name}", { name: fullName })}
            onClick={() => onAction({ kind: "edit", agent })}
          >
            {t("Edit")}
          </Button>
          {agent.disabled_at === null ? (
            <Button
              variant="default"
              size="xs"
              aria-label={t("Stop {name}", { name: fullName })}
              leftSection={<IconHandStop size={14} aria-hidden />}
              onClick={() => onAction({ kind: "stop", agent })}
            >
              {t("Stop")}
            </Button>
          ) : (
            <ResumeButton agent={agent} />
          )}
          <Button
            variant="default"
            size="xs"
            aria-label={t("Delete {name}", { name: fullName })}
            onClick={() => onAction({ kind: "delete", agent })}
          >
            {t("Delete")}
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
            aria-label={t("New token for {name}", { name: fullName })}
            onClick={() => onAction({ kind: "token", agent })}
          >
            {t("New token")}
          </Button>
        ) : (
          <p className="muted">{t("Two tokens are the most. Revoke one before you create another.")}</p>
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
      toast({ message: t("{name} may go on", { name }) });
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
      setBusy(false);
    }
  };
  return (
    <Button size="xs" loading={busy} aria-label={t("Let it go on: {name}", { name })} onClick={() => void resume()}>
      {t("Let it go on")}
    </Button>
  );
}

function Facts({ agent }: { agent: Agent }) {
  const { id, open_tasks, last_used_at, limited_at, disabled_at } = agent;
  const hasSeveral = useSeveralProjects() !== null;
  return (
    <dl className="delivery-facts detail">
      <dt>{t("State")}</dt>
      <dd>
        {disabled_at === null ? (
          <span className="chip ok">{t("Running")}</span>
        ) : (
          <>
            <span className="chip bad">
              <IconHandStop size={14} stroke={1.75} aria-hidden />
              {t("Stopped")}
            </span>{" "}
            <Moment at={disabled_at} />
          </>
        )}
      </dd>
      <dt>{as("is allowed to", "May")}</dt>
      <dd>{scopesInWords(agent, hasSeveral)}</dd>
      {agent.host_answers && (
        <>
          <dt>{t("At its host")}</dt>
          <dd>{t("The person who uses it may answer. The host is trusted to ask them.")}</dd>
        </>
      )}
      <dt>{t("May ask")}</dt>
      <dd>{recipientsInWords(agent)}</dd>
      <dt>{t("Open tasks")}</dt>
      <dd>
        {open_tasks === 0 ? (
          <span className="muted">{t("No open tasks")}</span>
        ) : (
          <Link to="/inbox" search={{ agent: id }}>
            {countOfTasks(open_tasks)}
          </Link>
        )}
      </dd>
      <dt>{t("Last seen")}</dt>
      <dd>{last_used_at === null ? <span className="muted">{t("Never")}</span> : <Moment at={last_used_at} />}</dd>
      <dt>{t("Limits")}</dt>
      <dd>
        {inOneLine([
          countOfTasks(agent.max_open_tasks),
          plural(agent.max_tasks_per_minute, "{n} new task a minute", "{n} new tasks a minute"),
        ])}
      </dd>
      <dt>{t("Last limited")}</dt>
      <dd>
        {limited_at === null ? (
          <span className="muted">{t("Never")}</span>
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
    <table className="data as-cards" aria-label={t("Tokens of {name}", { name })}>
      <thead>
        <tr>
          <th scope="col">{t("Token")}</th>
          <th scope="col">{t("Created")}</th>
          <th scope="col">{t("Last used")}</th>
          <th scope="col">{t("Expires")}</th>
          <th scope="col">
            <span className="unseen">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {agent.tokens.map((token) => (
          <tr key={token.id}>
            <th scope="row">
              <code title={t("The start of the token")}>{token.prefix}</code>
            </th>
            <td data-label={t("Created")}>
              <Time at={token.created_at} />
            </td>
            <td data-label={t("Last used")}>
              {token.last_used_at === null ? t("Never") : <Moment at={token.last_used_at} />}
            </td>
            <td data-label={t("Expires")}>{token.expires_at === null ? t("Never") : <Time at={token.expires_at} />}</td>
            <td>
              <div className="row end">
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t("Revoke {token} of {name}", { token: token.prefix, name })}
                  onClick={() => onRevoke(token)}
                >
                  {t("Revoke")}
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
