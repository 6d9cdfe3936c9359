import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import type { FormNode } from "../../../form/plan/nodes.ts";
import { PayloadOf } from "../task/payload.tsx";
import { isHighRisk } from "./asked.ts";
import type { AskedAction, Decision } from "./asked.ts";
import { RiskChip } from "./line.tsx";
import { ChangedArguments } from "./values.tsx";
import { DECISIONS } from "./words.ts";

/** What a person makes of an action. */
interface InHand {
  /** The decision that the person is about to make. */
  opened: Decision | null;
  decided: Decision | null;
  /** The arguments as the person has changed them; undefined unless they may be. */
  edited: unknown;
  message: FormNode | undefined;
  /** What the person can do with it. */
  children: ReactNode;
}

const UNTOUCHED: InHand = { opened: null, decided: null, edited: undefined, message: undefined, children: null };

const untouched = (): InHand => UNTOUCHED;

interface ActionCardsProps {
  asked: readonly AskedAction[];
  redact: boolean;
  /** Returns what the person makes of an action; left out if they cannot decide. */
  inHand?: (index: number) => InHand;
}

/** The actions of a task. */
export function ActionCards({ asked, redact, inHand = untouched }: ActionCardsProps) {
  return asked.map((one, i) => (
    <ActionCard key={one.at} asked={one} index={i} count={asked.length} redact={redact} {...inHand(i)} />
  ));
}

interface ActionCardProps extends InHand {
  asked: AskedAction;
  index: number;
  /** How many actions the task asks about. */
  count: number;
  redact: boolean;
}

/** An action with its arguments. The header of the page has the name of a single one. */
function ActionCard(props: ActionCardProps) {
  const { asked, index, count, redact, opened, decided, edited, message, children } = props;
  const { action, before } = asked;
  return (
    <section
      className={decided === null ? "action-card" : "action-card decided"}
      data-action={index}
      tabIndex={-1}
      aria-label={
        count > 1
          ? t("Action {place} of {count}: {name}", { place: index + 1, count, name: action.name })
          : t("Action {name}", { name: action.name })
      }
    >
      {count > 1 && (
        <header>
          <h3 dir="auto">
            <span className="muted">{index + 1}.</span> {action.name}
          </h3>
          {isHighRisk(action) && <RiskChip />}
          <span className="grow" />
          {decided !== null && <span className={`chip ${DECISIONS[decided].tone}`}>{DECISIONS[decided].done}</span>}
        </header>
      )}
      {count > 1 && action.description !== null && (
        <p className="muted" dir="auto">
          {action.description}
        </p>
      )}
      {opened !== "edit" &&
        (decided === "edit" ? (
          <ChangedArguments action={action} args={edited} />
        ) : (
          <>
            {/* It leaves out what is the same, and people approve all of it. */}
            {before !== null && !redact && <ChangedArguments action={before} args={action.args} />}
            <PayloadOf payload={action.args} schema={action.args_schema} hints={action.ui_schema} redact={redact} />
          </>
        ))}
      {decided !== null && typeof message?.value === "string" && (
        <blockquote className="action-message" dir="auto">
          {message.value}
        </blockquote>
      )}
      {children}
    </section>
  );
}
