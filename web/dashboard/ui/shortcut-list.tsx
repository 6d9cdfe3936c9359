import { t } from "../../../languages/text.ts";

const SHORTCUTS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["J", "K"], t("Next, previous task, or action of a task")],
  [[t("Enter"), "O"], t("Go into the task")],
  [["X"], t("Select a row")],
  [[t("Shift"), "J", "K"], t("Select further rows")],
  [[t("Ctrl"), "A"], t("Select all rows, then all that match")],
  [["D"], t("Decide the selected tasks together")],
  [[t("Esc"), "U"], t("Back to the list, clear the selection")],
  [["S"], t("Skip to the next task")],
  [["1", "9"], t("Choose an option")],
  [["R"], t("Go to the answer")],
  [["A", "E", "R", "M"], t("Approve, edit or reject an action, or respond")],
  [[t("Shift"), "A"], t("Approve all other actions of the task")],
  [["E"], t("Edit the proposed text")],
  [[t("Ctrl"), t("Enter")], t("Submit the answer")],
  [["C"], t("Claim, release")],
  [["H"], t("Snooze, wake up")],
  [["P"], t("Pass on to someone else")],
  [["Z"], t("Undo the last claim, release, skip, snooze or answer; don't send a batch")],
  [["Y"], t("Copy the link")],
  [["[", "]"], t("Previous, next tab")],
  [["F"], t("Full width, or list and task")],
  [["/"], t("Search")],
  [[t("Ctrl"), "K"], t("All commands, pages, people and tasks")],
  [["G"], t("Then I, M, D, S: Inbox, Mine, Closed, Stats")],
  [["?"], t("These shortcuts")],
];

/** All keys with their actions. */
export function ShortcutList() {
  return (
    <dl className="shortcuts">
      {SHORTCUTS.map(([keys, does]) => (
        <div key={does}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
