import type { TaskRecord } from "../shapes.ts";
import { millisecondsOf, type Duration } from "./duration.ts";
import { TestMistake } from "./mistake.ts";
import { approvalOf } from "./decided.ts";
import { plausibleAnswer } from "./plausible.ts";

/** Decides what a person does with a question. */
export interface Rule {
  /** Returns undefined if the rule does not match; then the next rule is asked. */
  behaviourFor(task: TaskRecord): Behaviour | undefined;
}

/** The actions of a person, one after the other. It is also the rule that applies them to every question. */
export interface Behaviour extends Rule {
  readonly acts: readonly Act[];
}

/** `afterMs` counts from the question, or from the previous action. */
export type Act =
  | {
      does: "answer";
      afterMs: number;
      response: (task: TaskRecord) => unknown;
      by: string | undefined;
      via: string;
      /** The verifier's reason for a rejection. */
      rejection: string | null;
    }
  | { does: "ask"; afterMs: number; text: string; by: string | undefined; via: string }
  | { does: "cancel"; afterMs: number; reason: string | null };

export interface Timing {
  /** How long the person takes. Default: no time. */
  after?: Duration;
}

export interface Answering extends Timing {
  /** Who answers. Default: the assignee. */
  by?: string;
  /** The channel. Default: `dashboard`. */
  via?: string;
}

type Given = object | string | number | boolean | null;

export interface Rejecting extends Timing {
  /** The verifier's reason. */
  reason?: string;
}

/**
 * Approves actions. Says yes to other questions, with the shortest answer that the schema allows. Booleans are true, a choice is the option that reads like
 * yes or else the first one, and otherwise there are only required fields. If a schema requires more than can be made
 * up, the test gets an error that suggests `answer`.
 */
export function approve(options: Answering = {}): Behaviour {
  return answer((task) => {
    const made = approvalOf(task) ?? plausibleAnswer(task.response_schema);
    if (made !== undefined) return made;
    throw new TestMistake(
      `approve() cannot make up an answer to "${task.task}": use answer(...) with one that fits ${JSON.stringify(task.response_schema)}.`,
    );
  }, options);
}

/** @param given - the answer: an object, the requested value, or a function that makes it from the task */
export function answer(given: Given | ((task: TaskRecord) => unknown), options: Answering = {}): Behaviour {
  const { after = 0, by, via = "dashboard" } = options;
  const response = typeof given === "function" ? (given as (task: TaskRecord) => unknown) : () => given;
  return behaviour([{ does: "answer", afterMs: millisecondsOf(after), response, by, via, rejection: null }]);
}

/**
 * Makes several people decide about the same question, one after the other, where it needs several approvals. Each rule
 * names its person in `by`, and its `after` counts from the decision before. Once the task has ended, the rest do nothing.
 */
export function together(...decisions: readonly Behaviour[]): Behaviour {
  return behaviour(decisions.flatMap(({ acts }) => acts));
}

/**
 * Asks the program something first, and then acts as `then` says, once the program has replied or revised the task. Without a reply
 * nothing more happens.
 */
export function asks(
  question: string,
  then: Behaviour,
  { after = 0, by, via = "dashboard" }: Answering = {},
): Behaviour {
  return behaviour([{ does: "ask", afterMs: millisecondsOf(after), text: question, by, via }, ...then.acts]);
}

/** Does nothing, so the task times out. */
export function neverAnswer(): Behaviour {
  return behaviour([]);
}

/** Withdraws the task, as an operator may do. */
export function cancels({ after = 0, reason }: Timing & { reason?: string } = {}): Behaviour {
  return behaviour([{ does: "cancel", afterMs: millisecondsOf(after), reason: reason ?? null }]);
}

/**
 * Makes the verifier reject the first answers. The person then acts as `then` says. For questions with
 * `verifierConfig`.
 *
 * @param times - how many answers are rejected, fewer than `max_attempts` (3)
 * @param then - also gives the rejected answers
 */
export function verifierRejects(times: number, then: Behaviour, options: Rejecting = {}): Behaviour {
  return behaviour([...rejected(times, then, options), ...then.acts]);
}

/** Makes the verifier reject every answer, until the task has ended with `verification_exhausted`. */
export function verifierExhausts(given: Behaviour = approve(), options: Rejecting = {}): Behaviour {
  return behaviour(rejected(ATTEMPTS_MAX, given, options));
}

/** No question allows more rejections. */
const ATTEMPTS_MAX = 10;

function rejected(times: number, given: Behaviour, { after = 0, reason }: Rejecting): Act[] {
  const [act] = given.acts[0]?.does === "answer" ? given.acts : approve().acts;
  const rejection = reason ?? "The answer is not good enough.";
  return Array.from({ length: times }, () => ({ ...act!, afterMs: millisecondsOf(after), rejection }) as Act);
}

/** Returns a rule for some questions: those whose text matches, or for which the function returns true. */
export function when(which: RegExp | ((task: TaskRecord) => boolean), rule: Rule): Rule {
  const is = typeof which === "function" ? which : ({ task }: TaskRecord) => task.search(which) !== -1;
  return { behaviourFor: (task) => (is(task) ? rule.behaviourFor(task) : undefined) };
}

/** Returns one rule for each question, in the order of the questions. It does not match further questions. */
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
