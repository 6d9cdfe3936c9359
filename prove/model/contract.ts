/**
 * The contract as a small state machine: the changes and the answer of each call. Written from the specification; it
 * shares no code with the service. Ids are our own names ("task 3") until the service has returned its own.
 */
import { isDeepStrictEqual } from "node:util";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** Seconds before attempts 1 to 13. */
const WAITS = [0, 30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 86_400];
/** How long a callback waits for the answer to the request that caused it. */
export const HOLD = 5 * SECOND;
const TERMINAL: readonly Status[] = ["completed", "timed_out", "cancelled", "verification_exhausted"];

export type Status = "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";

/** The options of a creation; the rest of the body follows from them. */
export interface Request {
  task: string;
  timeout_seconds: number;
  email: string | null;
  redact: boolean;
  /** The receiver of the callback. */
  hook: string | null;
  /** Rejections after which the task ends; null without a verifier. */
  verifier: number | null;
  flaw: Flaw | null;
}

export const FLAWS = {
  "timeout below the minimum": 422,
  "timeout as text": 400,
  "no task": 400,
  "payload is an array": 400,
  "payload against its schema": 422,
  "callback over ftp": 422,
} as const;
export type Flaw = keyof typeof FLAWS;

export type Action =
  | { type: "create"; key: string; request: Request }
  | { type: "complete"; task: number; approved: boolean | string; email: string | null; channel: string | null }
  | { type: "cancel"; task: number; reason: string | null }
  | { type: "extend"; task: number; timeout_seconds: number }
  | { type: "delete"; task: number }
  | { type: "read" | "poll" | "audit"; task: number }
  | { type: "list"; filter: ListFilter; limit: number }
  | { type: "counts" }
  | { type: "stats"; days: number }
  | { type: "deliveries"; task: number }
  | { type: "redeliver"; task: number }
  | { type: "redeliver all"; status: DeliveryStatus }
  | { type: "time out" };

export interface ListFilter {
  status?: Status[];
  terminal?: boolean;
  unassigned?: boolean;
  assigned_to?: string;
  q?: string;
  sort?: "deadline";
}

interface Entry {
  action: string;
  from: Status | null;
  to: Status | null;
  actor: "agent" | "system";
  email: string | null;
  channel: string | null;
  reason: string | null;
  extra: object | null;
  at: number;
}

export type DeliveryStatus = "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED";
interface Attempt {
  cycle: number;
  attempt: number;
  outcome: "succeeded" | "failed";
  status_code: number | null;
  started_at: number;
}
interface Delivery {
  hook: string;
  body: object;
  status: DeliveryStatus;
  cycle: number;
  count: number;
  due: number | null;
  last: { at: number; status_code: number | null } | null;
  attempts: Attempt[];
  created: number;
}

export interface Task {
  name: string;
  key: string;
  request: Request;
  /** The current one; `request` has the first. */
  timeout_seconds: number;
  status: Status;
  response: object | null;
  /** The answer that the verifier sent back last. A record has it while the task is `rejected`. */
  refused: object | null;
  verdict: { passed: boolean; reason: string; attempt: number } | null;
  rejections: number;
  created: number;
  updated: number;
  ended: number | null;
  email: string | null;
  channel: string | null;
  /** The reason of the cancellation. */
  reason: string | null;
  audit: Entry[];
  delivery: Delivery | null;
}

/** The whole state. */
export interface World {
  now: number;
  tasks: Task[];
  /** The audit entries that remain of deleted tasks. */
  gone: { name: string; entry: Entry }[];
  /** How many tasks were ever created. */
  named: number;
}

export interface Answer {
  status: number;
  code?: string;
  replayed?: string;
  mismatch?: string | null;
  body?: unknown;
  /** The order of rows; those with equal times may come in either order. */
  order?: "created" | "deadline";
}

export function emptyWorld(now: number): World {
  return { now, tasks: [], gone: [], named: 0 };
}

/**
 * Applies `action` to `world`, which it changes, and returns the expected answer.
 *
 * @param given - the actual answer, needed for the one answer that depends on an invisible order: whether a verdict
 *   came before or after another one that counted
 */
export function apply(world: World, action: Action, given?: { code?: string | undefined }): Answer {
  if ("task" in action) return applyToTask(world, action, given);
  switch (action.type) {
    case "create":
      return create(world, action.key, action.request);
    case "time out":
      return { status: 200, body: timeOut(world) };
    case "list":
      return {
        status: 200,
        body: list(world, action.filter).map((task) => listed(task)),
        order: action.filter.sort ?? "created",
      };
    case "counts":
      return { status: 200, body: counts(world) };
    case "stats":
      return { status: 200, body: stats(world, action.days) };
    case "redeliver all": {
      const meant = world.tasks.flatMap(({ delivery }) => (delivery?.status === action.status ? [delivery] : []));
      for (const delivery of meant) redeliver(world, delivery);
      return { status: 202, body: { count: meant.length } };
    }
  }
}

function applyToTask(
  world: World,
  action: Extract<Action, { task: number }>,
  given?: { code?: string | undefined },
): Answer {
  const name = `task ${action.task}`;
  const task = world.tasks.find((one) => one.name === name);
  if (!task) {
    const left = world.gone.find((one) => one.name === name);
    if (action.type === "audit" && left) return { status: 200, body: [entryRecord(name, left.entry)] };
    if (action.type === "deliveries") return { status: 200, body: [] };
    return { status: 404, code: action.type === "redeliver" ? "DELIVERY_NOT_FOUND" : "TASK_NOT_FOUND" };
  }
  switch (action.type) {
    case "read":
      return { status: 200, body: record(task) };
    case "poll":
      return { status: 200, body: polled(task) };
    case "audit":
      return { status: 200, body: task.audit.map((entry) => entryRecord(name, entry)) };
    case "complete":
      return complete(world, task, action, given);
    case "cancel": {
      if (isTerminal(task)) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
      const { reason } = action;
      const extra = reason === null ? null : { reason };
      task.reason = reason;
      end(world, task, "cancelled", {
        action: "cancelled",
        actor: "agent",
        email: null,
        channel: null,
        reason: null,
        extra,
      });
      return { status: 200, body: record(task) };
    }
    case "extend": {
      if (isTerminal(task) || world.now >= deadlineOf(task)) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
      const previous_timeout_seconds = task.timeout_seconds;
      const { timeout_seconds } = action;
      if (timeout_seconds === previous_timeout_seconds) return { status: 200, body: record(task) };
      if (task.created + timeout_seconds * SECOND <= world.now) return { status: 422, code: "VALIDATION_FAILED" };
      task.timeout_seconds = timeout_seconds;
      move(world, task, task.status, {
        action: "extended",
        actor: "agent",
        email: null,
        channel: null,
        reason: null,
        extra: { timeout_seconds, previous_timeout_seconds },
      });
      return { status: 200, body: record(task) };
    }
    case "delete": {
      const from = task.status;
      world.tasks = world.tasks.filter((one) => one !== task);
      const rest = { to: null, actor: "agent", email: null, channel: null, reason: null, extra: null } as const;
      world.gone.push({ name, entry: { action: "deleted", from, ...rest, at: world.now } });
      return { status: 204 };
    }
    case "deliveries":
      return { status: 200, body: task.delivery ? [deliveryRecord(task, task.delivery)] : [] };
    case "redeliver":
      if (!task.delivery) return { status: 404, code: "DELIVERY_NOT_FOUND" };
      redeliver(world, task.delivery);
      return { status: 200 };
  }
}

/** Makes one attempt of each due delivery. @returns what receivers must get: hook and body */
export function attemptDue(world: World, statusOf: (hook: string) => number | null): { hook: string; body: object }[] {
  const sent: { hook: string; body: object }[] = [];
  for (const task of world.tasks) {
    const { delivery } = task;
    if (!delivery || delivery.due === null || delivery.due > world.now) continue;
    const status_code = statusOf(delivery.hook);
    sent.push({ hook: delivery.hook, body: delivery.body });
    const isOk = status_code !== null && status_code >= 200 && status_code < 300;
    delivery.count++;
    delivery.last = { at: world.now, status_code };
    const outcome = isOk ? "succeeded" : "failed";
    delivery.attempts.push({
      cycle: delivery.cycle,
      attempt: delivery.count,
      outcome,
      status_code,
      started_at: world.now,
    });
    const wait = WAITS[delivery.count];
    delivery.status = isOk ? "SUCCEEDED" : wait === undefined ? "ABANDONED" : "FAILED";
    delivery.due = isOk || wait === undefined ? null : world.now + wait * SECOND;
    if (delivery.status === "ABANDONED") {
      const rest = { actor: "system", email: null, channel: null, reason: null } as const;
      const extra = { attempts: delivery.count };
      task.audit.push({
        action: "callback_abandoned",
        from: task.status,
        to: task.status,
        ...rest,
        extra,
        at: world.now,
      });
    }
  }
  return sent;
}

/** Returns the body of this creation. */
export function bodyOf(key: string, request: Request, hooks: ReadonlyMap<string, string>): Record<string, unknown> {
  const { task, timeout_seconds, email, redact, hook, verifier, flaw } = request;
  const body: Record<string, unknown> = {
    idempotency_key: key,
    task,
    timeout_seconds,
    ...documents(),
    ...(email !== null && { assign_to: { email } }),
    ...(redact && { redact_payload: true }),
    ...(hook !== null && { callback_url: hooks.get(hook) }),
    ...(verifier !== null && { verifier_config: verifierConfig(verifier) }),
  };
  switch (flaw) {
    case null:
      return body;
    case "timeout below the minimum":
      return { ...body, timeout_seconds: 59 };
    case "timeout as text":
      return { ...body, timeout_seconds: "900" };
    case "no task":
      return { ...body, task: undefined };
    case "payload is an array":
      return { ...body, payload: [] };
    case "payload against its schema":
      return { ...body, payload: { amount: "much" } };
    case "callback over ftp":
      return { ...body, callback_url: "ftp://example.com/" };
  }
}

const verifierConfig = (max_attempts: number) => ({ provider: "openai", instructions: "Look closely.", max_attempts });
const documents = () => ({
  payload: { amount: 12.5, customer: "Dana" },
  payload_schema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  response_schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
});

function create(world: World, key: string, request: Request): Answer {
  const bound = world.tasks.find((task) => task.key === key);
  if (bound) {
    const { timeout_seconds } = bound;
    const isSame = [bound.request, { ...bound.request, timeout_seconds }].some((one) =>
      isDeepStrictEqual({ ...request }, { ...one }),
    );
    const mismatch = isSame ? null : "true";
    return { status: 201, replayed: "true", mismatch, body: record(bound) };
  }
  if (request.flaw !== null) {
    const status = FLAWS[request.flaw];
    return { status, code: status === 400 ? "MALFORMED_REQUEST" : "VALIDATION_FAILED" };
  }
  const task: Task = {
    name: `task ${world.named++}`,
    key,
    request,
    timeout_seconds: request.timeout_seconds,
    status: "created",
    response: null,
    refused: null,
    verdict: null,
    rejections: 0,
    created: world.now,
    updated: world.now,
    ended: null,
    email: null,
    channel: null,
    reason: null,
    audit: [],
    delivery: null,
  };
  const rest = { actor: "agent", email: null, channel: null, reason: null, extra: null } as const;
  task.audit.push({ action: "created", from: null, to: "created", ...rest, at: world.now });
  // No user has an address here, so the address is kept as sent.
  const extra = { by: "email", assigned_to_user_id: null, assigned_to_email: request.email };
  if (request.email !== null)
    task.audit.push({
      ...rest,
      action: "assigned",
      from: "created",
      to: "created",
      actor: "system",
      extra: request.redact ? null : extra,
      at: world.now,
    });
  world.tasks.push(task);
  return { status: 201, replayed: "false", mismatch: null, body: record(task) };
}

function complete(
  world: World,
  task: Task,
  { approved, email, channel }: Extract<Action, { type: "complete" }>,
  given?: { code?: string | undefined },
): Answer {
  if (isTerminal(task) || world.now >= deadlineOf(task)) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
  if (typeof approved !== "boolean") return { status: 422, code: "VALIDATION_FAILED" };
  const { verifier, redact } = task.request;
  const isVerified = verifier !== null && !redact;
  if (isVerified && given?.code === "TASK_CHANGED") return { status: 409, code: "TASK_CHANGED" };
  const response = { approved };
  const by = {
    actor: "agent",
    email,
    channel,
    extra: redact ? null : { response_keys: Object.keys(response) },
  } as const;
  if (isVerified && !approved) {
    task.rejections++;
    task.refused = response;
    task.verdict = { passed: false, reason: "not approved", attempt: task.rejections };
    const status = task.rejections < verifier ? "rejected" : "verification_exhausted";
    if (status === "rejected") move(world, task, status, { action: status, ...by, reason: "not approved" });
    else end(world, task, status, { action: status, ...by, reason: "not approved" });
    return { status: 200, body: record(task) };
  }
  if (isVerified) task.verdict = { passed: true, reason: "fine", attempt: task.rejections };
  Object.assign(task, { response, email, channel });
  end(world, task, "completed", { action: isVerified ? "verified" : "completed", ...by, reason: null });
  return { status: 200, body: record(task) };
}

function timeOut(world: World): number {
  const due = world.tasks.filter((task) => !isTerminal(task) && deadlineOf(task) <= world.now);
  for (const task of due) {
    end(world, task, "timed_out", {
      action: "timed_out",
      actor: "system",
      email: null,
      channel: null,
      reason: null,
      extra: null,
    });
    // No caller waits for an answer.
    if (task.delivery) task.delivery.due = world.now;
  }
  return due.length;
}

function move(world: World, task: Task, status: Status, entry: Omit<Entry, "from" | "to" | "at">): void {
  task.audit.push({ ...entry, from: task.status, to: status, at: world.now });
  task.status = status;
  task.updated = world.now;
}

function end(world: World, task: Task, status: Status, entry: Omit<Entry, "from" | "to" | "at">): void {
  move(world, task, status, entry);
  task.ended = world.now;
  const { hook } = task.request;
  if (hook === null) return;
  const { verifier_result: _, ...body } = polled(task);
  const fresh = { status: "PENDING", cycle: 1, count: 0, due: world.now + HOLD, last: null, attempts: [] } as const;
  task.delivery = { hook, body, ...fresh, attempts: [], created: world.now };
}

function redeliver(world: World, delivery: Delivery): void {
  Object.assign(delivery, { status: "PENDING", cycle: delivery.cycle + 1, count: 0, due: world.now });
}

function isTerminal(task: Task): boolean {
  return TERMINAL.includes(task.status);
}

export function deadlineOf(task: Task): number {
  return task.created + task.timeout_seconds * SECOND;
}

// --- Views of a task -----------------------------------------------------------------------------------------------

function iso(at: number): string;
function iso(at: number | null): string | null;
function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
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
    verifier_result: task.verdict && { ...task.verdict },
  };
}

function polled(task: Task) {
  return { task_id: task.name, ...common(task) };
}

function record(task: Task) {
  const { payload_schema, response_schema } = documents();
  const sentBack = task.status === "rejected" ? { rejected_response: task.refused } : {};
  const { payload } = documents();
  return { ...listed(task), payload, payload_schema, response_schema, form_definition: null, ...sentBack };
}

/** Returns a row of a list. `callback_url` is the hook; the caller knows its address. */
function listed(task: Task) {
  const { request } = task;
  return {
    id: task.name,
    ...common(task),
    task: request.task,
    payload: request.redact ? { _redacted: true } : documents().payload,
    assign_to: request.email === null ? null : { email: request.email },
    assigned_to_email: request.email,
    assigned_to_user_id: null,
    claimed_by_email: null,
    claim_expires_at: null,
    timeout_seconds: task.timeout_seconds,
    timeout_at: iso(deadlineOf(task)),
    redact_payload: request.redact,
    is_verified: request.verifier !== null && !request.redact,
    created_at: iso(task.created),
    updated_at: iso(task.updated),
    completed_by_user_id: null,
    completed_by_slack_team_id: null,
    completed_by_slack_user_id: null,
    notify: null,
    callback_url: request.hook,
    verifier_config: request.verifier === null ? null : verifierConfig(request.verifier),
  };
}

function entryRecord(name: string, entry: Entry) {
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
  };
}

function deliveryRecord(task: Task, delivery: Delivery) {
  return {
    task_id: task.name,
    url: delivery.hook,
    status: delivery.status,
    attempt_count: delivery.count,
    next_attempt_at: iso(delivery.due),
    last_attempt_at: iso(delivery.last?.at ?? null),
    last_status_code: delivery.last?.status_code ?? null,
    created_at: iso(delivery.created),
    attempts: delivery.attempts.map((attempt) => ({ ...attempt, started_at: iso(attempt.started_at) })),
    body: delivery.body,
  };
}

/** Returns tasks in the required order; those with equal times may come in either order. */
function list(world: World, { status, terminal, unassigned, assigned_to, q, sort }: ListFilter): Task[] {
  const text = q?.toLowerCase();
  return world.tasks
    .filter((task) => status === undefined || status.includes(task.status))
    .filter((task) => terminal === undefined || terminal === isTerminal(task))
    .filter((task) => unassigned === undefined || unassigned === (task.request.email === null))
    .filter((task) => assigned_to === undefined || assigned_to.toLowerCase() === task.request.email?.toLowerCase())
    .filter((task) => text === undefined || task.request.task.toLowerCase().includes(text))
    .toSorted((a, b) => (sort === "deadline" ? deadlineOf(a) - deadlineOf(b) : b.created - a.created));
}

function counts({ now, tasks }: World) {
  const open = tasks.filter((task) => !isTerminal(task));
  return {
    open: open.length,
    mine: 0,
    unclaimed: open.filter(({ request }) => request.email === null).length,
    due_within_hour: open.filter((task) => deadlineOf(task) <= now + HOUR).length,
    closed_today: tasks.filter(({ ended }) => ended !== null && dayOf(ended) === dayOf(now)).length,
  };
}

function stats({ now, tasks }: World, window_days: number) {
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
