import { Button } from "@mantine/core";
import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { RefObject } from "react";
import { plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { Entries } from "../../../form/plan/entries.ts";
import { fieldNames, readForm } from "../../../form/plan/plan.ts";
import { wrappedHints } from "../../../form/plan/hints.ts";
import type { Outcome } from "../../form/answer-form.tsx";
import { TaskForm } from "../../form/task-form.tsx";
import { ApiError } from "../api.ts";
import type { ListedTask, Me, Task } from "../api.ts";
import { inOneLine } from "../lists.ts";
import { taskQuery, tasksQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { KeyHints, useDecisionKeys } from "../task/answer.tsx";
import { useKeys } from "../ui/keyboard.ts";
import { useNow } from "../ui/now.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { useTimeZone } from "../ui/times.tsx";
import { needsOwnPage } from "./action.ts";
import { BatchRows } from "./rows.tsx";
import { Frame } from "./frame.tsx";
import { HoldPanel, useHold } from "./hold.tsx";
import type { Kind } from "./kinds.ts";
import type { RunItem } from "./run.ts";
import { WAITING } from "./send-all.ts";
import { answerFor, shareForm } from "./shared-form.ts";
import type { FormTime, SharedForm } from "./shared-form.ts";
import type { BatchTask } from "./tasks.ts";
import { tasksIn } from "./words.ts";

/** A claim expires without an event. */
const LOOK_MS = 15_000;

/** A task of the batch as it is now. */
export interface Chosen {
  readonly task: BatchTask;
  /** As the list shows it; undefined after it left the list. */
  readonly listed: ListedTask | undefined;
  /** The whole record, if it left the list; null if it was deleted, or this person may no longer see it. */
  readonly record: Task | null | undefined;
  readonly state: "open" | "held" | "closed";
}

interface ComposeProps {
  kind: Kind;
  /** The number of selected tasks that have another form. */
  others: number;
  search: Scope;
  me: Me;
  back: () => void;
  remove: (id: string) => void;
  send: (items: readonly RunItem[]) => void;
}

/** One form for several tasks, beside the list of these tasks. */
export function Compose({ kind, others, search, me, back, remove, send }: ComposeProps) {
  const [opened] = useState(() => new Date());
  const time_zone = useTimeZone();
  const when = useMemo(() => ({ time_zone, now: opened }), [time_zone, opened]);
  const shared = useMemo(() => shareForm(kind.tasks, when), [kind.tasks, when]);
  const chosen = useChosen(kind.tasks, search, me);
  const [takesHeld, setTakesHeld] = useState(false);
  const held = chosen.filter(({ state }) => state === "held").length;
  const included = chosen.filter(({ state }) => state === "open" || (state === "held" && takesHeld));
  const title = titleFor(included.length);
  const areAlone = kind.tasks.some(needsOwnPage);
  if (shared === null || areAlone)
    return (
      <Frame title={titleFor(kind.tasks.length)} back={back}>
        <div className="empty">
          <h2>{t("These tasks need answers of their own")}</h2>
          <p>
            {areAlone
              ? t(
                  "They ask about an action with a high risk, or about several actions. Decide each of them on its own page.",
                )
              : t(
                  "Their form begins with values from each task that one form for all cannot show. Answer them one by one.",
                )}
          </p>
          <Button variant="default" onClick={back}>
            {t("Back to the list")}
          </Button>
        </div>
      </Frame>
    );
  const otherForms = plural(
    others,
    "{n} task with another form stays selected.",
    "{n} tasks with another form stay selected.",
  );
  return (
    <Frame title={title} {...(others > 0 && { about: otherForms })} back={back}>
      <div className="task-body batch-body">
        <section className="review" aria-labelledby="batch-tasks">
          <h2 id="batch-tasks">{tasksIn(chosen.length)}</h2>
          {held > 0 && (
            <div className="notice warn held">
              <output>
                {takesHeld
                  ? plural(
                      held,
                      "{n} task is being worked on by others, and will be decided too.",
                      "{n} tasks are being worked on by others, and will be decided too.",
                    )
                  : plural(
                      held,
                      "{n} task is being worked on by others, and left out.",
                      "{n} tasks are being worked on by others, and left out.",
                    )}
              </output>
              <Button variant="default" size="xs" onClick={() => setTakesHeld(!takesHeld)}>
                {takesHeld ? t("Leave out") : t("Decide too")}
              </Button>
            </div>
          )}
          <BatchRows tasks={kind.tasks} chosen={chosen} takesHeld={takesHeld} me={me} when={when} remove={remove} />
        </section>
        <section className="reply" aria-labelledby="batch-answer">
          <h2 id="batch-answer">{plural(included.length, "One answer for it", "One answer for all {n}")}</h2>
          <SharedAnswer
            shared={shared}
            when={when}
            count={included.length}
            itemsFor={(entries) => itemsFor(included, chosen, entries, shared, when)}
            send={send}
          />
        </section>
      </div>
    </Frame>
  );
}

function titleFor(count: number): string {
  return plural(count, "Decide {n} task together", "Decide {n} tasks together");
}

/** Returns the tasks with their state, which the list keeps up to date. Those that left the list are read one by one. */
function useChosen(tasks: readonly BatchTask[], search: Scope, me: Me): readonly Chosen[] {
  const { data } = useInfiniteQuery(tasksQuery(search, me));
  const now = useNow(() => LOOK_MS);
  const listed = new Map(data?.pages.flatMap((page) => page.data.map((task) => [task.id, task] as const)));
  const gone = data === undefined ? [] : tasks.filter(({ id }) => !listed.has(id));
  const records = useQueries({ queries: gone.map(({ id }) => taskQuery(id)) });
  const recordOf = new Map(
    gone.map(({ id }, index) => {
      const { data, error } = records[index]!;
      const isGone = error instanceof ApiError && (error.status === 403 || error.status === 404);
      return [id, isGone ? null : data] as const;
    }),
  );
  return tasks.map((task): Chosen => {
    const record = recordOf.get(task.id);
    const row = listed.get(task.id);
    const current = row ?? record;
    const isClosed = record === null || (current !== undefined && current !== null && !isOpenStatus(current.status));
    const isHeld =
      current?.claim_expires_at != null &&
      Date.parse(current.claim_expires_at) > now &&
      current.claimed_by_email !== me.email;
    return { task, listed: row, record, state: isClosed ? "closed" : isHeld ? "held" : "open" };
  });
}

/** Returns what is to be sent, and what cannot be: tasks that were closed before, and those that the answer does not fit. */
function itemsFor(
  included: readonly Chosen[],
  chosen: readonly Chosen[],
  entries: Entries,
  shared: SharedForm,
  when: FormTime,
): readonly RunItem[] {
  // Where nothing is filled in from the payload, every task has the same answer.
  const [first] = included;
  const same = shared.kept.length > 0 || first === undefined ? null : answerFor(first.task, entries, when);
  const closed = chosen.flatMap(({ task, record, state }): RunItem[] => {
    if (state !== "closed") return [];
    const message = t("This task was deleted, or it is no longer for you.");
    const result = record ? ({ kind: "closed", task: record } as const) : ({ kind: "refused", message } as const);
    return [{ task, answer: null, result }];
  });
  const sent = included.map(({ task }): RunItem => {
    const { answer, problem } = same ?? answerFor(task, entries, when);
    if (problem === null) return { task, answer, result: WAITING };
    return {
      task,
      answer,
      result: { kind: "refused", message: t("It needs an answer of its own. {problem}", { problem }) },
    };
  });
  return [...closed, ...sent];
}

interface SharedAnswerProps {
  shared: SharedForm;
  when: FormTime;
  count: number;
  itemsFor: (entries: Entries) => readonly RunItem[];
  send: (items: readonly RunItem[]) => void;
}

/** The form of all tasks. Before anything is sent, the person has some seconds to take it back. */
function SharedAnswer({ shared, when, count, itemsFor, send }: SharedAnswerProps) {
  const place = useRef<HTMLDivElement>(null);
  const entered = useRef<Entries>({});
  const { task, kept } = shared;
  const { options } = useDecisionKeys(task);
  const hold = useHold();
  useKeys({ "Mod+Enter": () => submitIn(place), z: hold.isOn ? hold.cancel : undefined });
  const definition = useMemo(
    () => withLabel(task, plural(count, "Decide {n} task", "Decide {n} tasks"), when),
    [task, count, when],
  );
  // The tasks may change while the person can still take it back.
  const latest = useRef(itemsFor);
  useEffect(() => {
    latest.current = itemsFor;
  });
  const onAnswer = async (): Promise<Outcome> => {
    const isJson = entered.current["~mode"]?.[0] === "json";
    if (kept.length > 0 && isJson)
      return { kind: "failed", message: t("Answer with the form: as JSON, the answer has values of a single task.") };
    if (count === 0) return { kind: "failed", message: t("No task is left to decide.") };
    if (!(await hold.wait())) return { kind: "failed", message: t("Sending cancelled. Nothing was sent.") };
    send(latest.current(entered.current));
    return { kind: "accepted" };
  };
  return (
    <div className="card-form" ref={place}>
      {kept.length > 0 && (
        <p className="notice batch-kept">
          {rich("Each task keeps its own value: {fields}", { fields: <span dir="auto">{inOneLine(kept)}</span> })}
        </p>
      )}
      <TaskForm
        task={{
          task_id: "batch",
          response_schema: task.response_schema,
          form_definition: definition,
          payload: task.payload,
          redact_payload: task.redact_payload,
          is_verified: task.is_verified,
        }}
        channel="dashboard"
        time_zone={when.time_zone}
        now={when.now.toISOString()}
        action=""
        onAnswer={onAnswer}
        onEdit={(entries) => {
          entered.current = entries;
        }}
      />
      {hold.isOn ? <HoldPanel count={count} hold={hold} /> : <KeyHints options={options} canSkip={false} />}
    </div>
  );
}

function submitIn(place: RefObject<HTMLElement | null>): void {
  place.current?.querySelector<HTMLFormElement>("form.answer")?.requestSubmit();
}

/** Returns the hints of the form with another label of its button. */
function withLabel({ response_schema, form_definition, payload }: BatchTask, label: string, when: FormTime): object {
  const { source } = readForm({ response_schema, form_definition, payload, ...when });
  const hints = wrappedHints(form_definition, fieldNames(source));
  const submit = hints["submit"];
  return { ...hints, submit: { ...(typeof submit === "object" ? submit : {}), label } };
}
