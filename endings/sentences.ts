import type { AnswerState, Ended } from "./answer-state.ts";

/** The sentences about a closed task. `fill` replaces `{name}` with a fact. */
interface Sentences {
  /** On the page behind a link: a title and a text. */
  page: { title: string; says: string };
  /** In Slack, after a click on a message that is no longer current. */
  chat: string;
  /** In an embedded form. */
  embed: string;
  /** On the task's page in the dashboard. */
  dashboard: string;
}

interface AllSentences extends Sentences {
  /** In an email to a person who was asked: the beginning of its subject, and a text. */
  email: { title: string; says: string };
  /** To an agent, over MCP. */
  agent: string;
}

/**
 * `own`: the viewer answered. `unattributed`: it is unknown who answered. `fallback`: no one did, and the answer counts that
 * the request gave for that.
 */
type Row = Ended | "own" | "unattributed" | "fallback";

/** All sentences about closed tasks. The sentences of a row state the same fact. */
export const ENDINGS = {
  own: {
    page: {
      title: "You already answered this",
      says: "You answered on {at}. Nothing was sent from this page. There's nothing more to do.",
    },
    chat: "You already answered this.",
    embed: "You already answered this. Your first answer is stored.",
    dashboard: "You answered this on {at}{through}.",
  },
  completed: {
    page: {
      title: "Already answered by {who}",
      says: "{who} answered on {at}. Nothing was sent from this page. There's nothing more to do.",
    },
    chat: "Already answered by {who}.",
    embed: "This task is already answered.",
    dashboard: "{who} answered this on {at}{through}.",
    agent: "Answered by {who}.",
    email: { title: "Answered by {who}", says: "{who} answered this task on {at}." },
  },
  unattributed: {
    page: {
      title: "Already answered",
      says: "Someone answered on {at}. Nothing was sent from this page. There's nothing more to do.",
    },
    chat: "Already answered by someone else.",
    embed: "This task is already answered.",
    dashboard: "Someone answered this on {at}{through}.",
    agent: "Answered.",
    email: { title: "Answered", says: "This task was answered on {at}." },
  },
  // `{answer}` is ": Reject", or empty where the answer has no name or the reader may not see it.
  fallback: {
    page: {
      title: "No one answered in time",
      says: "No one answered by {deadline}, so the answer given beforehand counts{answer}. Nothing was sent from this page. There's nothing more to do.",
    },
    chat: "No one answered in time, so the answer given beforehand counts{answer}.",
    embed: "No one answered in time, so the answer given beforehand counts.",
    dashboard: "No one answered in time, so the answer given beforehand counts since {at}.",
    agent: "No one answered in time, so the answer that the request gave for that counts.",
    email: {
      title: "No one answered in time",
      says: "No one answered by {deadline}, so the answer given beforehand counts{answer}.",
    },
  },
  cancelled: {
    page: {
      title: "This task was cancelled",
      says: "It was cancelled on {at}. Nothing was sent. There's nothing more to do.",
    },
    chat: "This task was cancelled.",
    embed: "This task was cancelled.",
    dashboard: "{canceller} cancelled this task on {at}.",
    agent: "The request was cancelled, and has no answer.",
    email: { title: "Cancelled", says: "This task was cancelled on {at}." },
  },
  verification_exhausted: {
    page: {
      title: "Automatic check failed",
      says: "The task is closed. Nothing was sent from this page.",
    },
    chat: "Automatic check failed; the task is closed.",
    embed: "Automatic check failed; the task is closed.",
    dashboard: "Automatic check failed; the task is closed. {reason}",
    agent: "No answer passed the verifier's checks. The request is closed without an answer.",
    email: {
      title: "Closed without an answer",
      says: "No answer passed the automatic check. This task was closed on {at}.",
    },
  },
  timed_out: {
    page: {
      title: "This task has timed out",
      says: "An answer was needed by {deadline}. Nothing was sent. There's nothing more to do.",
    },
    chat: "This task timed out.",
    embed: "This task timed out.",
    dashboard: "No one answered in time. The task timed out on {at}.",
    agent: "No one answered in time. The request is closed without an answer; nothing was approved.",
    email: { title: "Timed out", says: "No one answered by {deadline}. This task has timed out." },
  },
} as const satisfies Record<"own", Sentences> & Record<Exclude<Row, "own">, AllSentences>;

/** The rows about an end that someone else, or no one, brought about. */
export type OthersRow = Exclude<Row, "own">;

/** Returns the fact `answer` of a sentence. @param label - of the answer, or null */
export function answerFact(label: string | null): string {
  return label === null ? "" : `: ${label}`;
}

/** Returns the row for a closed task. @param who - name of the person who answered, or null if unknown */
export function endingOf(state: Exclude<AnswerState, { how: "open" }>, who: string | null): Row {
  if (state.how !== "completed") return state.how;
  if (state.is_own) return "own";
  return who === null ? "unattributed" : "completed";
}

/**
 * Returns a sentence with its facts, in pieces, so that a surface can draw a fact in its own way.
 * @throws Error if a fact is missing
 */
export function fill<T>(sentence: string, facts: Readonly<Record<string, T>>): (string | T)[] {
  return sentence.split(/\{(\w+)\}/).flatMap((piece, i): (string | T)[] => {
    if (i % 2 === 0) return piece === "" ? [] : [piece];
    if (!(piece in facts)) throw new Error(`"${sentence}" needs the fact ${piece}.`);
    return [facts[piece]!];
  });
}

/** Returns a sentence with its facts. @throws Error if a fact is missing */
export function fillText(sentence: string, facts: Readonly<Record<string, string>>): string {
  return fill(sentence, facts).join("");
}
