/** Ids of the buttons of a message, and their parser. */

export const ACTION = {
  /** Opens the modal. */
  answer: "answer:open",
  /** Asks for a personal link to the task's page. */
  link: "answer:browser",
  claim: "claim",
  /** For operators, when another person has claimed the task. */
  takeOver: "claim:over",
  /** Takes back what the person decided, where several people must approve. */
  takeBack: "take-back",
  /** A link. Slack reports its click too; it is ignored. */
  browser: "open",
} as const;

/** Returns the action of the button for option `index` of the decision. */
export function chooseAction(index: number): string {
  return `answer:choose:${index}`;
}

/** Returns the action of the button that opens the modal with option `index` chosen. */
export function openWith(index: number): string {
  return `${ACTION.answer}:${index}`;
}

/** Placeholder for the round of a task that one person decides. */
const NO_ROUND = "-";

/** Returns the value of a button: its task, and the round of approvals and the version that its message shows. */
export function valueOf({ id, round, version = 1 }: { id: string; round?: number; version?: number }): string {
  if (version > 1) return `${id} ${round ?? NO_ROUND} ${version}`;
  return round === undefined ? id : `${id} ${round}`;
}

/** Reads the value of a button. @returns a round of null if it has none */
export function parseValue(value: string): { task_id: string; round: number | null; version: number } {
  const [task_id = "", round = NO_ROUND, version = "1"] = value.split(" ");
  return { task_id, round: round === NO_ROUND ? null : Number(round), version: Number(version) };
}

/** The action behind a button of a message. */
export type Pressable =
  | { readonly act: "choose"; readonly index: number }
  /** The index of the chosen option; null if none is. */
  | { readonly act: "answer"; readonly index: number | null }
  | { readonly act: "link" | "claim" | "takeOver" | "takeBack" };

export type Click =
  | Pressable
  /** A link, which the browser opens. */
  | { readonly act: "browser" }
  /** An input of the modal that other questions depend on. */
  | { readonly act: "input" };

/** @returns null for an unknown action */
export function parseAction(action_id: string): Click | null {
  const [, kind, index] = /^answer:(choose|open):(\d)$/.exec(action_id) ?? [];
  if (kind !== undefined) return { act: kind === "choose" ? "choose" : "answer", index: Number(index) };
  if (action_id === ACTION.answer) return { act: "answer", index: null };
  if (action_id.startsWith(INPUT)) return { act: "input" };
  const act = (["link", "claim", "takeOver", "takeBack", "browser"] as const).find(
    (known) => ACTION[known] === action_id,
  );
  return act === undefined ? null : { act };
}

const INPUT = "input:";

/** Returns the action of an input. It contains the question, so that Slack redraws the input when its options change. */
export function inputAction(question: string): string {
  return `${INPUT}${question}`;
}
