import { usePreferences } from "../ui/preferences.ts";
import type { Decision } from "./asked.ts";
import { DECISIONS } from "./words.ts";

interface SendBarProps {
  /** For each action, what the person has decided. */
  decided: readonly (Decision | null)[];
  isLocked: boolean;
  approveAll: () => void;
  send: () => void;
}

/** What was decided so far, and the button that sends it. */
export function SendBar({ decided, isLocked, approveAll, send }: SendBarProps) {
  const { singleKeys } = usePreferences();
  const left = decided.filter((one) => one === null).length;
  return (
    <div className="action-send">
      <output className="action-summary">{summaryOf(decided)}</output>
      {left > 0 && (
        <button type="button" className="action-button" disabled={isLocked} onClick={approveAll}>
          {left === decided.length
            ? `Approve all ${left}`
            : left === 1
              ? "Approve the last one"
              : `Approve the other ${left}`}
          {singleKeys && <kbd aria-hidden="true">Shift A</kbd>}
        </button>
      )}
      <button type="button" className="primary" disabled={isLocked || left > 0} onClick={send}>
        Send {decided.length} decisions
      </button>
    </div>
  );
}

function summaryOf(decided: readonly (Decision | null)[]): string {
  const made = decided.filter((one) => one !== null);
  if (made.length === 0) return `0 of ${decided.length} decided`;
  const counts = (["approve", "edit", "reject", "respond"] as const).flatMap((decision) => {
    const count = made.filter((one) => one === decision).length;
    return count === 0 ? [] : [`${count} ${DECISIONS[decision].done.toLowerCase()}`];
  });
  return `${made.length} of ${decided.length} decided: ${counts.join(", ")}`;
}
