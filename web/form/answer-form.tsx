import type { ComponentType, KeyboardEvent } from "react";
import { plural, t } from "../../languages/text.ts";
import type { FieldError, Finding } from "../../form/plan/check.ts";
import type { Entries } from "../../form/plan/entries.ts";
import { nodesOf } from "../../form/plan/nodes.ts";
import type { Form } from "../../form/plan/plan.ts";
import { CONFIRMED, SHOWN, shownIn } from "../../form/plan/post.ts";
import type { Notice } from "../../form/plan/post.ts";
import type { ChangesProps } from "./changes.tsx";
import { anchorOf } from "./dom-ids.ts";
import { PressButton } from "./field.tsx";
import { FieldOf } from "./fields.tsx";
import { BACK, CONFIRM, focusOn, SUMMARY } from "./focus.ts";
import { Icon } from "./icons.tsx";
import { LaterChanges } from "./later-changes.tsx";
import { LIVE } from "./live.ts";
import type { AnswerInProgress } from "./use-answer.ts";
import { useAnswer } from "./use-answer.ts";

/** The result of a sent answer. In all cases, the entries are kept. */
export type Outcome =
  /** Accepted; the surrounding page shows it. */
  | { readonly kind: "accepted" }
  /** The answer is invalid: the service's findings. */
  | { readonly kind: "refused"; readonly findings: readonly Finding[] }
  /** The verifier asks for another answer. */
  | { readonly kind: "sent back"; readonly reason: string; readonly attempt: string }
  /** The task is closed. `message` says who answered first, or that the time is over. */
  | { readonly kind: "closed"; readonly message: string }
  | { readonly kind: "offline" }
  | { readonly kind: "failed"; readonly message: string };

export interface AnswerFormProps {
  form: Form;
  /** The address that the page posts to without a script. */
  action: string;
  /** Fields that are posted along, to prove that the request is from this page. */
  hidden?: Readonly<Record<string, string>>;
  /** Earlier entries, from a post or a draft, with their errors and a notice. */
  posted?: { readonly entries: Entries; readonly errors: readonly FieldError[]; readonly notice: Notice | null };
  /** The reason of the last rejection. */
  sentBack?: { readonly reason: string; readonly attempt: string } | undefined;
  /** Whether the task has a verifier. Then sending takes longer, and the form says so. */
  isVerified?: boolean;
  /** Whether a field, or which one, may take the focus when the page opens. Never in the page of another product. */
  focuses?: boolean | string;
  /** Called after a change. The caller may store the entries, and show others that someone works on the task. */
  onEdit?: ((entries: Entries) => void) | undefined;
  /** Sends an answer. Without it, the page posts. */
  onAnswer?: ((value: unknown) => Promise<Outcome>) | undefined;
  /** Shows the changes on a page without scripts. */
  Changes?: ComponentType<ChangesProps>;
  /** Draws the fields, on a page that draws some of them elsewhere. */
  Fields?: typeof FieldOf;
}

/**
 * A form of a plan, until its answer is accepted. If a server renders it, it is a page that posts. A script then takes
 * over in its current state.
 */
export function AnswerForm(props: AnswerFormProps) {
  const answer = useAnswer(props);
  const { plan, outcome, state, confirming, drawing } = answer;
  const back = outcome?.kind === "sent back" ? outcome : props.sentBack;
  const Fields = props.Fields ?? FieldOf;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut that works from every field
    <form
      className="answer"
      method="post"
      action={props.action}
      // Our messages are clearer than the browser's.
      noValidate
      onSubmit={answer.submit}
      onKeyDown={submitByKeys}
    >
      {/* The Enter key presses the first button of a form, which must not be one that adds a row. */}
      <button type="submit" className="unseen" tabIndex={-1} aria-hidden="true" disabled={drawing.locked} />
      {Object.entries(props.hidden ?? {}).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <input type="hidden" name={SHOWN} value={shownIn(plan)} />
      <div>
        {back && (
          <div className="panel warn" id={BACK} tabIndex={-1} role="alert">
            <Icon name="back" />
            <div>
              <p className="panel-title">
                {t("Sent back. Change your answer and resubmit (attempt {attempt}).", { attempt: back.attempt })}
              </p>
              <p dir="auto">{back.reason}</p>
            </div>
          </div>
        )}
        <ErrorPanel answer={answer} notice={props.posted?.notice} />
      </div>
      <Fields node={plan.root} drawing={drawing} />
      <LaterChanges Changes={props.Changes} plan={plan} drawing={drawing} />
      <div className="send">
        {confirming && (
          <div className="panel info" id={CONFIRM} tabIndex={-1}>
            <div>
              <p className="panel-title">{t("Confirm before sending")}</p>
              <p dir="auto">{props.form.hints.submit.confirm}</p>
              <input type="hidden" name={CONFIRMED} value="1" />
            </div>
          </div>
        )}
        {!LIVE && plan.branches && (
          <PressButton drawing={drawing} press={{ act: "update", name: "" }} label={t("Update questions")} />
        )}
        <button type="submit" className="primary" disabled={drawing.locked}>
          <span dir="auto">{props.form.hints.submit.label ?? t("Submit answer")}</span>
        </button>
        {plan.isJson && (
          <>
            <input type="hidden" name="~mode" value="json" />
            <PressButton drawing={drawing} press={{ act: "form", name: "" }} label={t("Back to the form")} />
          </>
        )}
        {confirming && LIVE && (
          <button type="button" className="quiet" onClick={answer.stopConfirming}>
            {t("Go back")}
          </button>
        )}
        <output className="status">
          {state &&
            (state === "accepted"
              ? t("Answer sent.")
              : props.isVerified
                ? t("Checking your answer, usually 5 to 30 seconds")
                : t("Sending your answer"))}
        </output>
      </div>
    </form>
  );
}

/** Submits with Ctrl or Cmd and Enter. */
function submitByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  // A key that is held down confirms nothing.
  if (!event.repeat) event.currentTarget.requestSubmit();
}

interface ErrorPanelProps {
  answer: AnswerInProgress;
  notice: Notice | null | undefined;
}

/** Shows why nothing was sent, with a link to each place. It takes the focus when it appears. */
export function ErrorPanel({ answer: { plan, errors, outcome, drawing }, notice }: ErrorPanelProps) {
  const said =
    outcome?.kind === "offline"
      ? t("Not sent: no connection. Your answers are still here.")
      : outcome && "message" in outcome
        ? outcome.message || t("Not sent. Your answers are still here.")
        : outcome?.kind === "refused" && errors.length === 0
          ? t("Not sent. Your answers are still here.")
          : null;
  const anchors = new Map([...nodesOf(plan.root)].map((node) => [node.name, anchorOf(node)]));
  if (errors.length === 0 && said === null && !(notice === "changed" && !LIVE)) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-autofocus -- after a post, the page is about these errors
    <div className="panel bad" id={SUMMARY} tabIndex={-1} role="alert" autoFocus={!LIVE}>
      <Icon name="alert" />
      <div>
        <p className="panel-title">
          {said ??
            (LIVE || errors.length > 0
              ? plural(errors.length, "Not sent. Fix {n} answer below.", "Not sent. Fix {n} answers below.")
              : t("Not sent yet. Your answers changed which questions apply. Please review."))}
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
          <PressButton drawing={drawing} press={{ act: "json", name: "" }} label={t("Answer as JSON instead")} />
        )}
      </div>
    </div>
  );
}
