import { Button } from "@mantine/core";
import { IconArrowLeft, IconLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { nodesOf } from "../../form/nodes.ts";
import { planPayload } from "../../form/payload.ts";
import { planForm, readForm } from "../../form/plan.ts";
import type { Outcome } from "../form/answer-form.tsx";
import { PayloadView } from "../form/payload/view.tsx";
import { TaskForm } from "../form/task-form.tsx";
import { ApiError, OfflineError, post } from "./api.ts";
import type { ListedTask, Me, Task } from "./api.ts";
import { dropDraft, keepDraft, readDraft } from "./draft.ts";
import { useNow } from "./now.ts";
import { whoOf } from "./who.ts";
import { queryClient, taskQuery, tasksQuery } from "./queries.ts";
import type { Scope } from "./queries.ts";
import { IconButton } from "./shell.tsx";
import { Deadline, StatusChip } from "./status.tsx";

/** Longer ones have their first line as heading, and the rest below. */
const HEADING_LENGTH = 140;
const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function TaskPane({ id, search, me }: { id: string; search: Scope; me: Me }) {
  const { data: task, error } = useQuery(taskQuery(id));
  if (error !== null) return <NoTask error={error} />;
  return task === undefined ? <p className="hint">Loading</p> : <Whole task={task} search={search} me={me} />;
}

function NoTask({ error }: { error: Error }) {
  const code = error instanceof ApiError ? error.code : "";
  const sentence =
    code === "TASK_NOT_FOUND"
      ? "No such task, or it was deleted."
      : code === "FORBIDDEN"
        ? "This task is assigned to someone else."
        : error.message;
  return (
    <div className="empty">
      <h1>{sentence}</h1>
      <Link to="/inbox">Back to the inbox</Link>
    </div>
  );
}

interface WholeProps {
  task: Task;
  search: Scope;
  me: Me;
}

function Whole({ task, search, me }: WholeProps) {
  const navigate = useNavigate();
  const heading = useRef<HTMLHeadingElement>(null);
  const [first = "", ...rest] = task.task.length > HEADING_LENGTH ? task.task.split("\n") : [task.task];
  // Whoever opens a task hears what it is first.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const isOpen = task.status === "created" || task.status === "rejected";
  return (
    <>
      <header className="task-head">
        <div className="task-state">
          <Link to="/inbox" search={search} className="back" aria-label="Back to the list">
            <IconArrowLeft size={16} stroke={1.75} aria-hidden />
          </Link>
          <StatusChip status={task.status} />
          {isOpen && <Deadline created={task.created_at} at={task.timeout_at} />}
          <span className="who">{whoOf(task, me)}</span>
          <span className="grow" />
          <IconButton label="Copy link" onClick={() => void navigator.clipboard.writeText(location.href)}>
            <IconLink size={16} stroke={1.75} aria-hidden />
          </IconButton>
        </div>
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {first}
        </h1>
        {rest.length > 0 && (
          <p className="task-rest" dir="auto">
            {rest.join("\n")}
          </p>
        )}
      </header>
      <div className="task-body">
        <section className="review" aria-labelledby="review">
          <h2 id="review">What to review</h2>
          <Payload
            payload={task.payload}
            schema={task.payload_schema}
            hints={task.form_definition?.["payload"]}
            redact={task.redact_payload}
          />
        </section>
        <section className="reply" aria-labelledby="reply">
          <h2 id="reply">{isOpen ? "Your answer" : "The answer"}</h2>
          {isOpen ? (
            <Answer task={task} search={search} me={me} onNext={(next) => void navigate(next)} />
          ) : (
            <Closed task={task} me={me} />
          )}
        </section>
      </div>
    </>
  );
}

const Markdown = lazy(async () => ({ default: (await import("../form/payload/markdown.tsx")).Markdown }));
const TextDiff = lazy(async () => ({ default: (await import("../form/payload/text-diff.tsx")).TextDiff }));

function Payload({
  payload,
  schema,
  hints,
  redact,
}: {
  payload: unknown;
  schema: unknown;
  hints: unknown;
  redact: boolean;
}) {
  const [opened] = useState(() => Date.now());
  const plan = useMemo(
    () =>
      planPayload({
        payload,
        payload_schema: schema,
        hints,
        redact,
        locale: navigator.language,
        time_zone: TIME_ZONE,
        now: new Date(opened),
      }),
    [payload, schema, hints, redact, opened],
  );
  return (
    <Suspense fallback={<PayloadView plan={plan} />}>
      <PayloadView plan={plan} Markdown={Markdown} TextDiff={TextDiff} />
    </Suspense>
  );
}

function Answer({ task, search, me, onNext }: WholeProps & { onNext: (to: NextPlace) => void }) {
  const [opened] = useState(() => new Date().toISOString());
  const hasClaimed = useRef(false);
  // A claim lapses by itself.
  const now = useNow(() => 30_000);
  const isHeld =
    task.claimed_by_email !== null &&
    task.claimed_by_email !== me.email &&
    Date.parse(task.claim_expires_at ?? "") > now;
  // What is redacted leaves no trace in a browser either.
  const [draft] = useState(() => (task.redact_payload ? null : readDraft(task.id)));
  const secret = useMemo(() => secretFields(task), [task]);
  const claim = async (force: boolean): Promise<void> => {
    hasClaimed.current = true;
    try {
      queryClient.setQueryData(taskQuery(task.id).queryKey, await post<Task>(`/api/tasks/${task.id}/claim`, { force }));
    } catch {
      // A claim only tells others; the answer counts without one.
      await queryClient.invalidateQueries(taskQuery(task.id));
    }
  };
  if (isHeld)
    return (
      <div className="notice warn">
        <p>
          <strong>{task.claimed_by_email}</strong> is on it.
        </p>
        {me.is_operator && (
          <Button variant="default" onClick={() => void claim(true)}>
            Take over
          </Button>
        )}
      </div>
    );
  const onAnswer = async (response: unknown): Promise<Outcome> => {
    try {
      const done = await post<Task>(`/api/tasks/${task.id}/complete`, { response });
      if (done.status === "rejected")
        return {
          kind: "sent back",
          reason: done.verifier_result?.reason ?? "",
          attempt: done.verification_attempt + 1,
        };
      dropDraft(task.id);
      const next = nextAfter(task.id, search, me);
      queryClient.setQueryData(taskQuery(task.id).queryKey, done);
      await queryClient.invalidateQueries({ queryKey: ["tasks"] });
      onNext(next);
      return { kind: "accepted" };
    } catch (error) {
      return outcomeOf(error);
    }
  };
  return (
    <div className="card-form">
      <TaskForm
        live
        task={{
          task_id: task.id,
          response_schema: task.response_schema,
          form_definition: task.form_definition,
          payload: task.payload,
          redact_payload: task.redact_payload,
          is_verified: task.verifier_config !== null && task.verifier_config !== undefined,
        }}
        channel="dashboard"
        time_zone={TIME_ZONE}
        now={opened}
        action=""
        {...(task.status === "rejected" && task.verifier_result
          ? { sent_back: { reason: task.verifier_result.reason ?? "", attempt: task.verification_attempt + 1 } }
          : {})}
        onAnswer={onAnswer}
        {...(draft === null ? {} : { posted: { entries: draft, errors: [], notice: null } })}
        onEdit={(entries) => {
          if (!task.redact_payload) keepDraft(task.id, entries, secret);
          if (!hasClaimed.current && me.user_id !== null) void claim(false);
        }}
      />
    </div>
  );
}

/** Names of the fields that are for secrets, as far as they are asked from the start. */
function secretFields(task: Task): ReadonlySet<string> {
  const { response_schema, form_definition, payload } = task;
  const form = readForm({ response_schema, form_definition, payload, time_zone: TIME_ZONE, now: new Date(0) });
  const nodes = [...nodesOf(planForm(form, {}).root)];
  return new Set(nodes.filter((node) => node.kind === "text" && node.look === "password").map(({ name }) => name));
}

type NextPlace = { to: "/tasks/$id"; params: { id: string }; search: Scope } | { to: "/inbox"; search: Scope };

/** The open task behind this one in the list, else the first, else the empty list. */
function nextAfter(id: string, search: Scope, me: Me): NextPlace {
  const pages = queryClient.getQueryData(tasksQuery(search, me).queryKey)?.pages ?? [];
  const open = pages
    .flatMap((page) => page.data)
    .filter((task) => task.status === "created" || task.status === "rejected");
  const index = open.findIndex((task) => task.id === id);
  const others: ListedTask[] = open.filter((task) => task.id !== id);
  const next = others[Math.max(0, index)] ?? others[0];
  return next === undefined ? { to: "/inbox", search } : { to: "/tasks/$id", params: { id: next.id }, search };
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
  return { kind: "failed", message: `Not sent: ${error.message} (${error.code})` };
}

function Closed({ task, me }: { task: Task; me: Me }) {
  const when = (text: string | null): string =>
    text === null
      ? ""
      : new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(Date.parse(text));
  switch (task.status) {
    case "completed": {
      const who =
        task.completed_by_user_id !== null && task.completed_by_user_id === me.user_id
          ? "You"
          : (task.completed_by_email ?? "Somebody");
      return (
        <>
          <p className="muted">
            {who} answered this on {when(task.completed_at)}
            {task.completed_via_channel === null ? "" : `, through ${task.completed_via_channel}`}.
          </p>
          <Payload payload={task.response} schema={task.response_schema} hints={undefined} redact={false} />
        </>
      );
    }
    case "timed_out":
      return <p className="notice">Nobody answered in time. The task ended on {when(task.timed_out_at)}.</p>;
    case "cancelled":
      return <p className="notice">This task was cancelled. No answer is needed any more.</p>;
    default:
      return (
        <p className="notice bad">
          The answers failed the checks: {task.verifier_result?.reason ?? "no reason was given"}.
        </p>
      );
  }
}
