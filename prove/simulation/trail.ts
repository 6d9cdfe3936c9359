/** Reads the trail of a task as the judge needs it: with the moment in which each entry was committed. */
import type { Say } from "./judge.ts";
import { EVERYONE, BOSS, numberOf } from "./people.ts";
import { peopleOf, type Question, type Rules } from "./plans.ts";
import type { Asked, Entry, Story, StoryTask } from "./story.ts";

/** An entry, and when it was first seen in the database. */
export type Line = Entry & { at: number };

/** A task whose trail can be judged. */
export interface Told {
  task: StoryTask;
  record: NonNullable<StoryTask["record"]>;
  question: Question;
  /** In the order of their numbers. */
  lines: readonly Line[];
  /** The entry that ended the task. */
  end: Line;
  asked: readonly Asked[];
  story: Story;
  say: Say;
}

export const ENDS: ReadonlySet<string> = new Set(["completed", "cancelled", "timed_out", "verification_exhausted"]);

/** Returns whether a request with this answer may have succeeded. */
export function isPossible(answer: Asked["answer"]): boolean {
  return answer === "done" || answer === null;
}

export function linesOf({ audit, seen }: StoryTask): Line[] {
  return audit.toSorted((a, b) => a.seq - b.seq).map((entry) => ({ ...entry, at: seen.get(entry.seq)! }));
}

/** From `at` on, these people may answer, as far as that does not depend on their decisions. */
export interface Access {
  seq: number;
  at: number;
  assignee: number | null;
  candidates: ReadonlySet<number>;
  people: ReadonlySet<number>;
}

/** Returns who may answer a task from when on, and says where the trail brings it to people that it is not for. */
export function accessOf({ question, lines, say }: Told): Access[] {
  const { rules, assign_to } = question;
  const all: Access[] = [];
  let assignee: number | null = null;
  let candidates = new Set<number>();
  const push = ({ seq, at }: Line) =>
    all.push({ seq, at, assignee, candidates, people: peopleWith(rules, assignee, candidates) });
  for (const line of lines) {
    const extra = line.extra ?? {};
    if (line.action === "offered" || line.action === "assigned") {
      const meant = rules?.from ?? assign_to!;
      const named = namedIn(extra);
      checkMeant(named, peopleOf(meant), line.action === "offered" ? rules : null, say);
      if (line.action === "offered") candidates = new Set(named);
      else assignee = named[0] ?? null;
      push(line);
    }
    if (line.action !== "escalated") continue;
    const step = question.steps[Number(extra["step"]) - 1];
    if (step === undefined || (step.do !== "offer" && step.do !== "assign")) continue;
    const meant = peopleOf(step.to as Exclude<typeof step.to, readonly string[] | undefined>);
    if (extra["unmatched"] === true) {
      if (step.do === "assign" ? meant.length > 0 : meant.some((number) => !mayBeExcluded(rules, question, number)))
        say(`step ${String(extra["step"])} found no one`);
      continue;
    }
    const named = namedIn(extra);
    checkMeant(named, meant, step.do === "offer" ? rules : null, say);
    if (step.do === "offer") {
      candidates = new Set([...candidates, ...(assignee === null ? [] : [assignee]), ...named]);
      assignee = null;
    } else {
      candidates = new Set();
      assignee = named[0] ?? null;
    }
    push(line);
  }
  return all;
}

function namedIn(extra: Readonly<Record<string, unknown>>): number[] {
  const ids = (extra["candidates"] as string[] | undefined) ?? [extra["assigned_to_user_id"] as string];
  return ids.map((id) => numberOf(id)!);
}

/** @param rules - where everyone who may decide must be among them; null: at least one person */
function checkMeant(named: readonly number[], meant: readonly number[], rules: Rules | null, say: Say): void {
  const strangers = named.filter((number) => !meant.includes(number));
  if (strangers.length > 0) say(`is brought to ${strangers.join()}, who are not meant`);
  if (rules === null) return;
  const missing = meant.filter((number) => !named.includes(number) && number !== rules.behalf && number !== BOSS);
  if (missing.length > 0 && rules.answered === null) say(`is not brought to ${missing.join()}, who are meant`);
}

/** The operator may answer everything, unless `from` says who. */
function peopleWith(rules: Rules | null, assignee: number | null, candidates: ReadonlySet<number>): Set<number> {
  if (rules?.from != null) return new Set(candidates);
  return new Set([...candidates, ...(assignee === null ? [] : [assignee]), BOSS]);
}

/** Returns whether a person must not decide, whatever happens. */
export function isExcluded({ asker }: Question, { excludesAsker, behalf }: Rules, number: number): boolean {
  return (excludesAsker && number === asker) || number === behalf;
}

function mayBeExcluded(rules: Rules | null, question: Question, number: number): boolean {
  return rules !== null && (rules.answered !== null || isExcluded(question, rules, number));
}

/** Returns who may answer right before an entry. */
export function peopleBefore(access: readonly Access[], seq: number): ReadonlySet<number> {
  return access.findLast((one) => one.seq < seq)?.people ?? new Set();
}

/** Returns who may answer all the time between two moments. */
export function peopleDuring(access: readonly Access[], from: number, to: number): Set<number> {
  const during = access.filter(({ at }, i) => at <= to && (access[i + 1]?.at ?? Number.POSITIVE_INFINITY) >= from);
  return new Set(EVERYONE.filter((number) => during.length > 0 && during.every(({ people }) => people.has(number))));
}
