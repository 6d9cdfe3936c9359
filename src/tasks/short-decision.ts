export const TONES = ["ok", "bad"] as const;
export type Tone = (typeof TONES)[number];

/** What was decided about a task, in short. (decision-in-answer.ts) */
export interface ShortDecision {
  /** Of the option that was chosen, in one line. */
  label: string;
  /** How the form colours it; null: it does not judge. */
  tone: Tone | null;
}

/** The columns of a task that keep it. */
interface DecisionColumns {
  decision: string | null;
  decision_tone: string | null;
}

/** @param answer.edited - whether it changed what was proposed; null: nothing was */
export function toDecisionColumns(answer: {
  decision?: ShortDecision | null;
  edited?: boolean | null;
}): DecisionColumns & { edited: number | null } {
  const { decision, edited = null } = answer;
  return {
    decision: decision?.label ?? null,
    decision_tone: decision?.tone ?? null,
    edited: edited === null ? null : Number(edited),
  };
}

/** Returns what was decided about a task; null if it is open, has ended otherwise, or has no decision. */
export function storedDecision({ decision, decision_tone }: DecisionColumns): ShortDecision | null {
  return decision === null ? null : { label: decision, tone: decision_tone as Tone | null };
}
