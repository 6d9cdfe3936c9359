import { usePreferences } from "../ui/preferences.ts";
import { allowedIn, isHighRisk } from "./asked.ts";
import type { Action, Decision } from "./asked.ts";
import { DECISIONS } from "./words.ts";

interface DecisionBarProps {
  action: Action;
  /** What the person has decided so far. */
  decided: Decision | null;
  isLocked: boolean;
  decide: (decision: Decision) => void;
}

/** A button for each decision that is allowed. */
export function DecisionBar({ action, decided, isLocked, decide }: DecisionBarProps) {
  const { singleKeys } = usePreferences();
  return (
    <div className="action-bar">
      {allowedIn(action).map((decision) => {
        const { label, key } = DECISIONS[decision];
        // An approval of a high risk is never the button that stands out.
        const isLoud = decision === "approve" && !isHighRisk(action) && decided === null;
        return (
          <button
            key={decision}
            type="button"
            className={isLoud ? "primary" : `action-button ${decision}`}
            disabled={isLocked}
            aria-pressed={decided === null ? undefined : decided === decision}
            {...(singleKeys && { "aria-keyshortcuts": key })}
            onClick={() => decide(decision)}
          >
            {label}
            {singleKeys && <kbd aria-hidden="true">{key}</kbd>}
          </button>
        );
      })}
    </div>
  );
}
