import type { AnswerState } from "./answer-state.ts";

/** How a task ended, without what only some surfaces know. */
type Ended = Exclude<AnswerState["how"], "open">;

/** What a surface says of a task that has ended. */
export interface EndedSentences {
  /** On the page behind a link: a title, and what follows it. */
  page: { title: string; says: string };
  /** In a chat, where others may have answered while the message was on the screen. */
  chat: string;
  /** In a form that a product embeds, which shows nothing else. */
  embed: string;
}

/** What the sentences may name. */
export interface EndedFacts {
  /** The name of who answered; null: it is not known. */
  who: string | null;
  /** The moment of the end, as the viewer reads times. */
  at: string;
  /** The deadline, as the viewer reads times. */
  deadline: string;
}

/** The one catalogue of how tasks end, for everybody who was to answer. Sentences of a row say the same fact. */
export const ENDED: Readonly<Record<Ended | "own", (facts: EndedFacts) => EndedSentences>> = {
  own: ({ at }) => ({
    page: {
      title: "You have answered this",
      says: `You answered on ${at}. Nothing was sent from this page, and nothing is left to do.`,
    },
    chat: "You have answered this.",
    embed: "You have answered this already: your first answer is stored.",
  }),
  completed: ({ who, at }) => ({
    page: {
      title: `Already answered${who === null ? "" : ` by ${who}`}`,
      says: `${who ?? "Somebody"} answered on ${at}. Nothing was sent from this page, and nothing is left to do.`,
    },
    chat: `Already answered by ${who ?? "somebody"}.`,
    embed: "This has been answered already.",
  }),
  cancelled: ({ at }) => ({
    page: {
      title: "This task was cancelled",
      says: `It was withdrawn on ${at}. Nothing was sent, and no answer is needed any more.`,
    },
    chat: "This was cancelled; no answer is needed any more.",
    embed: "This was withdrawn, and no answer is needed any more.",
  }),
  verification_exhausted: () => ({
    page: {
      title: "The answers failed the checks",
      says: "No more answers are taken. Nothing was sent from this page.",
    },
    chat: "The answers failed the checks.",
    embed: "The answers did not pass the checks, and no more are taken.",
  }),
  timed_out: ({ deadline }) => ({
    page: {
      title: "The time is over",
      says: `An answer was needed by ${deadline}. Nothing was sent, and nothing is left to do.`,
    },
    chat: "The time for this is over.",
    embed: "The time for an answer is over.",
  }),
};
