import { Modal } from "@mantine/core";

const SHORTCUTS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["J", "K"], "Next, previous task, or action of a task"],
  [["Enter", "O"], "Go into the task"],
  [["X"], "Select a row"],
  [["Shift", "J", "K"], "Select further rows"],
  [["Ctrl", "A"], "Select all rows, then all that match"],
  [["D"], "Decide the selected tasks together"],
  [["Esc", "U"], "Back to the list, clear the selection"],
  [["S"], "Skip to the next task"],
  [["1", "9"], "Choose an option"],
  [["R"], "Go to the answer"],
  [["A", "E", "R", "M"], "Approve, edit or reject an action, or respond"],
  [["Shift", "A"], "Approve all other actions of the task"],
  [["E"], "Edit the proposed text"],
  [["Ctrl", "Enter"], "Submit the answer"],
  [["C"], "Claim, release"],
  [["H"], "Snooze, wake up"],
  [["P"], "Pass on to someone else"],
  [["Z"], "Undo the last claim, release, skip, snooze or answer; don't send a batch"],
  [["Y"], "Copy the link"],
  [["[", "]"], "Previous, next tab"],
  [["F"], "Full width, or list and task"],
  [["/"], "Search"],
  [["Ctrl", "K"], "All commands, pages, people and tasks"],
  [["G"], "Then I, M, D, S: Inbox, Mine, Closed, Stats"],
  [["?"], "These shortcuts"],
];

/** Lists all keys with their actions. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Shortcuts" centered closeButtonProps={{ "aria-label": "Close" }}>
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
      <p className="muted">Inactive while typing. Turn off single-key shortcuts in Settings.</p>
    </Modal>
  );
}
