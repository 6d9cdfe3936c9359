import { useQuery } from "@tanstack/react-query";
import { createElement, Fragment, useEffect, useMemo, useState, type ReactNode } from "react";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { answerState, isFallback, type AnswerState } from "../../../endings/answer-state.ts";
import { endingOf, endings, fill } from "../../../endings/sentences.ts";
import { answerHints } from "../../../form/plan/answer-hints.ts";
import { enteredIn } from "../../../form/plan/entered.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import { capitalized } from "../../../form/titles.ts";
import { EnteredView } from "../../form/entered.tsx";
import { actionsOf, allowedIn } from "../action/asked.ts";
import { Standing } from "../approvals/lazy.ts";
import { ownVote } from "../approvals/words.ts";
import type { Me, Task } from "../api.ts";
import { isOperatorOf } from "../projects/access.ts";
import { auditQuery } from "../queries.ts";
import { CopyButton } from "../ui/copy.tsx";
import { lazily } from "../ui/lazily.tsx";
import { actorOf } from "./actor.ts";
import { wasCheckedLast } from "./checking.ts";
import { dropDraft, readDraft } from "./draft.ts";
import { PayloadOf } from "./payload.tsx";
import { proposalsOf } from "./proposals.tsx";
import { TaskOfFiles } from "./preview.tsx";
import { named, type Names } from "../inbox/names.ts";
import { answererOf, throughApi, useNames } from "../inbox/who.ts";
import { Time, useTimeZone } from "../ui/times.tsx";

const Decided = lazily("decided", async () => (await import("../action/decided.tsx")).Decided);

/** Shows how a task was closed, and this person's entries that were not sent. */
export function Closed({ task, me, entered }: { task: Task; me: Me; entered: Entries | null }) {
  const state = endOf(task, me);
  // The answer was sent and checked, but the page was reloaded before it received the result.
  const wasSent = (state.how === "completed" && state.is_own) || wasCheckedLast(task) || isCounted(task, me, entered);
  useEffect(() => {
    if (wasSent) dropDraft(task.id);
  }, [wasSent, task.id]);
  return (
    <div className="stack">
      {task.approvals !== null && task.approvals.decisions.length > 0 && (
        <Standing task={task} approvals={task.approvals} me={me} isOpen={false} />
      )}
      <End task={task} me={me} />
      {!wasSent && <Unsent id={task.id} task={task} entered={entered} />}
    </div>
  );
}

/** Whether the entries are the decision of this person that counts, where several people decided. */
function isCounted(task: Task, me: Me, entered: Entries | null): boolean {
  const own = ownVote(task.approvals, me);
  const first = actionsOf(task)?.[0];
  const entry = (entered ?? readDraft(task.id))?.[`${first?.at}/decision`]?.[0];
  return own !== null && first !== undefined && allowedIn(first.action)[Number(entry)] === own.decision;
}

/** How a task was closed, as one sentence. */
export function EndSentence({ task, me }: { task: Task; me: Me }) {
  const state = endOf(task, me);
  const names = useNames(me);
  const who = answererOf(task, me, names);
  const { completed_via_channel: channel } = task;
  const canceller = useCanceller(task, me, names);
  const pieces = fill<ReactNode>(sentenceOf(task, me, endingOf(state, who), canceller), {
    who,
    at: <Time at={new Date(state.at).toISOString()} />,
    through: throughApi(task, names) ?? t(", through {channel}", { channel: nameOfChannel(channel ?? "") }),
    canceller,
    reason: <span dir="auto">{task.verifier_result?.reason}</span>,
  });
  return createElement(Fragment, null, ...pieces);
}

function End({ task, me }: { task: Task; me: Me }) {
  const state = endOf(task, me);
  const names = useNames(me);
  // Where several people decide, the page names them beside it.
  const who = task.approvals === null ? answererOf(task, me, names) : null;
  const sentence = <EndSentence task={task} me={me} />;
  switch (state.how) {
    case "completed":
      return (
        <>
          <p className="muted">
            {task.approvals === null ? sentence : <DecidedAt at={state.at} />}
            {task.verifier_result?.passed === true && ` ${t("It passed the automatic check.")}`}
          </p>
          <AnswerInWords task={task} answer={task.response} channel={task.completed_via_channel} who={who} />
        </>
      );
    case "fallback":
      return (
        <>
          <p className="notice">{sentence}</p>
          <AnswerInWords task={task} answer={task.response} channel={null} />
        </>
      );
    case "cancelled":
      return (
        <>
          <p className="notice">{sentence}</p>
          {task.cancel_reason !== null && <p dir="auto">{t("Reason: {reason}", { reason: task.cancel_reason })}</p>}
        </>
      );
    case "timed_out":
      return <p className="notice">{sentence}</p>;
    case "verification_exhausted":
      return <p className="notice bad">{sentence}</p>;
  }
}

function DecidedAt({ at }: { at: number }) {
  return <>{rich("This was decided on {time}.", { time: <Time at={new Date(at).toISOString()} /> })}</>;
}

/** Returns the sentence, without its facts. @param canceller - null: the person cannot see who cancelled, or the service did it */
function sentenceOf(task: Task, me: Me, row: ReturnType<typeof endingOf>, canceller: string | null): string {
  if (row !== "cancelled") return endings()[row].dashboard;
  // The reason is shown below.
  if (canceller === null) return t("This task was cancelled on {at}.");
  const isOwn = task.cancelled_by !== null && task.cancelled_by === me.email;
  return isOwn ? t("You cancelled this task on {at}.") : endings()[row].dashboard;
}

/**
 * Returns who cancelled a task; null if that is unknown, or if it was the service. The task names only a person. For agents,
 * the audit trail is read, which only operators see.
 */
function useCanceller(task: Task, me: Me, names: Names): string | null {
  const { id, status, project, cancelled_by: email } = task;
  const isInTrail = status === "cancelled" && email === null && isOperatorOf(me, project);
  const { data: trail = [] } = useQuery({ ...auditQuery(id), enabled: isInTrail });
  if (email !== null) return capitalized(named(email, names));
  const entry = trail.findLast(({ action }) => action === "cancelled");
  return entry === undefined || entry.actor_type === "system" ? null : actorOf(entry);
}

interface AnswerInWordsProps {
  task: Task;
  answer: Task["response"];
  /** The channel in which it was given. */
  channel: string | null;
  /** Who gave it, if that is known and not shown beside it. */
  who?: string | null;
}

/** An answer, in the words in which it was asked for. */
export function AnswerInWords({ who = null, ...props }: AnswerInWordsProps) {
  const { task, answer } = props;
  const asked = useMemo(() => actionsOf(task), [task]);
  if (asked === null) return <FormAnswer {...props} />;
  return <Decided asked={asked} isList={task.actions !== null} answer={answer} who={who} />;
}

function FormAnswer({ task, answer, channel }: AnswerInWordsProps) {
  const { response_schema, form_definition, payload } = task;
  const before = useMemo(
    () => new Map([...proposalsOf({ form_definition, payload })].map(([field, { text }]) => [field, text])),
    [form_definition, payload],
  );
  const hints = useMemo(() => {
    const form = { response_schema, form_definition, channel: channel ?? "dashboard" };
    return answerHints(readForm({ ...form, time_zone: "UTC", now: new Date(0) }));
  }, [response_schema, form_definition, channel]);
  // A file that only an answer names is not one of the task.
  return (
    <TaskOfFiles value={null}>
      <PayloadOf payload={answer} schema={response_schema} hints={hints} redact={false} before={before} />
    </TaskOfFiles>
  );
}

/** Returns how a closed task ended, as this person sees it. @throws Error for an open task before its deadline */
export function endOf(task: Task, { user_id }: Me): Exclude<AnswerState, { how: "open" }> {
  const ended = {
    status: task.status,
    timeout_at: Date.parse(task.timeout_at),
    ended_at: Date.parse(task.completed_at ?? task.timed_out_at ?? task.cancelled_at ?? task.updated_at),
    // An answer that an agent gave in someone's name is not that person's own.
    completed_by: { user_id: task.completed_by_user_id, email: null, account: null },
    is_fallback: isFallback(task),
  };
  // A task that the service has not closed yet is shown here only after its deadline.
  const state = answerState(ended, { user_id, email: null, account: null }, Infinity);
  if (state.how === "open") throw new Error(`Task ${task.id} is open.`);
  return state;
}

export function nameOfChannel(channel: string): string {
  return CHANNELS[channel] ?? channel;
}

const CHANNELS: Readonly<Record<string, string>> = {
  dashboard: t("the dashboard"),
  slack: t("Slack"),
  email: as("channel", "email"),
  embed: t("an embedded form"),
  mcp: "MCP",
};

interface UnsentProps {
  id: string;
  /** null if the task and its form are deleted. */
  task: Task | null;
  entered: Entries | null;
}

/** This person's entries that were not sent when the task was closed or deleted. */
export function Unsent({ id, task, entered }: UnsentProps) {
  const [kept, setKept] = useState(() => entered ?? readDraft(id));
  const time_zone = useTimeZone();
  const found = useMemo(() => {
    if (kept === null) return [];
    if (task === null)
      return Object.entries(kept)
        .filter(([name]) => !name.includes("~"))
        .map(([name, texts]) => ({ name, title: name, text: texts.join(", ") }));
    const { response_schema, form_definition, payload } = task;
    const options = { response_schema, form_definition, payload, channel: "dashboard", time_zone, now: new Date(0) };
    return enteredIn(planForm(readForm(options), kept));
  }, [task, kept, time_zone]);
  if (found.length === 0) return null;
  return (
    <section className="surface" aria-labelledby="unsent">
      <h2 id="unsent">{t("Your unsent answer")}</h2>
      <EnteredView entered={found} />
      <div className="row">
        <CopyButton text={found.map(({ title, text }) => `${title}: ${text}`).join("\n")} />
        <button
          type="button"
          className="link-button"
          onClick={() => {
            dropDraft(id);
            setKept(null);
          }}
        >
          {t("Discard")}
        </button>
      </div>
    </section>
  );
}
