import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Entries } from "../../../form/plan/entries.ts";
import { nodesOf } from "../../../form/plan/nodes.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import type { Outcome } from "../../form/answer-form.tsx";
import { TaskForm } from "../../form/task-form.tsx";
import { ApiError, OfflineError, post } from "../api.ts";
import type { Me, Task } from "../api.ts";
import type { Claim } from "./claim.ts";
import { dropDraft, keepDraft, readDraft } from "./draft.ts";
import { useKeys } from "../ui/keyboard.ts";
import { readPreferences, usePreferences } from "../ui/preferences.ts";
import { queryClient, taskQuery } from "../queries.ts";
import { useTimeZone } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";

/** What chooses an option of the decision. */
const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

interface AnswerProps {
  task: Task;
  me: Me;
  claim: Claim;
  entered: Entries | null;
  /** null: it was sent. */
  onEdit: (entries: Entries | null) => void;
  /** Whether an answer is under way, of which nobody knows yet what becomes. */
  onSending: (isSending: boolean) => void;
  onAccepted: () => void;
}

/** The form of a task that is open, with who holds it, drafts, and what becomes of what is sent. */
export function Answer({ task, me, claim, entered, onEdit, onSending, onAccepted }: AnswerProps) {
  const navigate = useNavigate();
  const [opened] = useState(() => new Date().toISOString());
  const time_zone = useTimeZone();
  const [isAnyway, setIsAnyway] = useState(false);
  const [draft] = useState(() => entered ?? readDraft(task.id));
  const { secret, decision } = useMemo(() => fieldsOf(task), [task]);
  useKeys(
    Object.fromEntries(
      DIGITS.map((digit) => [String(digit), decision === null ? undefined : () => choose(decision, digit)]),
    ),
  );
  const accepted: Accepted = {
    stored: () => onEdit(null),
    view: () => void navigate({ to: "/tasks/$id", params: { id: task.id } }),
    next: onAccepted,
  };
  const onAnswer = async (response: unknown): Promise<Outcome> => {
    if (!(await isLetGo()))
      return { kind: "failed", message: "Not sent: you took it back. Your answer is still here." };
    // It would be refused after the answer, or show the task as it was before.
    claim.leave();
    onSending(true);
    return complete(task.id, response, accepted).finally(() => onSending(false));
  };
  return (
    <>
      <ClaimNotice claim={claim} me={me} isAnyway={isAnyway} answerAnyway={() => setIsAnyway(true)} />
      {/* A claim keeps people from starting by accident; the first answer counts whoever holds it. */}
      <fieldset className="card-form" disabled={claim.state === "held" && !isAnyway}>
        <TaskForm
          task={{
            task_id: task.id,
            response_schema: task.response_schema,
            form_definition: task.form_definition,
            payload: task.payload,
            redact_payload: task.redact_payload,
            is_verified: task.is_verified,
          }}
          channel="dashboard"
          time_zone={time_zone}
          now={opened}
          action=""
          {...(task.status === "rejected" && task.verifier_result
            ? { sent_back: { reason: task.verifier_result.reason ?? "", attempt: task.verification_attempt + 1 } }
            : {})}
          onAnswer={onAnswer}
          {...(draft === null ? {} : { posted: { entries: draft, errors: [], notice: null } })}
          onEdit={(entries) => {
            onEdit(entries);
            // What is redacted leaves no trace in a browser either.
            if (!task.redact_payload) keepDraft(task.id, entries, secret);
            claim.keep();
          }}
        />
        <KeyHints hasDecision={decision !== null} />
      </fieldset>
    </>
  );
}

interface ClaimNoticeProps {
  claim: Claim;
  me: Me;
  isAnyway: boolean;
  answerAnyway: () => void;
}

/** Who works on the task, and the ways to change that. */
function ClaimNotice({ claim, me, isAnyway, answerAnyway }: ClaimNoticeProps) {
  return (
    <>
      {claim.state === "held" && (
        <div className="notice warn held">
          <output>
            <strong>{claim.holder}</strong> is on it
          </output>
          {me.is_operator ? (
            <Button variant="default" size="xs" onClick={claim.takeOver}>
              Take over
            </Button>
          ) : (
            !isAnyway && (
              <Button variant="default" size="xs" onClick={answerAnyway}>
                Answer anyway
              </Button>
            )
          )}
        </div>
      )}
      {claim.state === "mine" && (
        <div className="claimed">
          <span>You are on it</span>
          <button type="button" className="link-button" onClick={claim.toggle}>
            Release
          </button>
        </div>
      )}
    </>
  );
}

function KeyHints({ hasDecision }: { hasDecision: boolean }) {
  const { singleKeys } = usePreferences();
  return (
    <p className="keys" aria-hidden="true">
      {singleKeys && hasDecision && (
        <span>
          <kbd>1</kbd> <kbd>2</kbd> choose
        </span>
      )}
      <span>
        <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl"}</kbd> <kbd>Enter</kbd> submit
      </span>
      {singleKeys && (
        <span>
          <kbd>S</kbd> skip
        </span>
      )}
    </p>
  );
}

/** Waits as long as the person wants to be able to take an answer back; false: they did. */
async function isLetGo(): Promise<boolean> {
  const { sendDelay } = readPreferences();
  if (sendDelay === 0) return true;
  const waited = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => waited.resolve(true), sendDelay * 1000);
  toast({
    message: `Sending in ${sendDelay} seconds`,
    closesAfter: sendDelay * 1000,
    action: { label: "Do not send", onClick: () => waited.resolve(false) },
  });
  try {
    return await waited.promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Names of the fields that are for secrets, as far as they are asked from the start, and of the one that is the decision. */
function fieldsOf(task: Task): { secret: ReadonlySet<string>; decision: string | null } {
  const { response_schema, form_definition, payload } = task;
  const form = readForm({ response_schema, form_definition, payload, time_zone: "UTC", now: new Date(0) });
  const { root, decision } = planForm(form, {});
  const secret = [...nodesOf(root)].filter((node) => node.kind === "text" && node.look === "password");
  return { secret: new Set(secret.map(({ name }) => name)), decision };
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

/** What follows an answer that was stored. */
interface Accepted {
  stored: () => void;
  view: () => void;
  next: () => void;
}

/** Sends an answer. @returns what came of it, for the form */
async function complete(id: string, response: unknown, { stored, view, next }: Accepted): Promise<Outcome> {
  try {
    const done = await post<Task>(`/api/tasks/${id}/complete`, { response });
    queryClient.setQueryData(taskQuery(id).queryKey, done);
    if (done.status === "rejected")
      return {
        kind: "sent back",
        reason: done.verifier_result?.reason ?? "",
        attempt: done.verification_attempt + 1,
      };
    dropDraft(id);
    stored();
    if (done.status === "verification_exhausted") {
      // The page says why; there is no next answer.
      toast({ message: "The answer failed the checks, and the task is closed" });
      await queryClient.invalidateQueries({ queryKey: ["tasks"] });
      return { kind: "closed", message: "The answer failed the checks, and the task is closed." };
    }
    toast({
      message: "Answer sent",
      action: { label: "View", onClick: view },
    });
    next();
    await queryClient.invalidateQueries({ queryKey: ["tasks"] });
    return { kind: "accepted" };
  } catch (error) {
    return outcomeOf(error);
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof OfflineError) return { kind: "offline" };
  if (!(error instanceof ApiError)) return { kind: "failed", message: "" };
  if (error.status === 422 && error.details.length > 0)
    return {
      kind: "refused",
      findings: error.details.map((detail) => ({ ...detail, path: detail.path.replace(/^\/response/, "") })),
    };
  if (error.code === "TASK_ALREADY_TERMINAL") {
    void queryClient.invalidateQueries({ queryKey: ["tasks"] });
    return { kind: "closed", message: "This task has been closed meanwhile. Your answer was not sent." };
  }
  if (error.status === 401)
    return { kind: "failed", message: "Not sent: you are signed out. Sign in and send it again." };
  return { kind: "failed", message: `Not sent: ${error.message} (${error.code})` };
}
