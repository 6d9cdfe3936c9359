import { plural, t } from "../../../languages/text.ts";
import { inOneLine } from "../lists.ts";
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
            ? plural(left, "Approve all {n}", "Approve all {n}")
            : plural(left, "Approve the last one", "Approve the other {n}")}
          {singleKeys && <kbd aria-hidden="true">{t("Shift")} A</kbd>}
        </button>
      )}
      <button type="button" className="primary" disabled={isLocked || left > 0} onClick={send}>
        {plural(decided.length, "Send {n} decision", "Send {n} decisions")}
      </button>
    </div>
  );
}

function summaryOf(decided: readonly (Decision | null)[]): string {
  const made = decided.filter((one) => one !== null);
  const total = { done: made.length, all: decided.length };
  if (made.length === 0) return t("{done} of {all} decided", total);
  const counts = (["approve", "edit", "reject", "respond"] as const).flatMap((decision) => {
    const count = made.filter((one) => one === decision).length;
    return count === 0 ? [] : [DECISIONS[decision].count(count)];
  });
  return t("{done} of {all} decided: {counts}", { ...total, counts: inOneLine(counts) });
}
