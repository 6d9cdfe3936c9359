import { t } from "../../../languages/text.ts";
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
            ? t("Approve all {left}", { left })
            : left === 1
              ? t("Approve the last one")
              : t("Approve the other {left}", { left })}
          {singleKeys && <kbd aria-hidden="true">Shift A</kbd>}
        </button>
      )}
      <button type="button" className="primary" disabled={isLocked || left > 0} onClick={send}>
        {t("Send {n} decisions", { n: decided.length })}
      </button>
    </div>
  );
}

function summaryOf(decided: readonly (Decision | null)[]): string {
  const made = decided.filter((one) => one !== null);
  if (made.length === 0) return t("0 of {n} decided", { n: decided.length });
  const counts = (["approve", "edit", "reject", "respond"] as const).flatMap((decision) => {
    const count = made.filter((one) => one === decision).length;
    return count === 0 ? [] : [`${count} ${DECISIONS[decision].done.toLowerCase()}`];
  });
  return t("{n} of {n2} decided: {value}", { n: made.length, n2: decided.length, value: counts.join(", ") });
}
