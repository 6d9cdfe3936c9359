import { useEffect, useMemo, useState } from "react";
import { checkPlan, errorAt, explain } from "../../form/plan/check.ts";
import type { FieldError, Finding } from "../../form/plan/check.ts";
import { applyPress } from "../../form/plan/entries.ts";
import type { Entries, Press } from "../../form/plan/entries.ts";
import { ENGLISH } from "../../form/plan/messages.ts";
import { nodesOf, questionOf } from "../../form/plan/nodes.ts";
import { entriesOf, planForm } from "../../form/plan/plan.ts";
import type { Form, Plan } from "../../form/plan/plan.ts";
import { CONFIRMED, SHOWN, shownIn } from "../../form/plan/post.ts";
import type { Notice } from "../../form/plan/post.ts";
import { anchorOf, idOf } from "./dom-ids.ts";
import type { Drawing } from "./drawing.ts";
import { PressButton } from "./field.tsx";
import { FieldOf } from "./fields.tsx";
import { Icon } from "./icons.tsx";
import { LIVE } from "./live.ts";

/** What became of an answer that was sent. Whatever it was, what was entered is still there. */
export type Outcome =
  /** Accepted; the page around the form says so. */
  | { readonly kind: "accepted" }
  /** It does not fit: what the service found. */
  | { readonly kind: "refused"; readonly findings: readonly Finding[] }
  /** The check after the submission asks for another one. */
  | { readonly kind: "sent back"; readonly reason: string; readonly attempt: number }
  /** The task is no longer open; `message` says who was first, or that the time is over. */
  | { readonly kind: "closed"; readonly message: string }
  | { readonly kind: "offline" }
  | { readonly kind: "failed"; readonly message: string };

export interface AnswerFormProps {
  form: Form;
  /** Where the page posts to while no script is at work. */
  action: string;
  /** Sent along with a post: what proves that it comes from this page. */
  hidden?: Readonly<Record<string, string>>;
  /** What was entered before, in a post or a draft, and what is to be said about it. */
  posted?: { readonly entries: Entries; readonly errors: readonly FieldError[]; readonly notice: Notice | null };
  /** Why the last attempt was sent back. */
  sentBack?: { readonly reason: string; readonly attempt: number } | undefined;
  /** A task with a verifier takes longer to answer, and says so. */
  isVerified?: boolean;
  locale?: string;
  /** Whether a field, or which one, may take the focus when the page opens; never inside somebody else's page. */
  focuses?: boolean | string;
  /** Something was changed: whoever works on the task may keep it, and tell others. */
  onEdit?: ((entries: Entries) => void) | undefined;
  /** Sends an answer; without it, the page posts. */
  onAnswer?: ((value: unknown) => Promise<Outcome>) | undefined;
}

const NOTHING: Entries = {};
const messages = ENGLISH;

/**
 * A form from its plan, with everything that happens to it until it is accepted. Drawn on a server it is a page that
 * works by posting; a script then takes over where it stands.
 */
export function AnswerForm(props: AnswerFormProps) {
  const { form, posted, isVerified = false, locale = "en" } = props;
  const { words } = messages;
  const [entries, setEntries] = useState(posted?.entries ?? NOTHING);
  const [tried, setTried] = useState(posted !== undefined && posted.errors.length > 0);
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  // What the server said of what was posted; it also knows what only it can check.
  const [said, setSaid] = useState(posted?.errors ?? []);
  const [confirming, setConfirming] = useState(posted?.notice === "confirm");
  /** "": nothing is under way. "leaving": the page posts the form by itself, and what is locked is not posted. */
  const [state, setState] = useState<"" | "leaving" | "sending" | "accepted">("");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [focus, setFocus] = useState<readonly string[] | null>(null);

  const plan = useMemo(() => planForm(form, entries), [form, entries]);
  const errors = useMemo((): readonly FieldError[] => {
    if (!tried) return [];
    const own = checkPlan(form, plan, messages);
    const found = [...said, ...explain(plan, findings, messages)];
    return [...own, ...found.filter((error) => own.every((known) => known.name !== error.name))];
  }, [form, plan, tried, said, findings]);

  useEffect(() => {
    if (focus !== null) focusOn(focus);
  }, [focus]);

  const locked = state === "sending" || state === "accepted" || outcome?.kind === "closed";
  const change = (next: Entries): void => {
    setEntries(next);
    props.onEdit?.(next);
    setFindings([]);
    setSaid([]);
  };
  const set = (name: string, ...texts: string[]): void => {
    const node = [...nodesOf(plan.root)].find((known) => known.name === name);
    change({ ...entries, [name]: texts, [`${name}~of`]: node ? [questionOf(node)] : [] });
    setConfirming(false);
    setOutcome((known) => (known?.kind === "sent back" ? known : null));
  };
  const press = (pressed: Press, rows = 0): void => {
    change(applyPress({ ...entriesOf(plan), ...entries }, pressed, rows));
    setFocus(afterPress(pressed, rows));
  };

  /** false: something is to be put right, or confirmed, first. */
  const isReady = (element: HTMLFormElement): boolean => {
    setTried(true);
    // Half a date is no date to a script, and must not pass for an empty field.
    const half = [...element.elements].filter((control) => (control as HTMLInputElement).validity?.badInput);
    const names = new Set(half.map((control) => (control as HTMLInputElement).name));
    const wrong = [...nodesOf(plan.root)].filter((node) => names.has(node.name));
    setSaid(wrong.map((node) => errorAt(node, messages.problem({ code: "not_a_date" }))));
    setOutcome((known) => (known?.kind === "sent back" ? known : null));
    const own = checkPlan(form, plan, messages);
    if (own.length > 0 || wrong.length > 0) {
      setConfirming(false);
      setFocus([SUMMARY]);
      return false;
    }
    if (form.hints.submit.confirm !== null && !confirming) {
      setConfirming(true);
      setFocus([CONFIRM]);
      return false;
    }
    return true;
  };
  const send = async (answer: (value: unknown) => Promise<Outcome>): Promise<void> => {
    setState("sending");
    const result = await answer(plan.value).catch((): Outcome => ({ kind: "failed", message: "" }));
    setOutcome(result);
    setState(result.kind === "accepted" ? "accepted" : "");
    if (result.kind === "refused") setFindings(result.findings);
    if (result.kind !== "accepted") setFocus([result.kind === "sent back" ? BACK : SUMMARY]);
    setConfirming(false);
  };

  const drawing: Drawing = {
    messages,
    errors: new Map(errors.map((error) => [error.name, error.message])),
    locked,
    takesFocus: (node) => node.name === props.focuses || (node.autofocus && props.focuses === true),
    now: form.now,
    locale,
    set,
    press,
  };
  const back = outcome?.kind === "sent back" ? outcome : props.sentBack;
  const waiting = isVerified ? words.checking : words.submitting;
  const progress = state && (state === "accepted" ? words.sent : waiting);
  const label = form.hints.submit.label ?? words.submit;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut that works from every field
    <form
      className="answer"
      method="post"
      action={props.action}
      // The sentences of the catalogue are clearer than the browser's own.
      noValidate
      onSubmit={(event) => {
        if (locked || !isReady(event.currentTarget)) event.preventDefault();
        else if (props.onAnswer !== undefined) {
          event.preventDefault();
          void send(props.onAnswer);
        } else setState("leaving");
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        // Keys that are held down confirm nothing.
        if (!event.repeat) event.currentTarget.requestSubmit();
      }}
    >
      {/* The Enter key sends by the first button: it must not be one that adds a row. */}
      <button type="submit" className="unseen" tabIndex={-1} aria-hidden="true" disabled={locked} />
      {Object.entries(props.hidden ?? {}).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <input type="hidden" name={SHOWN} value={shownIn(plan)} />
      <div>
        {back !== undefined && (
          <div className="panel warn" id={BACK} tabIndex={-1} role="alert">
            <Icon name="back" />
            <div>
              <p className="panel-title">{words.sentBack(back.attempt)}</p>
              <p dir="auto">{back.reason}</p>
            </div>
          </div>
        )}
        <ErrorPanel plan={plan} errors={errors} outcome={outcome} notice={posted?.notice ?? null} drawing={drawing} />
      </div>
      <FieldOf node={plan.root} drawing={drawing} />
      <Changes plan={plan} drawing={drawing} />
      <div className="send">
        {confirming ? (
          <div className="panel info" id={CONFIRM} tabIndex={-1}>
            <div>
              <p className="panel-title">{words.confirm}</p>
              <p dir="auto">{form.hints.submit.confirm}</p>
              <input type="hidden" name={CONFIRMED} value="1" />
            </div>
          </div>
        ) : null}
        {!LIVE && plan.branches && (
          <PressButton drawing={drawing} press={{ act: "update", name: "" }} label={words.update} />
        )}
        <button type="submit" className="primary" disabled={locked}>
          <span dir="auto">{label}</span>
        </button>
        {plan.isJson && (
          <>
            <input type="hidden" name="~mode" value="json" />
            <PressButton drawing={drawing} press={{ act: "form", name: "" }} label={words.asForm} />
          </>
        )}
        {confirming && LIVE && (
          <button type="button" className="quiet" onClick={() => setConfirming(false)}>
            {words.goBack}
          </button>
        )}
        <output className="status">{progress}</output>
      </div>
    </form>
  );
}

const SUMMARY = "form-trouble";
const BACK = "form-sent-back";
const CONFIRM = "form-confirm";

interface ErrorPanelProps {
  plan: Plan;
  errors: readonly FieldError[];
  outcome: Outcome | null;
  notice: Notice | null;
  drawing: Drawing;
}

/** Why nothing has been sent, with a way to each place. Takes the focus when it appears. */
function ErrorPanel({ plan, errors, outcome, notice, drawing }: ErrorPanelProps) {
  const { words } = drawing.messages;
  const said =
    outcome?.kind === "closed"
      ? outcome.message
      : outcome?.kind === "offline"
        ? words.offline
        : outcome?.kind === "failed"
          ? outcome.message || words.failed
          : outcome?.kind === "refused" && errors.length === 0
            ? words.failed
            : null;
  const anchors = new Map([...nodesOf(plan.root)].map((node) => [node.name, anchorOf(node)]));
  if (errors.length === 0 && said === null && !(notice === "changed" && !LIVE)) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-autofocus -- what a post brought about is what the page is about
    <div className="panel bad" id={SUMMARY} tabIndex={-1} role="alert" autoFocus={!LIVE}>
      <Icon name="alert" />
      <div>
        <p className="panel-title">
          {said ?? (errors.length > 0 ? words.invalid(errors.length) : words.changedQuestions)}
        </p>
        {errors.length > 0 && (
          <ul>
            {errors.map((error) => (
              <li key={error.name}>
                {error.name === plan.root.name && plan.root.kind === "group" ? (
                  <span dir="auto">{error.message}</span>
                ) : (
                  <a
                    href={`#${anchors.get(error.name) ?? ""}`}
                    onClick={(event) => {
                      event.preventDefault();
                      focusOn([anchors.get(error.name) ?? ""]);
                    }}
                  >
                    <span dir="auto">{error.title}</span>
                    <span className="unseen">: {error.message}</span>
                  </a>
                )}
              </li>
            ))}
          </ul>
        )}
        {errors.some((error) => error.isUnusual) && (
          <PressButton drawing={drawing} press={{ act: "json", name: "" }} label={words.asJson} />
        )}
      </div>
    </div>
  );
}

/** What was changed of what the payload had filled in. */
function Changes({ plan, drawing }: { plan: Plan; drawing: Drawing }) {
  const { words } = drawing.messages;
  if (plan.changes.length === 0) return null;
  return (
    <section className="changes" aria-label={words.yourChanges}>
      <p className="title">{words.yourChanges}</p>
      <dl>
        {plan.changes.map(({ node, before, after }) => (
          <div key={node.name}>
            <dt dir="auto">{node.title}</dt>
            <dd>
              <del dir="auto">{textOf(before) || words.nothing}</del>{" "}
              <ins dir="auto">{textOf(after) || words.nothing}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

const CONTROLS = "input:not([type='hidden']):not([disabled]), select, textarea, button";

/** The first of these elements that is there, or the first control in it. */
function focusOn(ids: readonly string[]): void {
  const found = ids.map((id) => document.getElementById(id)).find((element) => element !== null);
  if (found === undefined) return;
  const canFocus = found.matches(CONTROLS) || found.tabIndex >= 0 || found.hasAttribute("tabindex");
  const target = canFocus ? found : (found.querySelector<HTMLElement>(CONTROLS) ?? found);
  target.scrollIntoView({ block: "nearest" });
  target.focus();
}

/** Where the focus goes on: into what was added, and to what is next to what was removed. */
function afterPress(press: Press, rows: number): readonly string[] {
  const { name } = press;
  switch (press.act) {
    case "add": {
      const row = `${name}/${rows}`;
      return [idOf(`${row}~key`), idOf(row), idOf(`${row}~form`), idOf(row, "set")];
    }
    case "remove":
      return [idOf(name, `remove${Math.min(press.row, rows - 2)}`), idOf(name, "add"), idOf(name, "set")];
    default:
      return [idOf(name), idOf(name, "set")];
  }
}
