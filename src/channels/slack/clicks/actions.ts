/** What the buttons of a message are called, and which of them was clicked. */

export const ACTION = {
  /** Opens the modal. */
  answer: "answer:open",
  /** Asks for a link to the page that this person, and nobody else, can answer on. */
  link: "answer:browser",
  claim: "claim",
  /** Of an operator, where somebody else has claimed the task. */
  takeOver: "claim:over",
  /** A link: Slack tells of its click as well, and nothing is to be done about it. */
  browser: "open",
} as const;

/** Of the button that gives the decision's option `index` as the answer. */
export function chooseAction(index: number): string {
  return `answer:choose:${index}`;
}

/** What a button of a message asks the service to do. */
export type Pressable =
  | { readonly act: "choose"; readonly index: number }
  | { readonly act: "answer" | "link" | "claim" | "takeOver" };

export type Click =
  | Pressable
  /** The browser opens a link by itself. */
  | { readonly act: "browser" }
  /** An input of the modal that decides what else is asked. */
  | { readonly act: "input" };

/** @returns null where it is no action of ours */
export function parseAction(action_id: string): Click | null {
  const index = /^answer:choose:(\d)$/.exec(action_id)?.[1];
  if (index !== undefined) return { act: "choose", index: Number(index) };
  if (action_id.startsWith(INPUT)) return { act: "input" };
  const act = (["answer", "link", "claim", "takeOver", "browser"] as const).find(
    (known) => ACTION[known] === action_id,
  );
  return act === undefined ? null : { act };
}

const INPUT = "input:";

/** Of an input, by the question that it asks: other options are another input, which Slack then shows anew. */
export function inputAction(question: string): string {
  return `${INPUT}${question}`;
}
