import type { TaskRecord } from "../shapes.ts";
import { millisecondsOf, type Duration } from "./duration.ts";
import { TestMistake } from "./mistake.ts";
import { plausibleAnswer } from "./plausible.ts";

/** Says what a person does with a question. */
export interface Rule {
  /** undefined: nothing is said of this one; the next rule is asked. */
  behaviourFor(task: TaskRecord): Behaviour | undefined;
}

/** What a person does, one act after the other; also the rule that says it of every question. */
export interface Behaviour extends Rule {
  readonly acts: readonly Act[];
}

/** `afterMs`: since the question was asked, or since the act before. */
export type Act =
  | {
      does: "answer";
      afterMs: number;
      response: (task: TaskRecord) => unknown;
      by: string | undefined;
      via: string;
      /** What the verifier holds against it. */
      rejection: string | null;
    }
  | { does: "cancel"; afterMs: number; reason: string | null };

export interface Timing {
  /** How long the person takes; no time when it is left out. */
  after?: Duration;
}

export interface Answering extends Timing {
  /** Who answers; the assignee when it is left out. */
  by?: string;
  /** Where: `dashboard` when it is left out. */
  via?: string;
}

type Given = object | string | number | boolean | null;

export interface Rejecting extends Timing {
  /** What the verifier says. */
  reason?: string;
}

/**
 * Says yes, with the shortest answer that the schema allows: booleans are true, a choice is the option that reads like a
 * yes or else the first one, and of the rest there is what is required. Where a schema asks for more than can be made up,
 * the test is told to use `answer`.
 */
export function approve(options: Answering = {}): Behaviour {
  return answer((task) => {
    const made = plausibleAnswer(task.response_schema);
    if (made !== undefined) return made;
    throw new TestMistake(
      `approve() cannot make up an answer to "${task.task}": use answer(...) with one that fits ${JSON.stringify(task.response_schema)}.`,
    );
  }, options);
}

/** @param given - the answer, an object or the value that is asked for, or what makes it of the task */
export function answer(given: Given | ((task: TaskRecord) => unknown), options: Answering = {}): Behaviour {
  const { after = 0, by, via = "dashboard" } = options;
  const response = typeof given === "function" ? (given as (task: TaskRecord) => unknown) : () => given;
  return behaviour([{ does: "answer", afterMs: millisecondsOf(after), response, by, via, rejection: null }]);
}

/** Does nothing: the task runs out of time. */
export function neverAnswer(): Behaviour {
  return behaviour([]);
}

/** Withdraws the task, as an operator may. */
export function cancels({ after = 0, reason }: Timing & { reason?: string } = {}): Behaviour {
  return behaviour([{ does: "cancel", afterMs: millisecondsOf(after), reason: reason ?? null }]);
}

/**
 * The verifier sends the first answers back, and the person then does something else. For questions with `verifierConfig`.
 *
 * @param times - answers that are sent back, fewer than `max_attempts` (3)
 * @param then - gives the answer that is sent back, too
 */
export function verifierRejects(times: number, then: Behaviour, options: Rejecting = {}): Behaviour {
  return behaviour([...rejected(times, then, options), ...then.acts]);
}

/** The verifier sends every answer back, until the task has ended with `verification_exhausted`. */
export function verifierExhausts(given: Behaviour = approve(), options: Rejecting = {}): Behaviour {
  return behaviour(rejected(ATTEMPTS_MAX, given, options));
}

/** More rejections no question allows. */
const ATTEMPTS_MAX = 10;

function rejected(times: number, given: Behaviour, { after = 0, reason }: Rejecting): Act[] {
  const [act] = given.acts[0]?.does === "answer" ? given.acts : approve().acts;
  const rejection = reason ?? "The answer is not good enough.";
  return Array.from({ length: times }, () => ({ ...act!, afterMs: millisecondsOf(after), rejection }) as Act);
}

/** A rule for some questions: those whose text matches, or that the function says. */
export function when(which: RegExp | ((task: TaskRecord) => boolean), rule: Rule): Rule {
  const is = typeof which === "function" ? which : ({ task }: TaskRecord) => task.search(which) !== -1;
  return { behaviourFor: (task) => (is(task) ? rule.behaviourFor(task) : undefined) };
}

/** One rule for each question, in the order in which they are asked; of more questions it says nothing. */
export function inOrder(rules: readonly Rule[]): Rule {
  let next = 0;
  return {
    behaviourFor: (task) => rules[next++]?.behaviourFor(task),
  };
}

function behaviour(acts: readonly Act[]): Behaviour {
  const made: Behaviour = { acts, behaviourFor: () => made };
  return made;
}
