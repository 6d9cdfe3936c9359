import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { isRaw } from "../../../form/plan/hints.ts";
import type { AskedAction, Decision } from "./asked.ts";
import { useActionStyles } from "./styles.ts";
import { ChangedArguments } from "./values.tsx";
import { DECISIONS } from "./words.ts";

interface DecidedProps {
  asked: readonly AskedAction[];
  isList: boolean;
  /** A stored answer. */
  answer: unknown;
  /** Who gave it; null if that is unknown or shown elsewhere. */
  who: string | null;
}

/** The decisions of a closed task, in words. */
export function Decided({ asked, isList, answer, who }: DecidedProps) {
  useActionStyles();
  const given = isRaw(answer) ? (isList ? answer["decisions"] : [answer]) : [];
  const all = Array.isArray(given) ? (given as unknown[]) : [];
  return (
    <div className="stack">
      {asked.map((one, i) => (
        <OneDecided key={one.at} asked={one} given={all[i]} name={isList ? one.action.name : null} who={who} />
      ))}
    </div>
  );
}

interface OneDecidedProps {
  asked: AskedAction;
  given: unknown;
  /** Shown if there are several. */
  name: string | null;
  who: string | null;
}

function OneDecided({ asked: { action }, given, name, who }: OneDecidedProps) {
  if (!isRaw(given)) return null;
  const { decision, args, message } = given as { decision: Decision; args?: unknown; message?: unknown };
  const words = DECISIONS[decision];
  return (
    <div className="action-result">
      {name !== null && <h3 dir="auto">{name}</h3>}
      <p>
        <strong className={`chip ${words.tone}`}>{words.done}</strong>
        {who !== null && <> {who === t("You") ? t("by you") : rich("by {person}", { person: <bdi>{who}</bdi> })}</>}
      </p>
      {decision === "edit" && <ChangedArguments action={action} args={args} />}
      {typeof message === "string" && (
        <blockquote className="action-message" dir="auto">
          {message}
        </blockquote>
      )}
    </div>
  );
}
