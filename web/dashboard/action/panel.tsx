import { useId } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { FormNode } from "../../../form/plan/nodes.ts";
import type { Drawing } from "../../form/drawing.ts";
import { FieldOf } from "../../form/fields.tsx";
import { IconAlertTriangle } from "../ui/icons.tsx";
import { isHighRisk } from "./asked.ts";
import type { Action, Decision } from "./asked.ts";
import { EditArguments } from "./edit.tsx";
import { DECISIONS } from "./words.ts";

/** The longest name that people are asked to type, in characters. */
const MAX_TYPED = 60;

interface DecisionPanelProps {
  action: Action;
  decision: Decision;
  args: FormNode | undefined;
  message: FormNode | undefined;
  drawing: Drawing;
  /** What was typed to confirm a high risk. */
  typed: string;
  onType: (typed: string) => void;
  isReady: boolean;
  finish: () => void;
  close: () => void;
}

/** What a decision needs: changed arguments, a message, or the typed name of an action with a high risk. */
export function DecisionPanel(props: DecisionPanelProps) {
  const { action, decision, args, message, drawing, isReady, finish, close } = props;
  const { finish: label, hint } = DECISIONS[decision];
  const isApproval = decision === "approve" || decision === "edit";
  const needsName = isApproval && isHighRisk(action);
  return (
    <section className={`action-open ${decision}`} aria-label={`${DECISIONS[decision].label} ${action.name}`}>
      {decision === "edit" && args !== undefined && <EditArguments action={action} node={args} drawing={drawing} />}
      {message !== undefined && (
        <FieldOf node={message.kind === "text" ? { ...message, look: "area" } : message} drawing={drawing} />
      )}
      {needsName && <TypedName {...props} />}
      <div className="action-bar">
        <button
          type="button"
          className={decision === "reject" || needsName ? "action-button danger" : "primary"}
          disabled={drawing.locked || !isReady}
          onClick={finish}
        >
          {label}
        </button>
        <button type="button" className="action-button" disabled={drawing.locked} onClick={close}>
          {t("Back")} <kbd aria-hidden="true">{t("Esc")}</kbd>
        </button>
        <Hint hint={hint} decision={decision} needsName={needsName} isReady={isReady} />
      </div>
    </section>
  );
}

interface HintProps {
  hint: string;
  decision: Decision;
  needsName: boolean;
  isReady: boolean;
}

function Hint({ hint, decision, needsName, isReady }: HintProps) {
  if (isReady)
    return (
      <span className="keys" aria-hidden="true">
        <span>
          <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : t("Ctrl")}</kbd> <kbd>{t("Enter")}</kbd> {hint}
        </span>
      </span>
    );
  return (
    <span className="muted">
      {decision === "edit" && !needsName ? t("Change something, or go back to approve it as it is.") : ""}
    </span>
  );
}

/** Approving a high risk takes typing, which nobody does by accident. */
function TypedName({ action, typed, onType, drawing }: DecisionPanelProps) {
  const id = useId();
  return (
    <div className="action-risk">
      <IconAlertTriangle size={20} stroke={1.75} aria-hidden />
      <label htmlFor={id}>
        {rich("This action has a {risk}. To approve it, type {word}", {
          risk: <strong>{t("high risk")}</strong>,
          word: <code>{wordFor(action.name)}</code>,
        })}
      </label>
      <input
        id={id}
        type="text"
        value={typed}
        disabled={drawing.locked}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onType(event.currentTarget.value)}
      />
    </div>
  );
}

/** Returns the word that confirms a high risk: the action's name, unless it is long or has characters that keyboards lack. */
export function wordFor(name: string): string {
  return name.length <= MAX_TYPED && /^[!-~]+(?: [!-~]+)*$/.test(name) ? name : "approve";
}
