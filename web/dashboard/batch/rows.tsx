import { memo, useMemo, useState } from "react";
import { locale, t } from "../../../languages/text.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import type { Fact } from "../../../form/payload/summary.ts";
import type { ListedTask, Me, Task } from "../api.ts";
import { EndSentence } from "../task/closed.tsx";
import { PayloadOf } from "../task/payload.tsx";
import { TaskOfFiles } from "../task/preview.tsx";
import { IconX } from "../ui/icons.tsx";
import { Deadline } from "../ui/status.tsx";
import type { Chosen } from "./compose.tsx";
import { factsOf } from "./facts.ts";
import type { FormTime } from "./shared-form.ts";
import type { BatchTask } from "./tasks.ts";

interface BatchRowsProps {
  tasks: readonly BatchTask[];
  chosen: readonly Chosen[];
  /** Whether tasks that others work on are decided too. */
  takesHeld: boolean;
  me: Me;
  when: FormTime;
  /** Leaves a task out. */
  remove: (id: string) => void;
}

/** The tasks of a batch, with what tells them apart. Each unfolds to its whole payload. */
export function BatchRows({ tasks, chosen, takesHeld, me, when, remove }: BatchRowsProps) {
  const { common, differing } = useMemo(() => factsOf(tasks, { ...when, locale: locale() }), [tasks, when]);
  return (
    <>
      {common.length > 0 && (
        <p className="batch-common">
          <span className="muted">{t("The same in all:")} </span>
          <Facts facts={common} />
        </p>
      )}
      <ul className="batch-rows">
        {chosen.map(({ task, listed, record, state }) => (
          <BatchRow
            key={task.id}
            task={task}
            listed={listed}
            record={record}
            state={state === "held" && takesHeld ? "open" : state}
            facts={differing.get(task.id)}
            me={me}
            remove={remove}
          />
        ))}
      </ul>
    </>
  );
}

interface BatchRowProps {
  task: BatchTask;
  listed: ListedTask | undefined;
  record: Task | null | undefined;
  state: Chosen["state"];
  facts: readonly Fact[] | undefined;
  me: Me;
  remove: (id: string) => void;
}

const BatchRow = memo(
  function BatchRow({ task, listed, record, state, facts, me, remove }: BatchRowProps) {
    const [isOpen, setIsOpen] = useState(false);
    const [title] = headingOf(task.task);
    const reason = listed?.status === "rejected" ? listed.verifier_result?.reason : null;
    return (
      <li className={state === "open" ? "" : "left-out"}>
        <div>
          <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
            <summary>
              <span className="batch-title" dir="auto">
                {title}
              </span>
              <span className="batch-facts">
                <Facts facts={facts ?? []} />
              </span>
              {reason != null && (
                <span className="task-reason" dir="auto">
                  {t("Sent back: {reason}", { reason: reason.split("\n")[0]! })}
                </span>
              )}
              {state === "held" && (
                <span className="task-reason">
                  {t("{person} is working on this", { person: listed?.claimed_by_email ?? t("Someone") })}
                </span>
              )}
            </summary>
            {isOpen && (
              <div className="batch-payload">
                {title !== task.task && (
                  <p className="task-rest" dir="auto">
                    {task.task}
                  </p>
                )}
                <TaskOfFiles value={task.id}>
                  <PayloadOf
                    payload={task.payload}
                    schema={task.payload_schema}
                    hints={task.form_definition?.["payload"]}
                    redact={task.redact_payload}
                  />
                </TaskOfFiles>
              </div>
            )}
          </details>
          {state === "closed" && (
            <p className="task-reason">
              {record ? <EndSentence task={record} me={me} /> : t("This task was deleted, or it is no longer for you.")}
            </p>
          )}
        </div>
        {state !== "closed" && listed !== undefined && <Deadline created={listed.created_at} at={listed.timeout_at} />}
        <button
          type="button"
          className="batch-remove"
          aria-label={t("Leave out: {title}", { title })}
          title={t("Leave out")}
          onClick={({ currentTarget }) => {
            focusNext(currentTarget);
            remove(task.id);
          }}
        >
          <IconX size={16} stroke={1.75} aria-hidden />
        </button>
      </li>
    );
  },
  (before, after) =>
    before.task.id === after.task.id &&
    before.listed === after.listed &&
    before.record === after.record &&
    before.state === after.state &&
    before.facts === after.facts &&
    before.me === after.me,
);

/** Focuses the same button of the next row, or of the one before the last. */
function focusNext(button: HTMLElement): void {
  const buttons = [...document.querySelectorAll<HTMLElement>(".batch-remove")];
  const at = buttons.indexOf(button);
  (buttons[at + 1] ?? buttons[at - 1])?.focus();
}

function Facts({ facts }: { facts: readonly Fact[] }) {
  return facts.map(({ title, text }, index) => (
    <span key={title} className="batch-fact">
      {index > 0 && <span className="unseen">, </span>}
      <span dir="auto">{title}</span> <strong dir="auto">{text}</strong>
    </span>
  ));
}
