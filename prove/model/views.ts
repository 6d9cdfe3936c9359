/** What the service must return for a task, its audit entries and its callback, and for all tasks together. */
import {
  ADMIN,
  askedBy,
  has,
  isForAnyone,
  isHostOf,
  isVisible,
  PERSON,
  PERSON_EMAIL,
  type Caller,
  type Speaker,
} from "./callers.ts";
import { documents, payloadOf, verifierConfig } from "./requests.ts";
import { nextStep } from "./steps.ts";
import {
  deadlineOf,
  isTerminal,
  openQuestions,
  SECOND,
  TERMINAL,
  versionOf,
  type Delivery,
  type Entry,
  type ListFilter,
  type Said,
  type Status,
  type Task,
  type World,
} from "./world.ts";

const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

function iso(at: number): string;
function iso(at: number | null): string | null;
function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function decidedBy({ status, channel, decider }: Task) {
  // Where no one answered in time, no one decided.
  if (status !== "completed" || decider === null) return null;
  const by = { user_id: null, email: null, name: decider, channel };
  if (decider === ADMIN) return { kind: "admin", ...by };
  return { kind: "agent", ...by, ...(!has(decider, "answer") && { at_host: true }) };
}

/** An answer decides with yes or no, which the form does not judge. */
function decisionOf({ status, response }: Task) {
  if (status !== "completed") return null;
  return { label: (response as { approved: boolean }).approved ? "Yes" : "No", tone: null };
}

function common(task: Task) {
  return {
    idempotency_key: task.key,
    status: task.status,
    response: task.response,
    completed_at: iso(task.status === "completed" ? task.ended : null),
    timed_out_at: iso(task.status === "timed_out" ? task.ended : null),
    completed_by_email: task.email,
    completed_via_channel: task.channel,
    verification_attempt: task.rejections,
    cancelled_at: iso(task.status === "cancelled" ? task.ended : null),
    cancelled_by: null,
    cancel_reason: task.reason,
    ...askedBy(task.asker),
    decided_by: decidedBy(task),
    verifier_result: task.verdict && { ...task.verdict },
  };
}

function waitingOn(task: Task): "people" | "agent" | null {
  if (isTerminal(task)) return null;
  return openQuestions(task).length > 0 ? "agent" : "people";
}

export function polled(task: Task) {
  const questions = isTerminal(task) ? [] : openQuestions(task).map((one) => commentRecord(task, one));
  return { task_id: task.name, ...common(task), waiting_on: waitingOn(task), version: versionOf(task), questions };
}

/** Returns the record of a task as a caller sees it. */
export function record(task: Task, by: Caller) {
  const { payload_schema, response_schema } = documents();
  const sentBack = task.status === "rejected" ? { rejected_response: task.refused } : {};
  const payload = payloadOf(task.amounts.at(-1)!);
  const escalation = task.steps.map(({ request, at, done }, i) => ({
    step: i + 1,
    do: request.do,
    after: request.after,
    calendar: null,
    to: request.do === "assign" ? request.to : null,
    at: iso(at),
    done_at: iso(done),
  }));
  const { fallback } = task.request;
  const on_timeout = fallback === null ? null : { response: { approved: fallback } };
  const later = { escalation, on_timeout };
  return {
    ...listed(task, by),
    locale: task.request.locale,
    payload,
    payload_schema,
    response_schema,
    form_definition: null,
    ...later,
    // Nothing is resumed in the model.
    ...((by === ADMIN || by === task.asker) && { resume: [] }),
    ...sentBack,
    ...(isHostOf(by, task) && { host_may_answer: !isTerminal(task) && isForAnyone(task) }),
  };
}

function nextOf(task: Task) {
  const next = isTerminal(task) ? null : nextStep(task);
  return next && { do: next.request.do, at: iso(next.at) };
}

/** Returns a row of a list. Its `callback_url` is the name of the receiver, as in `Request`. */
export function listed(task: Task, by: Caller) {
  const { request } = task;
  // Only its asker and the admin token see these.
  const routing = {
    notify: null,
    callback_url: request.hook,
    verifier_config: request.verifier === null ? null : verifierConfig(request.verifier),
  };
  return {
    id: task.name,
    ...common(task),
    waiting_on: waitingOn(task),
    version: versionOf(task),
    decision: decisionOf(task),
    project: task.project,
    task: request.task,
    payload: request.redact ? { _redacted: true } : payloadOf(task.amounts.at(-1)!),
    action: null,
    actions: null,
    approvals: null,
    assign_to: request.email === null ? null : { email: request.email },
    assigned_to_email: task.assignee,
    assigned_to_user_id: null,
    delegated_from: null,
    delegated_until: null,
    claimed_by_email: null,
    claim_expires_at: null,
    timeout_seconds: task.timeout_seconds,
    timeout_at: iso(deadlineOf(task)),
    urgent: isUrgent(task),
    priority: request.priority ?? "normal",
    labels: request.labels,
    facts: factsOf(task),
    next_step: nextOf(task),
    redact_payload: request.redact,
    is_verified: request.verifier !== null && !request.redact,
    verification_attempts_left: request.verifier === null || request.redact ? null : request.verifier - task.rejections,
    created_at: iso(task.created),
    updated_at: iso(task.updated),
    completed_by_user_id: null,
    completed_by_slack_team_id: null,
    completed_by_slack_user_id: null,
    ...((by === ADMIN || by === task.asker) && routing),
  };
}

/** Returns what somebody said, as the list of comments shows it. */
export function commentRecord({ name: task_id }: Task, { name, kind, text, version, by, answers, at }: Said) {
  return {
    ...(name !== null && { id: name }),
    task_id,
    kind,
    text,
    version,
    by: authorRecord(by),
    is_asker: answers !== null,
    files: [],
    created_at: iso(at),
  };
}

function authorRecord(by: Speaker) {
  if (by === PERSON) return { kind: "person", user_id: PERSON, email: PERSON_EMAIL, name: null, channel: "dashboard" };
  return { kind: by === ADMIN ? "admin" : "agent", user_id: null, email: null, name: by, channel: null };
}

/** Returns what a task asks and asked, oldest first. */
export function versions({ amounts, said, created }: Task) {
  return amounts.map((amount, i) => {
    const revision = said.find(({ version }) => version === i + 1);
    const [note, at] = [revision?.text ?? null, revision?.at ?? created];
    return { version: i + 1, payload: payloadOf(amount), action: null, actions: null, note, created_at: iso(at) };
  });
}

/** @param task - null if it is deleted */
export function entryRecord(name: string, entry: Entry, task: Task | null) {
  return {
    task_id: name,
    action: entry.action,
    from_status: entry.from,
    to_status: entry.to,
    actor_type: entry.actor,
    actor_email: entry.email,
    channel: entry.channel,
    verifier_reason: entry.reason,
    embed_sub: null,
    extra: entry.extra,
    created_at: iso(entry.at),
    agent_id: entry.agent,
    agent_name: entry.agent,
    ...(task !== null && entry.action === "created" && askedBy(task.asker)),
    ...(task !== null && entry.to === "completed" && entry.from !== "completed" && { decided_by: decidedBy(task) }),
  };
}

/** What other kinds of deliveries have. */
const OF_CALLBACKS = { kind: "callback", engine: null, connection: null, subscription: null, meaning: null };

export function deliveryRecord(task: Task, delivery: Delivery) {
  return {
    ...OF_CALLBACKS,
    task_id: task.name,
    task: task.request.task,
    url: delivery.hook,
    status: delivery.status,
    attempt_count: delivery.count,
    next_attempt_at: iso(delivery.due),
    last_attempt_at: iso(delivery.last?.at ?? null),
    last_status_code: delivery.last?.status_code ?? null,
    created_at: iso(delivery.created),
    attempts: delivery.attempts.map((attempt) => ({ ...attempt, started_at: iso(attempt.started_at), meaning: null })),
    body: delivery.body,
  };
}

/** Returns tasks in the required order; those with equal times may come in either order. */
export function list(world: World, by: Caller, filter: ListFilter): Task[] {
  const {
    status,
    terminal,
    unassigned,
    assigned_to,
    q,
    label = [],
    priority,
    sort,
    project,
    agent,
    key,
    decision,
  } = filter;
  const asker = agent === "me" ? by : agent;
  return visibleTo(by, world.tasks, project)
    .filter((task) => status === undefined || status.includes(task.status))
    .filter((task) => terminal === undefined || terminal === isTerminal(task))
    .filter((task) => unassigned === undefined || unassigned === (task.assignee === null))
    .filter((task) => assigned_to === undefined || assigned_to.toLowerCase() === task.assignee?.toLowerCase())
    .filter((task) => q === undefined || isFound(task, q))
    .filter((task) => label.every((one) => hasLabel(task, one)))
    .filter((task) => priority === undefined || priority === priorityOf(task))
    .filter((task) => asker === undefined || asker === task.asker)
    .filter((task) => key === undefined || (key === task.key && task.asker === (asker ?? by)))
    .filter((task) => decision === undefined || decision === decisionOf(task)?.label)
    .filter((task) => sort !== "ended" || isTerminal(task))
    .toSorted((a, b) => {
      if (sort === "deadline") return deadlineOf(a) - deadlineOf(b);
      return sort === "ended" ? b.ended! - a.ended! : b.created - a.created;
    });
}

/** The searches of the model have words, labels and states. */
function isFound(task: Task, q: string): boolean {
  return q.split(" ").every((word) => {
    if (word === "is:urgent") return isUrgent(task);
    if (word === "is:open") return !isTerminal(task);
    return word.startsWith("label:") ? hasLabel(task, word.slice("label:".length)) : mentions(task, word.toLowerCase());
  });
}

/** A task is found by its title, its facts, its labels, its assignee, and by the name of the agent that asks. */
function mentions(task: Task, text: string): boolean {
  const { request, asker, assignee } = task;
  return [request.task, factsOf(task), ...request.labels, assignee, asker === ADMIN ? null : asker].some((one) =>
    one?.toLowerCase().includes(text),
  );
}

function hasLabel({ request }: Task, label: string): boolean {
  return request.labels.some((one) => one.toLowerCase() === label.toLowerCase());
}

function factsOf({ request, amounts }: Task): string | null {
  return request.redact ? null : `${amounts.at(-1)} · Dana`;
}

function isUrgent({ isUrgent, request }: Task): boolean {
  return isUrgent || request.priority === "urgent";
}

function priorityOf(task: Task): string {
  return isUrgent(task) ? "urgent" : (task.request.priority ?? "normal");
}

function visibleTo(by: Caller, tasks: readonly Task[], project: string | null = null): Task[] {
  return tasks.filter((task) => isVisible(by, task) && (project === null || project === task.project));
}

export function counts({ now, tasks }: World, by: Caller, project: string | null) {
  const visible = visibleTo(by, tasks, project);
  const open = visible.filter((task) => !isTerminal(task));
  return {
    open: open.length,
    mine: 0,
    unclaimed: open.filter(({ assignee }) => assignee === null).length,
    due_within_hour: open.filter((task) => deadlineOf(task) <= now + HOUR).length,
    closed_today: visible.filter(({ ended }) => ended !== null && dayOf(ended) === dayOf(now)).length,
  };
}

export function stats({ now, ...world }: World, window_days: number, project: string | null) {
  const tasks = visibleTo(ADMIN, world.tasks, project);
  const first = dayOf(now) - window_days + 1;
  const closed = tasks.filter(({ ended }) => ended !== null && dayOf(ended) >= first);
  const completed = closed.filter(({ status }) => status === "completed");
  const took = completed.map(({ created, ended }) => ended! - created).toSorted((a, b) => a - b);
  const inSeconds = (ms: number | undefined) => (ms === undefined ? null : ms / SECOND);
  const rank = (part: number) => inSeconds(took[Math.max(Math.ceil(took.length * part) - 1, 0)]);
  const ended = (among: Task[]) =>
    Object.fromEntries(TERMINAL.map((status) => [status, among.filter((task) => task.status === status).length]));
  const open = (status: Status) => tasks.filter((task) => task.status === status).length;
  const channels = Map.groupBy(completed, ({ channel }) => channel);
  return {
    window_days,
    generated_at: iso(now),
    totals: { created: open("created"), rejected: open("rejected"), ...ended(closed) },
    completion_rate: closed.length === 0 ? null : completed.length / closed.length,
    avg_completion_seconds: took.length === 0 ? null : took.reduce((sum, one) => sum + one, 0) / took.length / SECOND,
    median_completion_seconds: rank(0.5),
    p90_completion_seconds: rank(0.9),
    by_day: Array.from({ length: window_days }, (_, i) => ({
      date: iso((first + i) * DAY).slice(0, 10),
      created: tasks.filter(({ created }) => dayOf(created) === first + i).length,
      ...ended(closed.filter((task) => dayOf(task.ended!) === first + i)),
    })),
    by_channel: [...channels]
      .map(([channel, all]) => ({ channel, completed: all.length }))
      .toSorted((a, b) => b.completed - a.completed || (a.channel ?? "").localeCompare(b.channel ?? "")),
  };
}

function dayOf(at: number): number {
  return Math.floor(at / DAY);
}
