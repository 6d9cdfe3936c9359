import { useMemo, useState } from "react";
import type { Entries } from "../../../form/plan/entries.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import type { Me, Task } from "../api.ts";
import { CopyButton } from "../ui/copy.tsx";
import { dropDraft, readDraft } from "./draft.ts";
import { PayloadOf } from "./payload.tsx";
import { Time, useTimeZone } from "../ui/times.tsx";

/** How a task ended; and what was entered for it and not sent. */
export function Closed({
  task,
  me,
  isOver,
  entered,
}: {
  task: Task;
  me: Me;
  isOver: boolean;
  entered: Entries | null;
}) {
  return (
    <div className="stack">
      <End task={task} me={me} isOver={isOver} />
      <Unsent task={task} entered={entered} />
    </div>
  );
}

function End({ task, me, isOver }: { task: Task; me: Me; isOver: boolean }) {
  if (isOver || task.status === "timed_out")
    return (
      <p className="notice">
        Nobody answered in time. The task ended on <Time at={task.timed_out_at ?? task.timeout_at} />.
      </p>
    );
  switch (task.status) {
    case "completed": {
      const isMine = task.completed_by_user_id !== null && task.completed_by_user_id === me.user_id;
      return (
        <>
          <p className="muted">
            {isMine ? "You" : answererOf(task)} answered this on <Time at={task.completed_at ?? task.updated_at} />
            {task.completed_via_channel === null
              ? ""
              : `, through ${CHANNELS[task.completed_via_channel] ?? task.completed_via_channel}`}
            .
          </p>
          <PayloadOf payload={task.response} schema={task.response_schema} hints={undefined} redact={false} />
        </>
      );
    }
    case "cancelled":
      return (
        <>
          <p className="notice">
            {task.cancelled_by ?? "The agent"} cancelled this task on <Time at={task.cancelled_at ?? task.updated_at} />
            . No answer is needed any more.
          </p>
          {task.cancel_reason !== null && <p dir="auto">Reason: {task.cancel_reason}</p>}
        </>
      );
    default:
      return (
        <p className="notice bad">
          The answers failed the checks. <span dir="auto">{task.verifier_result?.reason}</span>
        </p>
      );
  }
}

function answererOf({ completed_by_email, completed_by_slack_user_id }: Task): string {
  return completed_by_email ?? (completed_by_slack_user_id === null ? "Somebody" : "A Slack member");
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
