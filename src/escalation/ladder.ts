import { invalid } from "../errors.ts";
import { isJsonObject, parseJson, type JsonText } from "../lib/json.ts";
import { SECOND } from "../lib/time.ts";
import type { After, StepKind, StepRequest, StepTarget } from "./schema.ts";

/** One step as it is stored. It never changes. */
export interface Step {
  do: StepKind;
  after: After;
  /** The calendar whose open time counts; null: all time does. */
  calendar: string | null;
  to: StepTarget | null;
}

/** The steps of a task, and how its request asked for them. */
export interface Escalation {
  /** `default`: the request said nothing. `steps`: it had them. `template`: it named one. */
  by: "default" | "steps" | "template";
  template: string | null;
  steps: readonly Step[];
}

/** What changes of a step. Times are epoch milliseconds. */
export interface Rung {
  do: StepKind;
  /** When it is due. */
  at: number;
  done_at: number | null;
  /** The calendar that it counts in; left out if there is none. */
  calendar?: string;
}

/** The steps of a task with their times, in the order of the request. */
export type Ladder = readonly Rung[];

/** How time passes in calendars: only open time counts. All times are epoch milliseconds. */
export interface Clockwork {
  /** Whether there is a calendar of this name. */
  has(calendar: string): boolean;
  /** Returns when an amount of open time has passed, in milliseconds; null: not by `until`. */
  closesAfter(calendar: string, start: number, amount: number, until: number): number | null;
  /** Returns how much open time is between two moments, in milliseconds. */
  openBetween(calendar: string, start: number, end: number): number;
}

/** For steps that name no calendar. */
export const WITHOUT_CALENDARS: Clockwork = { has: () => false, closesAfter: () => null, openBetween: () => 0 };

/** Returns what a step of a request asks for, with null where it says nothing. */
export function toStep({ do: kind, after, calendar, to }: StepRequest): Step {
  return {
    do: kind,
    after: typeof after === "number" ? after : { fraction: after.fraction },
    calendar: calendar ?? null,
    to: to ?? null,
  };
}

/**
 * Rejects steps that can never happen, or that do not say who they concern. What `to` says is checked with the people of the task.
 * @param path - of the steps in the request
 */
export function requireLadder(steps: readonly Step[], path: string, timeout_seconds: number | null): void {
  for (const [i, { do: kind, after, calendar, to }] of steps.entries()) {
    const at = `${path}/${i}`;
    if (typeof after === "number" && calendar === null && timeout_seconds !== null && after >= timeout_seconds)
      throw invalid(`${at}/after`, `Must be before the deadline, which is after ${timeout_seconds} seconds.`);
    switch (kind) {
      case "remind":
      case "raise":
        if (to !== null) throw invalid(`${at}/to`, `Leave this out: \`${kind}\` is about the task as it is.`);
        break;
      case "notify":
        if (!Array.isArray(to) || to.length === 0)
          throw invalid(`${at}/to`, "Must be a list of entries as in `notify`.", "type");
        break;
      case "offer":
      case "assign":
        if (!isJsonObject(to)) throw invalid(`${at}/to`, "Must say who, as `assign_to` does.", "type");
    }
  }
}

/** The time that steps are about, in epoch milliseconds. */
interface Span {
  created_at: number;
  timeout_at: number;
}

/** Returns when a step is due, in epoch milliseconds; the deadline if its calendar has too little open time. */
export function dueAt({ after, calendar }: Step, { created_at, timeout_at }: Span, clockwork: Clockwork): number {
  if (calendar === null)
    return typeof after === "number"
      ? created_at + after * SECOND
      : created_at + Math.floor((timeout_at - created_at) * after.fraction);
  const amount =
    typeof after === "number"
      ? after * SECOND
      : Math.floor(clockwork.openBetween(calendar, created_at, timeout_at) * after.fraction);
  // A share of no time has not passed at once: it never does.
  return (amount === 0 ? null : clockwork.closesAfter(calendar, created_at, amount, timeout_at)) ?? timeout_at;
}

/** The columns of a task that its steps set. */
export interface LadderColumns {
  ladder: JsonText | null;
  next_step_at: number | null;
}

/** Returns the columns of a new task. */
export function firstLadder(escalation: Escalation | null, span: Span, clockwork: Clockwork): LadderColumns {
  if (escalation === null || escalation.steps.length === 0) return { ladder: null, next_step_at: null };
  const ladder = escalation.steps.map((step): Rung => ({
    do: step.do,
    at: dueAt(step, span, clockwork),
    done_at: null,
    ...(step.calendar !== null && { calendar: step.calendar }),
  }));
  return ladderColumns(ladder, span.timeout_at);
}

/** Returns the columns after the deadline was moved. What has happened stays. */
export function movedLadder(
  { ladder, escalation }: { ladder: JsonText | null; escalation: JsonText | null },
  span: Span,
  clockwork: Clockwork,
): LadderColumns {
  const rungs = ladderOf(ladder);
  const steps = stepsOf(escalation);
  if (rungs === null) return { ladder: null, next_step_at: null };
  const moved = rungs.map((rung, i): Rung => {
    const step = steps[i]!;
    const isKnown = step.calendar === null || clockwork.has(step.calendar);
    return rung.done_at === null && isKnown ? { ...rung, at: dueAt(step, span, clockwork) } : rung;
  });
  return ladderColumns(moved, span.timeout_at);
}

/** @param timeout_at - the deadline; steps from then on do not happen */
export function ladderColumns(ladder: Ladder, timeout_at: number): LadderColumns {
  return { ladder: JSON.stringify(ladder), next_step_at: nextRung(ladder, timeout_at)?.at ?? null };
}

/** Returns the step that happens next; null if none does. */
export function nextRung(ladder: Ladder, timeout_at: number): Rung | null {
  let next: Rung | null = null;
  for (const rung of ladder)
    if (rung.done_at === null && rung.at < timeout_at && (next === null || rung.at < next.at)) next = rung;
  return next;
}

/** Returns the numbers of the steps that are due, from 0, in the order in which they are. */
export function dueRungs(ladder: Ladder, { now, timeout_at }: { now: number; timeout_at: number }): number[] {
  return Array.from(ladder.keys())
    .filter((i) => ladder[i]!.done_at === null && ladder[i]!.at <= now && ladder[i]!.at < timeout_at)
    .toSorted((a, b) => ladder[a]!.at - ladder[b]!.at);
}

/** Reads the column `ladder` of a task; null if nothing happens. */
export function ladderOf(text: JsonText | null): Ladder | null {
  return parseJson<Ladder>(text);
}

/** Reads the steps of a stored task. */
export function stepsOf(text: JsonText | null): readonly Step[] {
  return parseJson<Escalation>(text)?.steps ?? [];
}

/** Returns the calendars that steps name, each once. */
export function calendarsOf(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap(({ calendar }) => calendar ?? []))];
}

/** The columns of a task that say who was told of it. */
export interface Told {
  notify: JsonText | null;
  escalation: JsonText | null;
  ladder: JsonText | null;
}

/** Returns the entries of `notify`, with those of the steps that have happened since, as JSON. */
export function toldOf({ notify, escalation, ladder }: Told): JsonText | null {
  const steps = stepsOf(escalation);
  const since = (ladderOf(ladder) ?? []).flatMap(({ do: kind, done_at }, i) =>
    kind === "notify" && done_at !== null ? (steps[i]!.to as string[]) : [],
  );
  if (since.length === 0) return notify;
  return JSON.stringify([...new Set([...(parseJson<string[]>(notify) ?? []), ...since])]);
}

/** Returns how often those who were told were reminded. */
export function remindersOf(ladder: JsonText | null): number {
  return ladderOf(ladder)?.filter(({ do: kind, done_at }) => kind === "remind" && done_at !== null).length ?? 0;
}

/** Returns whether a step has offered the task to more people than its request names. */
export function wasOffered(ladder: JsonText | null): boolean {
  return ladderOf(ladder)?.some(({ do: kind, done_at }) => kind === "offer" && done_at !== null) ?? false;
}
