import { isPreviewed } from "../inbox/reading.ts";
import { BY_MENU, possibleKeys } from "../ui/keyboard.ts";

/** What the keys of the pages do, by the names of their handlers. Those of deciding about an action come first. */
const ACTION_COMMANDS = [
  ["a", "Approve the action", ["A"]],
  ["e", "Edit the arguments, then approve", ["E"]],
  ["r", "Reject the action", ["R"]],
  ["m", "Respond instead of deciding", ["M"]],
] as const;

const COMMANDS: readonly (readonly [name: string, label: string, keys: readonly string[]])[] = [
  ["r", "Go to the answer", ["R"]],
  ["e", "Edit the proposed text", ["E"]],
  ["Mod+Enter", "Submit the answer", ["Ctrl", "Enter"]],
  ["s", "Skip to the next task", ["S"]],
  ["c", "Claim or release the task", ["C"]],
  ["h", "Snooze the task, or wake it up", ["H"]],
  ["p", "Pass on to someone else", ["P"]],
  [BY_MENU.deadline, "Change the deadline", []],
  [BY_MENU.cancel, "Cancel the task", []],
  [BY_MENU.delete, "Delete the task", []],
  ["y", "Copy the link to the task", ["Y"]],
  [BY_MENU.raw, "Show the task as JSON", []],
  ["]", "Next tab of the task", ["]"]],
  ["[", "Previous tab of the task", ["["]],
  ["j", "Next task", ["J"]],
  ["k", "Previous task", ["K"]],
  ["u", "Back to the list", ["Esc"]],
  ["x", "Select the row", ["X"]],
  ["Mod+a", "Select all rows", ["Ctrl", "A"]],
  ["d", "Decide the selected tasks together", ["D"]],
  ["z", "Undo the last claim, release, skip, snooze or answer", ["Z"]],
  ["f", "Full width, or list and task beside each other", ["F"]],
  ["/", "Search the list", ["/"]],
  ["?", "Show the shortcuts", ["?"]],
];

export interface Command {
  readonly name: string;
  readonly label: string;
  /** The keys that do the same. */
  readonly keys: readonly string[];
  readonly run: () => void;
}

/** Returns what can be done on the page at the moment. */
export function possibleCommands(): Command[] {
  const possible = possibleKeys();
  const isAction = possible.has("m") && !isPreviewed();
  const known = isAction
    ? [...ACTION_COMMANDS, ...COMMANDS.filter(([name]) => name !== "r" && name !== "e")]
    : COMMANDS;
  return known.flatMap(([name, label, keys]) => {
    const run = possible.get(name);
    return run === undefined ? [] : [{ name, label, keys, run }];
  });
}
