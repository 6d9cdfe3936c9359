import { useEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { flushSync } from "react-dom";
import { t } from "../../../languages/text.ts";
import { oneLine } from "../../../form/plain-text.ts";
import { checkPlan } from "../../../form/plan/check.ts";
import type { FieldError } from "../../../form/plan/check.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { nodesOf } from "../../../form/plan/nodes.ts";
import type { FormNode } from "../../../form/plan/nodes.ts";
import { keepUntouched } from "../../../form/plan/edits.ts";
import { readForm, valueAt } from "../../../form/plan/plan.ts";
import { isSame } from "../../../form/plan/same.ts";
import type { TaskFormProps } from "../../../form/plan/task-form.ts";
import { ErrorPanel } from "../../form/answer-form.tsx";
import type { AnswerFormProps } from "../../form/answer-form.tsx";
import { BACK } from "../../form/focus.ts";
import { useTextRules } from "../../form/text-rules.ts";
import { useAnswer } from "../../form/use-answer.ts";
import { isBesideList, isPreviewed } from "../inbox/reading.ts";
import { PASS, useKeys } from "../ui/keyboard.ts";
import { allowedIn, chosen, isHighRisk } from "./asked.ts";
import type { AskedAction, Decision } from "./asked.ts";
import { ActionCards } from "./card.tsx";
import { DecisionBar } from "./decision-bar.tsx";
import { DecisionPanel, wordFor } from "./panel.tsx";
import { SendBar } from "./send-bar.tsx";
import { useActionStyles } from "./styles.ts";

type ActionFormProps = TaskFormProps &
  Pick<AnswerFormProps, "onEdit" | "onAnswer"> & {
    asked: readonly AskedAction[];
    /** Whether the task asks about a list, which may be decided one by one. */
    isList: boolean;
    /** What this person has decided already, where several people approve and the task is still open. */
    held: Decision | null;
  };

/** The decision that a person is about to make, with its message or its changed arguments. */
interface Opened {
  readonly index: number;
  readonly decision: Decision;
  /** What the person wants to approve after it. */
  readonly rest: readonly number[];
}

/** The form of a task about actions, in place of the form that its schema describes. It makes the same entries. */
export function ActionForm({ asked, isList, held, ...props }: ActionFormProps) {
  useActionStyles();
  const { response_schema, form_definition, payload } = props.task;
  const { channel, time_zone, now } = props;
  const texts = useTextRules(response_schema);
  const form = useMemo(
    () => readForm({ response_schema, form_definition, payload, channel, time_zone, now: new Date(now), texts }),
    [response_schema, form_definition, payload, channel, time_zone, now, texts],
  );
  const [posted] = useState(
    () => props.posted && { ...props.posted, entries: unconfirmed(asked, props.posted.entries) },
  );
  const answer = useAnswer({
    form,
    action: props.action,
    ...(posted && { posted }),
    onEdit: props.onEdit,
    onAnswer: (value) => props.onAnswer!(keepUntouched(form, value, form.hints.prefill)),
  });
  const { plan, entries, drawing, errors, outcome } = answer;
  const element = useRef<HTMLFormElement>(null);
  const nodes = useMemo(() => new Map([...nodesOf(plan.root)].map((node) => [node.name, node])), [plan]);
  const [opened, setOpened] = useState<Opened | null>(() => openedIn(asked, isList, posted?.entries));
  const [typed, setTyped] = useState("");
  const [current, setCurrent] = useState(0);
  /** Problems of the decision that a person tried to finish. */
  const [found, setFound] = useState<readonly FieldError[]>([]);

  /** The answer so far, as it would be sent. */
  const whole = useMemo(() => keepUntouched(form, plan.value, form.hints.prefill), [form, plan]);
  const isDone = (i: number): boolean => isList && entries[`${asked[i]!.at}~done`]?.[0] === "1" && opened?.index !== i;
  const decided = asked.map((one, i) => (isDone(i) ? decisionOf(one, nodes) : null));
  const isAllDecided = decided.every((one) => one !== null);
  const canUse = (): boolean =>
    !drawing.locked &&
    // A key that is pressed by accident decides nothing about a task that opened by itself.
    !isPreviewed() &&
    element.current?.matches("fieldset:disabled *") === false &&
    // It is hidden while another tab is shown.
    element.current.checkVisibility();

  /** @param rest - what to approve after it */
  const open = (index: number, decision: Decision, rest: readonly number[] = [], known = entries): void => {
    answer.enter({ ...withDecision(known, asked[index]!, decision, false), ...confirmEntry(asked[index]!, false) });
    setOpened({ index, decision, rest });
    setTyped("");
    setFound([]);
    setCurrent(index);
  };
  const close = (): void => {
    if (opened === null) return;
    // The other entries stay for when the person comes back to them.
    answer.enter({ ...entries, [`${asked[opened.index]!.at}/decision`]: [] });
    setOpened(null);
    setFound([]);
    focusAction(opened.index);
  };
  /** Whether the next submission is one that a person asked for here. */
  const isAsked = useRef(false);
  const send = (): void => {
    isAsked.current = true;
    element.current?.requestSubmit();
    isAsked.current = false;
  };
  const finish = (index: number, decision: Decision): void => {
    const next = withDecision(entries, asked[index]!, decision, isList);
    if (!isList) {
      flushSync(() => answer.enter(next));
      return send();
    }
    const [slow, ...rest] = opened?.rest ?? [];
    if (slow !== undefined) return open(slow, "approve", rest, next);
    answer.enter(next);
    setOpened(null);
    const left = asked.map((_, i) => i).filter((i) => i !== index && !isDone(i));
    focusAction(left.find((i) => i > index) ?? left[0] ?? index);
  };
  const decide = (index: number, decision: Decision): void => {
    if (!canUse() || !asked[index]!.action.allowed.includes(decision)) return;
    if (needsPanel(asked[index]!, decision)) open(index, decision);
    else finish(index, decision);
  };
  const approveAll = (): void => {
    if (!canUse()) return;
    const left = asked.flatMap(({ action }, i) => (!isDone(i) && action.allowed.includes("approve") ? [i] : []));
    const [slow, ...rest] = left.filter((i) => needsPanel(asked[i]!, "approve"));
    const atOnce = left.filter((i) => !needsPanel(asked[i]!, "approve"));
    const next = atOnce.reduce((known, i) => withDecision(known, asked[i]!, "approve", true), entries);
    if (slow !== undefined) return open(slow, "approve", rest, next);
    answer.enter(next);
    setOpened(null);
  };

  const isReady = (): boolean => {
    if (opened === null) return false;
    const { action, at } = asked[opened.index]!;
    if (isHighRisk(action) && isApproval(opened.decision) && !isTyped(typed, action.name)) return false;
    return opened.decision !== "edit" || !isSame(valueAt(whole, `${at}/args`), action.args);
  };
  /** Finishes the open decision, unless something of it is missing. */
  const finishOpened = (): void => {
    if (opened === null || !isReady()) return;
    const { at } = asked[opened.index]!;
    const wrong = isList ? checkPlan(form, plan).filter(({ name }) => name === at || name.startsWith(`${at}/`)) : [];
    setFound(wrong);
    if (wrong.length === 0) finish(opened.index, opened.decision);
    else requestAnimationFrame(() => element.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
  };

  // While the focus is in the list, they move through the list.
  const step = (by: number) => () =>
    isBesideList() ? focusAction(Math.min(Math.max(current + by, 0), asked.length - 1)) : PASS;
  useKeys(
    {
      a: (event) => !event.repeat && decide(current, "approve"),
      A: (event) => {
        // With Caps Lock, it is the key A.
        if (isList && event.shiftKey) approveAll();
        else if (!event.repeat) decide(current, "approve");
      },
      e: () => decide(current, "edit"),
      r: () => decide(current, "reject"),
      m: () => decide(current, "respond"),
      j: isList ? step(1) : undefined,
      k: isList ? step(-1) : undefined,
      Escape: opened === null ? undefined : close,
    },
    true,
  );
  useEffect(() => {
    if (opened === null) return;
    const panel = element.current?.querySelector(`[data-action="${opened.index}"] .action-open`);
    panel?.querySelector<HTMLElement>(FIRST_CONTROL)?.focus();
  }, [opened, element]);
  // The service found something that this page did not.
  const [wrongAt, setWrongAt] = useState(errors);
  if (wrongAt !== errors) {
    setWrongAt(errors);
    const index = asked.findIndex(({ at }) => errors.some(({ name }) => name.startsWith(`${at}/`)));
    const decision = index === -1 ? null : decisionOf(asked[index]!, nodes);
    if (opened === null && decision !== null) setOpened({ index, decision, rest: [] });
  }

  const shown = found.length === 0 ? drawing : { ...drawing, errors: withErrors(drawing.errors, found) };
  const panelOf = (i: number): ReactNode => {
    const one = asked[i]!;
    if (opened?.index !== i)
      return (
        <DecisionBar
          action={one.action}
          decided={isList ? (decided[i] ?? null) : held}
          isLocked={drawing.locked}
          decide={(decision) => decide(i, decision)}
        />
      );
    return (
      <DecisionPanel
        action={one.action}
        decision={opened.decision}
        args={nodes.get(`${one.at}/args`)}
        message={nodes.get(`${one.at}/message`)}
        drawing={shown}
        typed={typed}
        onType={(text) => {
          setTyped(text);
          answer.enter({ ...entries, ...confirmEntry(one, isTyped(text, one.action.name)) });
        }}
        isReady={isReady()}
        finish={finishOpened}
        close={close}
      />
    );
  };
  const back = outcome?.kind === "sent back" ? outcome : props.sent_back;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- shortcuts that work from every field
    <form
      ref={element}
      className="answer actions"
      noValidate
      onSubmit={(event) => {
        const isComplete = isList ? opened === null && isAllDecided && canUse() : isReady();
        if (isAsked.current || isComplete) return answer.submit(event);
        event.preventDefault();
        if (isList) finishOpened();
      }}
      onFocus={({ target }) => {
        const index = target.closest<HTMLElement>("[data-action]")?.dataset["action"];
        if (index !== undefined) setCurrent(Number(index));
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && opened !== null && !event.defaultPrevented) {
          event.preventDefault();
          close();
        } else withoutEnter(event);
      }}
    >
      {back && (
        <div className="panel warn" id={BACK} tabIndex={-1} role="alert">
          <div>
            <p className="panel-title">
              {t("Sent back. Change your answer and resubmit (attempt {attempt}).", { attempt: back.attempt })}
            </p>
            <p dir="auto">{back.reason}</p>
          </div>
        </div>
      )}
      {/* JSON would be a way around the typed name. */}
      <ErrorPanel
        answer={{ ...answer, errors: errors.map(({ name, title, message }) => ({ name, title, message })) }}
        notice={null}
      />
      <ActionCards
        asked={asked}
        redact={props.task.redact_payload}
        inHand={(i) => ({
          opened: opened?.index === i ? opened.decision : null,
          decided: decided[i] ?? null,
          edited: valueAt(whole, `${asked[i]!.at}/args`),
          message: nodes.get(`${asked[i]!.at}/message`),
          children: panelOf(i),
        })}
      />
      {isList && <SendBar decided={decided} isLocked={drawing.locked} approveAll={approveAll} send={send} />}
      <output className="status">
        {answer.state &&
          (answer.state === "accepted"
            ? t("Answer sent.")
            : props.task.is_verified
              ? t("Checking your answer, usually 5 to 30 seconds")
              : t("Sending your answer"))}
      </output>
    </form>
  );
}

/** The first control that a person fills in. Fields that cannot be changed come before it in some forms. */
const FIRST_CONTROL = "input:not([type='hidden'], :read-only, :disabled), textarea:not(:read-only), select";

/** Focuses the card of an action after it is drawn. */
function focusAction(index: number): void {
  requestAnimationFrame(() => {
    const card = document.querySelector<HTMLElement>(`[data-action="${index}"]`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  });
}

/** Enter alone approves nothing. */
function withoutEnter(event: KeyboardEvent<HTMLFormElement>): void {
  const isPlain = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
  if (isPlain && event.target instanceof HTMLInputElement) event.preventDefault();
  if (event.key !== "Enter" || isPlain) return;
  event.preventDefault();
  // A key that is held down confirms nothing.
  if (!event.repeat) event.currentTarget.requestSubmit();
}

/** Returns entries with a decision, finished or not. */
function withDecision(entries: Entries, { action, at }: AskedAction, decision: Decision, isDone: boolean): Entries {
  return { ...entries, ...Object.fromEntries([chosen(action, at, decision)]), ...doneEntry(at, isDone) };
}

/** Returns the entry that says whether a person has finished a decision of a list. No field has such a name. */
function doneEntry(at: string, isDone: boolean): Entries {
  return { [`${at}~done`]: [isDone ? "1" : "0"] };
}

function isApproval(decision: Decision): boolean {
  return decision === "approve" || decision === "edit";
}

function needsPanel({ action }: AskedAction, decision: Decision): boolean {
  return decision !== "approve" || isHighRisk(action) || action.message_required.includes("approve");
}

/** People may type it without looking at its case. */
function isTyped(typed: string, name: string): boolean {
  return typed.trim().toLowerCase() === wordFor(name).toLowerCase();
}

function decisionOf({ action, at }: AskedAction, nodes: ReadonlyMap<string, FormNode>): Decision | null {
  const value = nodes.get(`${at}/decision`)?.value;
  return allowedIn(action).find((one) => one === value) ?? null;
}

/** Returns the entry of the field in which the form asks for the name of an action with a high risk. */
function confirmEntry({ action, at }: AskedAction, isTypedNow: boolean): Entries {
  if (!isHighRisk(action)) return {};
  return { [`${at}/confirm`]: isTypedNow ? [oneLine(action.name) || "approve"] : [] };
}

/** Returns earlier entries in which approvals of a high risk count as not yet confirmed. */
function unconfirmed(asked: readonly AskedAction[], entries: Entries): Entries {
  const again = asked.filter(({ action, at }) => isHighRisk(action) && !isDenial(action, at, entries));
  return { ...entries, ...Object.assign({}, ...again.map(({ at }) => doneEntry(at, false))) };
}

function isDenial({ allowed }: AskedAction["action"], at: string, entries: Entries): boolean {
  const decision = allowedIn({ allowed })[Number(entries[`${at}/decision`]?.[0] ?? Number.NaN)];
  return decision === "reject" || decision === "respond";
}

/** Returns the decision that earlier entries of a person were about, unless there is nothing to enter for it. */
function openedIn(asked: readonly AskedAction[], isList: boolean, entries: Entries | undefined): Opened | null {
  const first = asked[0]!;
  const entry = entries?.[`${first.at}/decision`]?.[0];
  if (isList || entry === undefined) return null;
  const decision = allowedIn(first.action)[Number(entry)];
  return decision === undefined || decision === "approve" ? null : { index: 0, decision, rest: [] };
}

function withErrors(known: ReadonlyMap<string, string>, found: readonly FieldError[]): ReadonlyMap<string, string> {
  return new Map([...known, ...found.map(({ name, message }) => [name, message] as const)]);
}
