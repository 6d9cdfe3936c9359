import { t } from "../languages/text.ts";
import type { AnswerState, Ended } from "./answer-state.ts";

/** The sentences about a closed task. All but those for Slack and agents are in the current language. `fill` replaces `{name}` with a fact. */
interface Sentences {
  /** On the page behind a link: a title and a text. */
  page: { title: string; says: string };
  /** In Slack, after a click on a message that is no longer current. Slack has English only. */
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
export type Row = Ended | "own" | "unattributed" | "fallback";

/** Returns all sentences about closed tasks, in the current language. The sentences of a row state the same fact. */
export function endings() {
  return {
    own: {
      page: {
        title: t("You already answered this"),
        says: t("You answered on {at}. Nothing was sent from this page. There's nothing more to do."),
      },
      chat: "You already answered this.",
      embed: t("You already answered this. Your first answer is stored."),
      dashboard: t("You answered this on {at}{through}."),
    },
    completed: {
      page: {
        title: t("Already answered by {who}"),
        says: t("{who} answered on {at}. Nothing was sent from this page. There's nothing more to do."),
      },
      chat: "Already answered by {who}.",
      embed: t("This task is already answered."),
      dashboard: t("{who} answered this on {at}{through}."),
      agent: "Answered by {who}.",
      email: { title: t("Answered by {who}"), says: t("{who} answered this task on {at}.") },
    },
    unattributed: {
      page: {
        title: t("Already answered"),
        says: t("Someone answered on {at}. Nothing was sent from this page. There's nothing more to do."),
      },
      chat: "Already answered by someone else.",
      embed: t("This task is already answered."),
      dashboard: t("Someone answered this on {at}{through}."),
      agent: "Answered.",
      email: { title: t("Answered"), says: t("This task was answered on {at}.") },
    },
    // `{answer}` is ": Reject", or empty where the answer has no name or the reader may not see it.
    fallback: {
      page: {
        title: t("No one answered in time"),
        says: t(
          "No one answered by {deadline}, so the answer given beforehand counts{answer}. Nothing was sent from this page. There's nothing more to do.",
        ),
      },
      chat: "No one answered in time, so the answer given beforehand counts{answer}.",
      embed: t("No one answered in time, so the answer given beforehand counts."),
      dashboard: t("No one answered in time, so the answer given beforehand counts since {at}."),
      agent: "No one answered in time, so the answer that the request gave for that counts.",
      email: {
        title: t("No one answered in time"),
        says: t("No one answered by {deadline}, so the answer given beforehand counts{answer}."),
      },
    },
    cancelled: {
      page: {
        title: t("This task was cancelled"),
        says: t("It was cancelled on {at}. Nothing was sent. There's nothing more to do."),
      },
      chat: "This task was cancelled.",
      embed: t("This task was cancelled."),
      dashboard: t("{canceller} cancelled this task on {at}."),
      agent: "The request was cancelled, and has no answer.",
      email: { title: t("Cancelled"), says: t("This task was cancelled on {at}.") },
    },
    verification_exhausted: {
      page: {
        title: t("Automatic check failed"),
        says: t("The task is closed. Nothing was sent from this page."),
      },
      chat: "Automatic check failed; the task is closed.",
      embed: t("Automatic check failed; the task is closed."),
      dashboard: t("Automatic check failed; the task is closed. {reason}"),
      agent: "No answer passed the verifier's checks. The request is closed without an answer.",
      email: {
        title: t("Closed without an answer"),
        says: t("No answer passed the automatic check. This task was closed on {at}."),
      },
    },
    timed_out: {
      page: {
        title: t("This task has timed out"),
        says: t("An answer was needed by {deadline}. Nothing was sent. There's nothing more to do."),
      },
      chat: "This task timed out.",
      embed: t("This task timed out."),
      dashboard: t("No one answered in time. The task timed out on {at}."),
      agent: "No one answered in time. The request is closed without an answer; nothing was approved.",
      email: { title: t("Timed out"), says: t("No one answered by {deadline}. This task has timed out.") },
    },
  } satisfies Record<"own", Sentences> & Record<Exclude<Row, "own">, AllSentences>;
}

/** The rows about an end that someone else, or no one, brought about. */
export type OthersRow = Exclude<Row, "own">;

/** Returns the fact `answer` of a sentence. @param label - of the answer, or null */
export function answerFact(label: string | null): string {
  return label === null ? "" : t(": {answer}", { answer: label });
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
