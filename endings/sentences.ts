import type { AnswerState, Ended } from "./answer-state.ts";

/** What a surface says of a task that has ended. `{name}` stands for a fact: `fill` puts it there. */
interface Sentences {
  /** On the page behind a link: a title, and what follows it. */
  page: { title: string; says: string };
  /** In a chat, where others may have answered while the message was on the screen. */
  chat: string;
  /** In a form that a product embeds, which shows nothing else. */
  embed: string;
  /** On the task's page in the dashboard. */
  dashboard: string;
}

interface AllSentences extends Sentences {
  /** To an agent, over MCP. */
  agent: string;
}

/** `own`: of the viewer; `unattributed`: nobody knows whose. */
type Row = Ended | "own" | "unattributed";

/** The one catalogue of how tasks end. Sentences of a row say the same fact. */
export const ENDINGS = {
  own: {
    page: {
      title: "You have answered this",
      says: "You answered on {at}. Nothing was sent from this page, and nothing is left to do.",
    },
    chat: "You have answered this.",
    embed: "You have answered this already: your first answer is stored.",
    dashboard: "You answered this on {at}{through}.",
  },
  completed: {
    page: {
      title: "Already answered by {who}",
      says: "{who} answered on {at}. Nothing was sent from this page, and nothing is left to do.",
    },
    chat: "Already answered by {who}.",
    embed: "This has been answered already.",
    dashboard: "{who} answered this on {at}{through}.",
    agent: "Answered by {who}.",
  },
  unattributed: {
    page: {
      title: "Already answered",
      says: "Somebody answered on {at}. Nothing was sent from this page, and nothing is left to do.",
    },
    chat: "Already answered by somebody.",
    embed: "This has been answered already.",
    dashboard: "Somebody answered this on {at}{through}.",
    agent: "Answered.",
  },
  cancelled: {
    page: {
      title: "This task was cancelled",
      says: "It was withdrawn on {at}. Nothing was sent, and no answer is needed any more.",
    },
    chat: "This was cancelled; no answer is needed any more.",
    embed: "This was withdrawn, and no answer is needed any more.",
    dashboard: "{canceller} cancelled this task on {at}. No answer is needed any more.",
    agent: "The request was withdrawn, and has no answer.",
  },
  verification_exhausted: {
    page: {
      title: "The answers failed the checks",
      says: "No more answers are taken. Nothing was sent from this page.",
    },
    chat: "The answers failed the checks.",
    embed: "The answers did not pass the checks, and no more are taken.",
    dashboard: "The answers failed the checks. {reason}",
    agent: "Every answer was sent back by the checks that the task has. There is no answer that counts.",
  },
  timed_out: {
    page: {
      title: "The time is over",
      says: "An answer was needed by {deadline}. Nothing was sent, and nothing is left to do.",
    },
    chat: "The time for this is over.",
    embed: "The time for an answer is over.",
    dashboard: "Nobody answered in time. The task ended on {at}.",
    agent: "Nobody answered in time. The request has ended without an answer; nothing was approved.",
  },
} as const satisfies Record<"own", Sentences> & Record<Exclude<Row, "own">, AllSentences>;

/** Returns the row for a closed task. @param who - name of the person who answered, or null if unknown */
export function endingOf(state: Exclude<AnswerState, { how: "open" }>, who: string | null): Row {
  if (state.how !== "completed") return state.how;
  if (state.is_own) return "own";
  return who === null ? "unattributed" : "completed";
}

/**
 * A sentence with its facts, in pieces, so that a surface can draw a fact in its own way.
 * @throws Error where a fact is missing
 */
export function fill<T>(sentence: string, facts: Readonly<Record<string, T>>): (string | T)[] {
  return sentence.split(/\{(\w+)\}/).flatMap((piece, i): (string | T)[] => {
    if (i % 2 === 0) return piece === "" ? [] : [piece];
    if (!(piece in facts)) throw new Error(`"${sentence}" needs the fact ${piece}.`);
    return [facts[piece]!];
  });
}

/** A sentence with its facts. @throws Error where a fact is missing */
export function fillText(sentence: string, facts: Readonly<Record<string, string>>): string {
  return fill(sentence, facts).join("");
}
