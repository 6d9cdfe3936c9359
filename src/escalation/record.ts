import type { TaskDocumentsRow, TaskRow } from "../db/schema.ts";
import { isoTime } from "../lib/time.ts";
import { ladderOf, nextRung, stepsOf } from "./ladder.ts";
import type { NextStep, StepRecord } from "./schema.ts";

/** Returns the steps of a task as its record shows them. @param seesNotify - the reader sees the `notify` of the task */
export function toSteps(
  { ladder, escalation }: Pick<TaskRow, "ladder"> & Pick<TaskDocumentsRow, "escalation">,
  seesNotify: boolean,
): StepRecord[] {
  const rungs = ladderOf(ladder) ?? [];
  const steps = stepsOf(escalation);
  return rungs.map(({ do: kind, at, done_at }, i): StepRecord => {
    const { after, calendar, to } = steps[i]!;
    return {
      step: i + 1,
      do: kind,
      after,
      calendar,
      to: kind === "notify" && !seesNotify ? null : to,
      at: isoTime(at),
      done_at: isoTime(done_at),
    };
  });
}

/** Returns the step of an open task that happens next, or null. */
export function toNextStep({
  ladder,
  timeout_at,
  ended_at,
}: Pick<TaskRow, "ladder" | "timeout_at" | "ended_at">): NextStep | null {
  const next = ended_at === null && ladder !== null ? nextRung(ladderOf(ladder)!, timeout_at) : null;
  return next && { do: next.do, at: isoTime(next.at) };
}
