import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { as, plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { nextAttempt } from "../../../endings/next-attempt.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import { isRaw } from "../../../form/plan/hints.ts";
import { nodesOf } from "../../../form/plan/nodes.ts";
import { entriesOf, planForm, readForm } from "../../../form/plan/plan.ts";
import type { Outcome } from "../../form/answer-form.tsx";
import { TaskForm } from "../../form/task-form.tsx";
import { actionsOf, entriesOfEdits, proposedOf } from "../action/asked.ts";
import { Standing } from "../approvals/lazy.ts";
import { roundOf, undecided, versionIn, withRound } from "../approvals/rounds.ts";
import { ownVote, standingOf } from "../approvals/words.ts";
import { ApiError, get, OfflineError, post } from "../api.ts";
import type { Me, Task } from "../api.ts";
import type { Claim } from "./claim.ts";
import type { Proposal } from "./proposals.tsx";
import { checkedUntil, markChecking, unmarkChecking } from "./checking.ts";
import { dropDraft, keepDraft, readDraft } from "./draft.ts";
import { holdAnswer, useIsHeld } from "./held.ts";
import { isSampleOfSetup } from "../inbox/sample-keys.ts";
import { isMac, useKeys } from "../ui/keyboard.ts";
import { adoptStyles } from "../ui/later-styles.ts";
import { lazily } from "../ui/lazily.tsx";
import { useNow } from "../ui/now.ts";
import { readPreferences, usePreferences } from "../ui/preferences.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { isOperatorOf } from "../projects/access.ts";
import { queryClient, taskQuery } from "../queries.ts";
import { useTimeZone } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";

const ActionForm = lazily("action form", async () => (await import("../action/form.tsx")).ActionForm);
const ActionsToRead = lazily("actions", async () => (await import("../action/read.tsx")).ActionsToRead);

const ProposalForm = lazily("proposal form", async () => {
  const [{ ProposalForm }, styles] = await Promise.all([
    import("./proposal-form.tsx"),
    import("./proposal.css?inline"),
  ]);
  adoptStyles(styles.default);
  return ProposalForm;
});

/** Keys that choose an option of the decision. */
const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

interface AnswerProps {
  task: Task;
  me: Me;
  claim: Claim;
  /** Long texts of the payload that the form edits, by the names of their fields. */
  proposals: ReadonlyMap<string, Proposal>;
  entered: Entries | null;
  /** null after it was sent. */
  onEdit: (entries: Entries | null) => void;
  /** Whether an answer is being sent. */
  onSending: (isSending: boolean) => void;
  onAccepted: () => void;
}

/** The form of an open task, with its claim, its draft, and the result of sending. */
export function Answer({ task, me, claim, proposals, entered, onEdit, onSending, onAccepted }: AnswerProps) {
  const navigate = useNavigate();
  const [opened] = useState(() => new Date().toISOString());
  const time_zone = useTimeZone();
  const [isAnyway, setIsAnyway] = useState(false);
  const { approvals } = task;
  const own = ownVote(approvals, me);
  const [start, setStart] = useState(() => startOf(task, me, entered));
  const [isUnsent, setIsUnsent] = useState(false);
  // Another round began, or this person has decided or taken it back. What they decided is sent, and nothing else is lost.
  if (start.voted !== votedIn(task, me))
    setStart({
      ...startOf(task, me, own === null ? entered : null),
      version: start.version,
      isChanged: own === null && (start.isChanged || (!start.hasVoted && start.round !== roundOf(task))),
    });
  // Someone else's answer was rejected, and this person has entered nothing.
  if (start.attempt !== task.verification_attempt && entered === null && start.entries === null)
    setStart({ ...startOf(task, me, entered), version: start.version });
  // The asker has changed the request. Nothing is sent until the person has seen that.
  const isRevised = start.version !== task.version;
  const isWaiting = useIsHeld(task.id);
  const isChecked = useIsChecked(task);
  const asked = useMemo(() => proposedOf(task), [task]);
  const { secret, options } = useDecisionKeys(task);
  const accepted: Accepted = {
    stored: () => onEdit(null),
    changed: () => setIsUnsent(true),
    view: () => void navigate({ to: "/tasks/$id", params: { id: task.id } }),
    next: onAccepted,
  };
  const onAnswer = async (response: unknown): Promise<Outcome> => {
    setIsUnsent(false);
    const { sendDelay: seconds } = readPreferences();
    // Setup shows what became of its sample.
    if (seconds > 0 && !isSampleOfSetup(task)) {
      claim.leave();
      const title = headingOf(task.task)[0];
      const open = () => navigate({ to: "/tasks/$id", params: { id: task.id } });
      holdAnswer({
        id: task.id,
        by: me.user_id,
        title,
        entries: entered,
        seconds,
        send: () => sendLater(task, me, response, open),
        open,
      });
      onAccepted();
      return { kind: "accepted" };
    }
    // A claim after the answer would be refused, or would show the old state of the task.
    claim.leave();
    onSending(true);
    if (task.is_verified) markChecking(task);
    const outcome = await complete(task, me, response, accepted).finally(() => onSending(false));
    // A reload ends the request like a lost connection does, but the check continues.
    if (outcome.kind !== "offline") unmarkChecking(task.id);
    return outcome;
  };
  const formProps = {
    task: {
      task_id: task.id,
      response_schema: task.response_schema,
      form_definition: task.form_definition,
      payload: task.payload,
      redact_payload: task.redact_payload,
      is_verified: task.is_verified,
    },
    channel: "dashboard",
    time_zone,
    now: opened,
    action: "",
    ...(task.status === "rejected" && task.verifier_result
      ? { sent_back: { reason: task.verifier_result.reason ?? "", attempt: nextAttemptOf(task) } }
      : {}),
    onAnswer,
    ...(start.entries === null ? {} : { posted: { entries: start.entries, errors: [], notice: null } }),
    onEdit: (known: Entries) => {
      const entries = withRound(task, known);
      onEdit(entries);
      // Redacted tasks leave no draft in the browser.
      if (!task.redact_payload) keepDraft(task.id, entries, secret);
      // People who approve together do so beside each other.
      if (approvals === null) claim.keep();
    },
  };
  const standing = approvals !== null && (
    <Standing
      task={task}
      approvals={approvals}
      me={me}
      isOpen
      changed={start.isChanged && !isRevised ? { isUnsent, isKept: start.entries !== null } : null}
    />
  );
  if (asked !== null && approvals !== null && approvals.refusal !== null)
    return (
      <>
        {standing}
        <ActionsToRead asked={asked} redact={task.redact_payload} />
      </>
    );
  // A claim keeps others from starting by accident. It does not decide which answer counts: the first one does.
  const isHeld = claim.state === "held" && approvals === null;
  const isDisabled = isChecked || isWaiting || isRevised || (isHeld && !isAnyway);
  return (
    <>
      <ClaimNotice
        claim={claim}
        isOperator={approvals === null && isOperatorOf(me, task.project)}
        isAnyway={isAnyway || approvals !== null}
        answerAnyway={() => setIsAnyway(true)}
      />
      {isChecked && (
        <output className="notice info checking">
          {t("Your answer is being checked, usually 5 to 30 seconds. This page shows the result.")}
        </output>
      )}
      {isWaiting && <output className="notice info checking">{t("Your answer is about to be sent.")}</output>}
      {standing}
      {isRevised && (
        <RevisedNotice
          task={task}
          isUnsent={isUnsent}
          seen={() => {
            setIsUnsent(false);
            setStart({ ...startOf(task, me, entered), version: task.version, isChanged: false });
          }}
        />
      )}
      <fieldset className={asked === null ? "card-form" : "actions-form"} disabled={isDisabled}>
        {asked === null ? (
          <>
            {proposals.size === 0 ? (
              <TaskForm key={`${start.attempt} ${start.version}`} {...formProps} />
            ) : (
              <ProposalForm
                key={`${start.attempt} ${start.version}`}
                {...formProps}
                proposals={proposals}
                isDisabled={isDisabled}
              />
            )}
            <KeyHints options={options} />
          </>
        ) : (
          <ActionForm
            key={`${start.attempt} ${start.version} ${start.voted}`}
            {...formProps}
            asked={asked}
            isList={task.actions !== null}
            held={own?.decision ?? null}
          />
        )}
      </fieldset>
    </>
  );
}

function nextAttemptOf({ verification_attempt, verification_attempts_left }: Task): string {
  return nextAttempt(verification_attempt, verification_attempts_left);
}

/** Says that the asker has changed the request while the person looked at it, and lets them go on. */
function RevisedNotice({ task, isUnsent, seen }: { task: Task; isUnsent: boolean; seen: () => void }) {
  return (
    <div className="notice warn held" role="alert">
      <span>
        {rich(
          isUnsent
            ? "{changed}, so nothing was sent. What you entered is kept. See what was changed, then decide."
            : "{changed}. What you entered is kept. See what was changed, then decide.",
          { changed: <strong>{t("The request was changed since you began")}</strong> },
        )}
      </span>
      <Button variant="default" size="xs" onClick={seen}>
        {t("Go on with version {version}", { version: task.version })}
      </Button>
    </div>
  );
}

/** How a form begins. */
interface Start {
  /** The version of the task that the person sees, or has seen. */
  readonly version: number;
  readonly attempt: number;
  readonly round: number;
  /** What `votedIn` returned. */
  readonly voted: string;
  readonly hasVoted: boolean;
  readonly entries: Entries | null;
  /** Whether the arguments were changed while the person looked at them. */
  readonly isChanged: boolean;
}

/** Returns the initial entries of the form: earlier entries, or the rejected answer. */
function startOf(task: Task, me: Me, entered: Entries | null): Start {
  const kept = entered ?? readDraft(task.id);
  return {
    // What was typed about an earlier version is shown with what has changed.
    version: kept === null ? task.version : versionIn(kept),
    attempt: task.verification_attempt,
    round: roundOf(task),
    voted: votedIn(task, me),
    hasVoted: ownVote(task.approvals, me) !== null,
    entries: kept === null ? rejectedEntries(task) : undecided(task, kept),
    isChanged: false,
  };
}

/** Returns a text that changes with the round of a task, and with what the person has decided in it. */
function votedIn(task: Task, me: Me): string {
  return `${roundOf(task)} ${ownVote(task.approvals, me)?.at ?? ""}`;
}

function rejectedEntries({ response_schema, form_definition, payload, rejected_response }: Task): Entries | null {
  if (rejected_response === undefined) return null;
  const form = readForm({ response_schema, form_definition, payload, time_zone: "UTC", now: new Date(0) });
  return entriesOf(planForm(form, {}, rejected_response));
}

/** Returns whether an answer that this browser sent before a reload is still being checked. */
function useIsChecked(task: Task): boolean {
  const [until] = useState(() => checkedUntil(task));
  const [attempt] = useState(task.verification_attempt);
  const now = useNow((at) => (until === null || until <= at ? null : until - at));
  return until !== null && now < until && task.verification_attempt === attempt;
}

interface ClaimNoticeProps {
  claim: Claim;
  isOperator: boolean;
  isAnyway: boolean;
  answerAnyway: () => void;
}

/** Shows who is working on the task, with buttons to change that. */
function ClaimNotice({ claim, isOperator, isAnyway, answerAnyway }: ClaimNoticeProps) {
  return (
    <>
      {claim.state === "held" && (
        <div className="notice warn held">
          <output>{rich("{person} is working on this", { person: <strong>{claim.holder}</strong> })}</output>
          {isOperator ? (
            <Button variant="default" size="xs" onClick={claim.takeOver}>
              {t("Take over")}
            </Button>
          ) : (
            !isAnyway && (
              <Button variant="default" size="xs" onClick={answerAnyway}>
                {t("Answer anyway")}
              </Button>
            )
          )}
        </div>
      )}
      {claim.state === "mine" && (
        <div className="claimed">
          <span>{t("You're working on this")}</span>
          <button type="button" className="link-button" onClick={claim.toggle}>
            {t("Release")}
          </button>
        </div>
      )}
    </>
  );
}

type FormTask = Pick<Task, "response_schema" | "form_definition" | "payload" | "action" | "actions">;

/**
 * Lets digits choose an option of the decision in the form on the page.
 * @returns the names of the secret fields, and the number of options, 0 without a decision
 */
export function useDecisionKeys(task: FormTask): { secret: ReadonlySet<string>; options: number } {
  const { secret, decision, options } = useMemo(() => fieldsOf(task), [task]);
  useKeys(
    Object.fromEntries(
      DIGITS.map((digit) => [String(digit), decision === null ? undefined : () => choose(decision, digit)]),
    ),
  );
  return { secret, options };
}

/** @param options - the number of options of the decision; 0 without a decision */
export function KeyHints({ options, canSkip = true }: { options: number; canSkip?: boolean }) {
  const { singleKeys } = usePreferences();
  return (
    <p className="keys" aria-hidden="true">
      {singleKeys && options > 0 && (
        <span>
          {rich("{keys} choose", {
            keys: (
              <>
                <kbd>1</kbd>
                {options > 2 ? "-" : " "}
                <kbd>{options}</kbd>
              </>
            ),
          })}
        </span>
      )}
      <span>
        {rich("{keys} submit", {
          keys: (
            <>
              <kbd>{isMac ? "⌘" : t("Ctrl")}</kbd> <kbd>{t("Enter")}</kbd>
            </>
          ),
        })}
      </span>
      {singleKeys && canSkip && <span>{rich("{keys} skip", { keys: <kbd>S</kbd> })}</span>}
    </p>
  );
}

/** Sends an answer whose task is not on the page any more. @returns why it was not accepted; null: it was, or that was said */
async function sendLater(task: Task, me: Me, response: unknown, view: () => Promise<void>): Promise<string | null> {
  const nothing = (): void => {};
  if (task.is_verified) markChecking(task);
  const outcome = await complete(task, me, response, { stored: nothing, changed: nothing, view, next: nothing });
  if (outcome.kind !== "offline") unmarkChecking(task.id);
  const title = headingOf(task.task)[0];
  switch (outcome.kind) {
    case "accepted":
      return null;
    case "sent back":
      return t("Sent back: {title}. {reason}", { title, reason: outcome.reason });
    case "refused":
      return plural(
        outcome.findings.length,
        "Not sent: {title}. The service found a mistake in it.",
        "Not sent: {title}. The service found mistakes in it.",
        { title },
      );
    case "offline":
      return t("Not sent: {title}. The service can't be reached.", { title });
    default:
      return outcome.message === EXHAUSTED ? null : `${title}: ${outcome.message}`;
  }
}

/** Returns the names of the initial secret fields, and of the decision with its options. */
function fieldsOf(task: FormTask): { secret: ReadonlySet<string>; decision: string | null; options: number } {
  const { response_schema, form_definition, payload } = task;
  const form = readForm({ response_schema, form_definition, payload, time_zone: "UTC", now: new Date(0) });
  const asked = actionsOf(task);
  const { root, decision } = planForm(form, entriesOfEdits(asked ?? []));
  const nodes = [...nodesOf(root)];
  const secret = nodes.filter((node) => node.kind === "text" && node.look === "password");
  const decided = nodes.find(({ name }) => name === decision);
  const options = decided !== undefined && "options" in decided ? decided.options.length : 0;
  return { secret: new Set(secret.map(({ name }) => name)), decision: asked === null ? decision : null, options };
}

/** Chooses the option of the decision with this number, counted from 1. Nothing is sent. */
function choose(decision: string, digit: number): void {
  const options = document.querySelectorAll<HTMLInputElement>(
    `form.answer input[type="radio"][name="${CSS.escape(decision)}"]:not(:disabled)`,
  );
  const option = options[digit - 1];
  option?.click();
  option?.focus();
}

/** The work after an answer is stored, or refused. */
interface Accepted {
  stored: () => void;
  /** Nothing was stored: the answer was about arguments that were changed since. */
  changed: () => void;
  view: () => unknown;
  next: () => void;
}

/** Sends an answer. @returns the result, for the form */
async function complete(
  { id, approvals, version }: Task,
  me: Me,
  response: unknown,
  { stored, changed, view, next }: Accepted,
): Promise<Outcome> {
  try {
    const round = approvals === null ? {} : { round: approvals.round };
    const done = await post<Task>(`/api/tasks/${id}/complete`, { response, version, ...round });
    queryClient.setQueryData(taskQuery(id).queryKey, done);
    if (done.status === "rejected")
      return {
        kind: "sent back",
        reason: done.verifier_result?.reason ?? "",
        attempt: nextAttemptOf(done),
      };
    dropDraft(id);
    stored();
    if (done.status === "verification_exhausted") {
      // The page gives the reason. No further answer is possible.
      toast({ message: EXHAUSTED });
      await queryClient.invalidateQueries({ queryKey: ["tasks"] });
      return { kind: "closed", message: EXHAUSTED };
    }
    const waiting = isOpenStatus(done.status) ? done.approvals : null;
    toast({
      message: waiting === null ? t("Answer sent") : standingOf(waiting, me, true),
      action: { label: as("verb", "View"), onClick: () => void view() },
      // Those of a quick reviewer would cover the form.
      of: "answer",
    });
    next();
    await queryClient.invalidateQueries({ queryKey: ["tasks"] });
    return { kind: "accepted" };
  } catch (error) {
    if (approvals !== null && error instanceof ApiError && error.code === "TASK_ALREADY_TERMINAL")
      return closedBy(id, me, response);
    if (error instanceof ApiError && CHANGED.has(error.code)) changed();
    return outcomeOf(error);
  }
}

/** Says what became of the decision of one of several people, after another decision has ended the task. */
async function closedBy(id: string, me: Me, response: unknown): Promise<Outcome> {
  void queryClient.invalidateQueries({ queryKey: ["tasks"] });
  const now = await get<Task>(`/api/tasks/${id}`).catch(() => null);
  const own = now && ownVote(now.approvals, me);
  if (own === null) return { kind: "closed", message: CLOSED };
  return isRaw(response) && own.decision === response["decision"]
    ? { kind: "closed", message: t("Your decision counted. The task is closed now.") }
    : { kind: "closed", message: `${CLOSED} ${t("What you had decided before counted.")}` };
}

/** Nothing was stored: the answer was about something that was changed since. */
const CHANGED: ReadonlySet<string> = new Set(["TASK_CHANGED", "TASK_REVISED"]);

const EXHAUSTED = t("Automatic check failed; the task is closed.");
const CLOSED = t("This task was closed while you were working. Your answer was not sent.");

function outcomeOf(error: unknown): Outcome {
  if (error instanceof OfflineError) return { kind: "offline" };
  if (!(error instanceof ApiError)) return { kind: "failed", message: "" };
  if (error.status === 422 && error.details.length > 0)
    return {
      kind: "refused",
      findings: error.details.map((detail) => ({ ...detail, path: detail.path.replace(/^\/response/, "") })),
    };
  if (error.code === "VERIFIER_PROVIDER_ERROR")
    return {
      kind: "failed",
      message: t("Automatic check is unavailable. Your answer is saved here; try again in a minute."),
    };
  if (error.code.startsWith("VERIFIER_"))
    return {
      kind: "failed",
      message: t("The automatic check is not set up correctly. Your answer is saved here; tell an operator ({code}).", {
        code: error.code,
      }),
    };
  // The page shows what is up for approval now, and keeps what was typed.
  if (CHANGED.has(error.code)) void queryClient.invalidateQueries({ queryKey: ["tasks"] });
  if (error.code === "TASK_ALREADY_TERMINAL") {
    void queryClient.invalidateQueries({ queryKey: ["tasks"] });
    return { kind: "closed", message: CLOSED };
  }
  if (error.status === 401)
    return { kind: "failed", message: t("Not sent: you are signed out. Sign in and send it again.") };
  return { kind: "failed", message: t("Not sent: {message} ({code})", { message: error.message, code: error.code }) };
}
