/** Judges what happens to a task while no one answers: each step once, in time, and what it does. */
import { clockAt, excused, spansBetween } from "./clock.ts";
import { openBetween, passedAt } from "./calendars.ts";
import { PEOPLE } from "./people.ts";
import type { Step } from "./plans.ts";
import type { Access, Line, Told } from "./trail.ts";

/** Without trouble, a step happens within this time. */
const STEP_LATE = 1_000;
/** A share of a time is not a whole number of milliseconds. */
const ROUNDED = 1;

/** From `at` on, the deadline. */
export interface Phase {
  seq: number;
  at: number;
  deadline: number;
}

/** Returns the deadlines of a task: it may be moved. */
export function phasesOf({ task, record, lines }: Pick<Told, "task" | "record" | "lines">): Phase[] {
  const created = Date.parse(record.created_at);
  const moved = lines.filter(({ action }) => action === "extended");
  return [
    { seq: -1, at: lines[0]!.at, deadline: created + task.timeout_seconds * 1_000 },
    ...moved.map(({ seq, at, extra }) => ({ seq, at, deadline: created + Number(extra!["timeout_seconds"]) * 1_000 })),
  ];
}

/** Returns when a step is due, as the clock of the service shows it; the deadline if it is not due before. */
function dueAt({ after, calendar }: Step, created: number, deadline: number): number {
  if (calendar === undefined)
    return typeof after === "number" ? created + after * 1_000 : created + (deadline - created) * after.fraction;
  const amount = typeof after === "number" ? after * 1_000 : openBetween(calendar, created, deadline) * after.fraction;
  return (amount > 0 ? passedAt(calendar, created, Math.floor(amount), deadline) : null) ?? deadline;
}

export function judgeSteps(told: Told, access: readonly Access[]): void {
  const { question, lines, record, end, say } = told;
  const { steps } = question;
  const created = Date.parse(record.created_at);
  const phases = phasesOf(told);
  const escalated = lines.filter(({ action }) => action === "escalated");
  if (record.escalation.length !== steps.length) say(`has ${record.escalation.length} steps, not ${steps.length}`);
  for (const { extra, seq } of escalated) {
    const step = steps[Number(extra?.["step"]) - 1];
    if (step?.do !== extra?.["do"]) say(`its trail has a step that it does not have: ${JSON.stringify(extra)}`);
    if (seq > end.seq) say(`step ${String(extra?.["step"])} happened after the end`);
  }
  for (const [i, step] of steps.entries()) {
    const name = `step ${i + 1} (${step.do})`;
    const done = escalated.filter(({ extra }) => extra?.["step"] === i + 1);
    const [first] = done;
    if (done.length > 1) say(`${name} happened ${done.length} times`);
    const shown = record.escalation[i];
    if ((shown?.done_at ?? null) !== (first?.created_at ?? null))
      say(`${name} is shown as done at ${shown?.done_at}, but the trail says ${first?.created_at}`);
    const phase = phases.findLast(({ seq }) => seq < (first?.seq ?? end.seq))!;
    const due = dueAt(step, created, phase.deadline);
    if (Math.abs(Date.parse(shown?.at ?? "") - due) > ROUNDED)
      say(`${name} is shown as due at ${shown?.at}, not at ${new Date(due).toISOString()}`);
    if (first !== undefined) judgeTime(told, name, first, { due, deadline: phase.deadline });
    judgeOwed(told, name, step, phases, first?.at ?? end.at);
  }
  judgeOrder(told, escalated, phases);
  const isRaised = escalated.some(({ extra }) => extra?.["do"] === "raise");
  if (record.urgent !== isRaised) say(`urgent is ${record.urgent}, although it was ${isRaised ? "" : "not "}raised`);
  judgeMessages(told, access);
}

function judgeTime(
  { story, say }: Told,
  name: string,
  { at }: Line,
  { due, deadline }: { due: number; deadline: number },
): void {
  const clock = clockAt(story, at);
  if (clock < due - ROUNDED) say(`${name} happened ${due - clock} ms early`);
  if (clock >= deadline) say(`${name} happened at or after the deadline`);
}

/** Says whether a step was due for longer than it may be. @param until - when it happened, or the task ended */
function judgeOwed({ record, story, say }: Told, name: string, step: Step, phases: readonly Phase[], until: number) {
  let late = 0;
  for (const [i, { at, deadline }] of phases.entries()) {
    const due = dueAt(step, Date.parse(record.created_at), deadline);
    const last = Math.min(until, phases[i + 1]?.at ?? until);
    for (const span of spansBetween(story, due + ROUNDED, deadline)) {
      const [from, to] = [Math.max(span.from, at), Math.min(span.to, last)];
      if (from < to) late += to - from - excused(story.troubles, from, to);
    }
  }
  if (late > STEP_LATE) say(`${name} was due for ${Math.floor(late)} ms`);
}

/** Steps that happen together do so in the order of their times. */
function judgeOrder({ record, question, say }: Told, escalated: readonly Line[], phases: readonly Phase[]): void {
  const created = Date.parse(record.created_at);
  const dueOf = ({ extra, seq }: Line) =>
    dueAt(question.steps[Number(extra!["step"]) - 1]!, created, phases.findLast((phase) => phase.seq < seq)!.deadline);
  for (const [i, line] of escalated.entries()) {
    const before = escalated[i - 1];
    if (before?.created_at === line.created_at && dueOf(before) > dueOf(line) + ROUNDED)
      say(`step ${String(line.extra!["step"])} came after a later one`);
  }
}

/** Compares the messages that people got with those that the steps owe. */
function judgeMessages({ task, question, lines, say }: Told, access: readonly Access[]): void {
  const expected = new Map<string, number>();
  const owe = (to: string, purpose: string) => {
    const key = `${purpose} to ${to}`;
    expected.set(key, (expected.get(key) ?? 0) + 1);
  };
  const told = new Set<string>();
  const tell = (entries: readonly string[]) => {
    for (const to of entries.map((entry) => entry.slice("note:".length)))
      if (!told.has(to)) {
        told.add(to);
        owe(to, "decision");
      }
  };
  tell(question.notify);
  let reminded: Line | null = null;
  for (const line of lines) {
    if (line.action !== "escalated") continue;
    const step = question.steps[Number(line.extra!["step"]) - 1]!;
    const before = access.findLast(({ seq }) => seq < line.seq)?.assignee ?? null;
    if (step.do === "notify") tell(step.to as readonly string[]);
    if (step.do === "assign") {
      const after = access.find(({ seq }) => seq === line.seq)?.assignee ?? null;
      if (after !== null && after !== before) owe(PEOPLE[after]!.email, "assigned");
    }
    // Reminders that were missed are one.
    if (step.do !== "remind" || (reminded?.at === line.at && reminded.created_at === line.created_at)) continue;
    reminded = line;
    for (const to of told) owe(to, "reminder");
    const email = before === null ? null : PEOPLE[before]!.email;
    if (email !== null && !told.has(email)) owe(email, "reminder");
  }
  const got = new Map<string, number>();
  for (const { destination, purpose, status } of task.notes) {
    if (status !== "SUCCEEDED") say(`a message to ${destination} is ${status}`);
    const key = `${purpose} to ${destination}`;
    if (purpose !== "new_round") got.set(key, (got.get(key) ?? 0) + 1);
  }
  for (const key of new Set([...expected.keys(), ...got.keys()]))
    if (expected.get(key) !== got.get(key))
      say(`sent ${got.get(key) ?? 0} times ${key}, not ${expected.get(key) ?? 0} times`);
}
