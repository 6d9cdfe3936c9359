import { useEffect, useMemo, useState } from "react";
import type { SubmitEvent } from "react";
import { checkPlan, errorAt, explain } from "../../form/plan/check.ts";
import type { FieldError } from "../../form/plan/check.ts";
import { applyPress } from "../../form/plan/entries.ts";
import type { Entries } from "../../form/plan/entries.ts";
import { sayProblem } from "../../form/plan/messages.ts";
import { nodesOf, questionOf } from "../../form/plan/nodes.ts";
import { entriesOf, planForm } from "../../form/plan/plan.ts";
import type { Plan } from "../../form/plan/plan.ts";
import type { AnswerFormProps, Outcome } from "./answer-form.tsx";
import type { Drawing } from "./drawing.ts";
import { afterPress, BACK, CONFIRM, focusOn, SUMMARY } from "./focus.ts";

/** The state of a form, from the first entry to the accepted answer. */
export interface AnswerInProgress {
  plan: Plan;
  entries: Entries;
  /** The errors to fix, after a person has tried to send the answer. */
  errors: readonly FieldError[];
  outcome: Outcome | null;
  /**
   * "": nothing is in progress. "leaving": the page posts the form by itself, and browsers do not post locked fields.
   */
  state: "" | "leaving" | "sending" | "accepted";
  /** The answer is ready, and a second press sends it. */
  confirming: boolean;
  stopConfirming: () => void;
  drawing: Drawing;
  /** Replaces all entries at once. */
  enter: (entries: Entries) => void;
  submit: (event: SubmitEvent<HTMLFormElement>) => void;
}

/** Returns the state of an answer from its first entry until it is accepted. */
export function useAnswer({ form, posted, focuses, onEdit, onAnswer }: AnswerFormProps): AnswerInProgress {
  const [entries, setEntries] = useState<Entries>(posted?.entries ?? {});
  // The errors of the service, which also checks what only it can check. They stay until a change.
  const [found, setFound] = useState(posted?.errors ?? []);
  const [tried, setTried] = useState(found.length > 0);
  const [confirming, setConfirming] = useState(posted?.notice === "confirm");
  const [state, setState] = useState<AnswerInProgress["state"]>("");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [focus, setFocus] = useState<readonly string[] | null>(null);

  const plan = useMemo(() => planForm(form, entries), [form, entries]);
  const errors = useMemo((): readonly FieldError[] => {
    if (!tried) return [];
    const own = checkPlan(form, plan);
    return [...own, ...found.filter((error) => own.every((known) => known.name !== error.name))];
  }, [form, plan, tried, found]);

  useEffect(() => {
    if (focus !== null) focusOn(focus);
  }, [focus]);

  const locked = state === "sending" || state === "accepted" || outcome?.kind === "closed";
  const change = (next: Entries): void => {
    setEntries(next);
    onEdit?.(next);
    setFound([]);
  };
  const keepSentBack = (): void => setOutcome((known) => (known?.kind === "sent back" ? known : null));

  /** Returns false if something must be fixed or confirmed first. */
  const isReady = (element: HTMLFormElement): boolean => {
    setTried(true);
    const half = halfDates(element, plan);
    if (half.length > 0) setFound(half);
    keepSentBack();
    const isWrong = half.length > 0 || checkPlan(form, plan).length > 0;
    if (!isWrong && (confirming || form.hints.submit.confirm === null)) return true;
    setConfirming(!isWrong);
    setFocus([isWrong ? SUMMARY : CONFIRM]);
    return false;
  };
  const send = async (answer: (value: unknown) => Promise<Outcome>): Promise<void> => {
    setState("sending");
    const result = await answer(plan.value).catch((): Outcome => ({ kind: "failed", message: "" }));
    setOutcome(result);
    setConfirming(false);
    if (result.kind === "refused") setFound(explain(plan, result.findings));
    if (result.kind === "accepted") return setState("accepted");
    setState("");
    setFocus([result.kind === "sent back" ? BACK : SUMMARY]);
  };

  return {
    plan,
    entries,
    errors,
    outcome,
    state,
    confirming,
    stopConfirming: () => setConfirming(false),
    enter: change,
    drawing: {
      errors: new Map(errors.map((error) => [error.name, error.message])),
      locked,
      takesFocus: (node) => node.name === focuses || (node.autofocus && focuses === true),
      now: form.now,
      set: (name, ...texts) => {
        const node = [...nodesOf(plan.root)].find((known) => known.name === name);
        change({ ...entries, [name]: texts, [`${name}~of`]: node ? [questionOf(node)] : [] });
        setConfirming(false);
        keepSentBack();
      },
      press: (press, rows = 0) => {
        change(applyPress({ ...entriesOf(plan), ...entries }, press, rows));
        setFocus(afterPress(press, rows));
      },
    },
    submit: (event) => {
      if (!locked && isReady(event.currentTarget)) {
        if (onAnswer === undefined) return setState("leaving");
        void send(onAnswer);
      }
      event.preventDefault();
    },
  };
}

/**
 * Returns errors for partly entered dates. A script gets no value for them, but they must not count as empty fields.
 */
function halfDates(element: HTMLFormElement, plan: Plan): FieldError[] {
  const controls = [...element.elements] as HTMLInputElement[];
  const half = new Set(controls.map((control) => control.validity?.badInput && control.name));
  const wrong = [...nodesOf(plan.root)].filter((node) => half.has(node.name));
  return wrong.map((node) => errorAt(node, sayProblem({ code: "not_a_date" })));
}
