import { createElement, Fragment, useMemo, useState, type ReactNode } from "react";
import { answerState, type AnswerState } from "../../../endings/answer-state.ts";
import { endingOf, ENDINGS, fill } from "../../../endings/sentences.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import type { Me, Task } from "../api.ts";
import { CopyButton } from "../ui/copy.tsx";
import { dropDraft, readDraft } from "./draft.ts";
import { PayloadOf } from "./payload.tsx";
import { Time, useTimeZone } from "../ui/times.tsx";

/** How a task ended that nobody can answer any more; and what was entered for it and not sent. */
export function Closed({ task, me, entered }: { task: Task; me: Me; entered: Entries | null }) {
  return (
    <div className="stack">
      <End task={task} me={me} />
      <Unsent task={task} entered={entered} />
    </div>
  );
}

function End({ task, me }: { task: Task; me: Me }) {
  const state = endOf(task, me);
  const who = answererOf(task);
  const { completed_via_channel: channel } = task;
  const pieces = fill<ReactNode>(ENDINGS[endingOf(state, who)].dashboard, {
    who,
    at: <Time at={new Date(state.at).toISOString()} />,
    through: channel === null ? "" : `, through ${CHANNELS[channel] ?? channel}`,
    canceller: task.cancelled_by ?? "The agent",
    reason: <span dir="auto">{task.verifier_result?.reason}</span>,
  });
  const sentence = createElement(Fragment, null, ...pieces);
  switch (state.how) {
    case "completed":
      return (
        <>
          <p className="muted">{sentence}</p>
          <PayloadOf payload={task.response} schema={task.response_schema} hints={undefined} redact={false} />
        </>
      );
    case "cancelled":
      return (
        <>
          <p className="notice">{sentence}</p>
          {task.cancel_reason !== null && <p dir="auto">Reason: {task.cancel_reason}</p>}
        </>
      );
    case "timed_out":
      return <p className="notice">{sentence}</p>;
    case "verification_exhausted":
      return <p className="notice bad">{sentence}</p>;
  }
}

function endOf(task: Task, { user_id }: Me): Exclude<AnswerState, { how: "open" }> {
  const ended = {
    status: task.status,
    timeout_at: Date.parse(task.timeout_at),
    ended_at: Date.parse(task.completed_at ?? task.timed_out_at ?? task.cancelled_at ?? task.updated_at),
    // An answer that an agent gave in somebody's name was not given by that person here.
    completed_by: { user_id: task.completed_by_user_id, email: null, account: null },
  };
  // One that the service takes for open is shown here only when its time is over.
  const state = answerState(ended, { user_id, email: null, account: null }, Infinity);
  if (state.how === "open") throw new Error(`Task ${task.id} is open.`);
  return state;
}

function answererOf({ completed_by_email, completed_by_slack_user_id }: Task): string | null {
  return completed_by_email ?? (completed_by_slack_user_id === null ? null : "A Slack member");
}

const CHANNELS: Readonly<Record<string, string>> = {
  dashboard: "the dashboard",
  slack: "Slack",
  email: "e-mail",
  embed: "an embedded form",
};

/** What this person had entered when somebody else, or the time, closed the task. */
function Unsent({ task, entered }: { task: Task; entered: Entries | null }) {
  const [kept, setKept] = useState(() => entered ?? readDraft(task.id));
  const time_zone = useTimeZone();
  const text = useMemo(() => {
    if (kept === null) return null;
    const { response_schema, form_definition, payload } = task;
    const form = readForm({ response_schema, form_definition, payload, time_zone, now: new Date(0) });
    return JSON.stringify(planForm(form, kept).value, null, 2);
  }, [task, kept, time_zone]);
  if (text === null) return null;
  return (
    <section className="surface" aria-labelledby="unsent">
      <h2 id="unsent">What you entered, not sent</h2>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="snippet" tabIndex={0} dir="auto">
        {text}
      </pre>
      <div className="row">
        <CopyButton text={text} />
        <button
          type="button"
          className="link-button"
          onClick={() => {
            dropDraft(task.id);
            setKept(null);
          }}
        >
          Discard
        </button>
      </div>
    </section>
  );
}
