/**
 * The contract as a small state machine: the changes and the answer of each call. Written from the specification; it
 * shares no code with the service. Ids are our own names ("task 3") until the service has returned its own.
 */
import { isDeepStrictEqual } from "node:util";
import { FLAWS, type Request } from "./requests.ts";
import { counts, deliveryRecord, entryRecord, list, listed, polled, record, stats } from "./views.ts";
import {
  deadlineOf,
  isTerminal,
  SECOND,
  type Action,
  type Answer,
  type Delivery,
  type Entry,
  type Status,
  type Task,
  type World,
} from "./world.ts";

/** Seconds before attempts 1 to 13. */
const WAITS = [0, 30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 86_400];
/** How long a callback waits for the answer to the request that caused it. */
export const HOLD = 5 * SECOND;

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
    if (action.type === "audit" && left) return { status: 200, body: [entryRecord(name, left.entry, null)] };
    if (action.type === "deliveries") return { status: 200, body: [] };
    return { status: 404, code: action.type === "redeliver" ? "DELIVERY_NOT_FOUND" : "TASK_NOT_FOUND" };
  }
  switch (action.type) {
    case "read":
      return { status: 200, body: record(task) };
    case "poll":
      return { status: 200, body: polled(task) };
    case "audit":
      return { status: 200, body: task.audit.map((entry) => entryRecord(name, entry, task)) };
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
