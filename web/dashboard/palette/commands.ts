import { t } from "../../../languages/text.ts";
import { isPreviewed } from "../inbox/reading.ts";
import { BY_MENU, possibleKeys } from "../ui/keyboard.ts";

/** What the keys of the pages do, by the names of their handlers. Those of deciding about an action come first. */
const ACTION_COMMANDS = [
  ["a", t("Approve the action"), ["A"]],
  ["e", t("Edit the arguments, then approve"), ["E"]],
  ["r", t("Reject the action"), ["R"]],
  ["m", t("Respond instead of deciding"), ["M"]],
] as const;

const COMMANDS: readonly (readonly [name: string, label: string, keys: readonly string[]])[] = [
  ["r", t("Go to the answer"), ["R"]],
  ["e", t("Edit the proposed text"), ["E"]],
  ["Mod+Enter", t("Submit the answer"), [t("Ctrl"), t("Enter")]],
  ["s", t("Skip to the next task"), ["S"]],
  ["c", t("Claim or release the task"), ["C"]],
  ["h", t("Snooze the task, or wake it up"), ["H"]],
  ["p", t("Pass on to someone else"), ["P"]],
  [BY_MENU.deadline, t("Change the deadline"), []],
  [BY_MENU.cancel, t("Cancel the task"), []],
  [BY_MENU.delete, t("Delete the task"), []],
  ["y", t("Copy the link to the task"), ["Y"]],
  [BY_MENU.raw, t("Show the task as JSON"), []],
  ["]", t("Next tab of the task"), ["]"]],
  ["[", t("Previous tab of the task"), ["["]],
  ["j", t("Next task"), ["J"]],
  ["k", t("Previous task"), ["K"]],
  ["u", t("Back to the list"), [t("Esc")]],
  ["x", t("Select the row"), ["X"]],
  ["Mod+a", t("Select all rows"), [t("Ctrl"), "A"]],
  ["d", t("Decide the selected tasks together"), ["D"]],
  ["z", t("Undo the last claim, release, skip, snooze or answer"), ["Z"]],
  ["f", t("Full width, or list and task beside each other"), ["F"]],
  ["/", t("Search the list"), ["/"]],
  ["?", t("Show the shortcuts"), ["?"]],
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
