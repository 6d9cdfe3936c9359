/**
 * The contract as a small state machine: the changes and the answer of each call. Written from the specification; it
 * shares no code with the service. Ids are our own names ("task 3") until the service has returned its own.
 */
import { isDeepStrictEqual } from "node:util";
import {
  ADMIN,
  AGENTS,
  DEFAULT_PROJECT,
  embedAnswer,
  FORBIDDEN,
  has,
  refusalOf,
  stoppedAnswer,
  type Caller,
  type ProjectSlug,
} from "./callers.ts";
import { comment, revise } from "./conversation.ts";
import { actorOf, cancelTask, end, move, NOTHING, SYSTEM, timeOut } from "./moves.ts";
import { ASKED_AMOUNT, FLAWS, type Request } from "./requests.ts";
import { archive, NO_PROJECT, readAgent, readProject, resume, stop, sweepStopped } from "./stopping.ts";
import { moveSteps, stepsOf } from "./steps.ts";
import { takeSteps } from "./take-steps.ts";
import {
  commentRecord,
  counts,
  deliveryRecord,
  entryRecord,
  list,
  listed,
  polled,
  record,
  stats,
  versions,
} from "./views.ts";
import {
  isAnswerable,
  isTerminal,
  SECOND,
  versionOf,
  type Action,
  type Answer,
  type CompleteAction,
  type Delivery,
  type Entry,
  type Task,
  type World,
} from "./world.ts";

/** Seconds before attempts 1 to 13. */
const WAITS = [0, 30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 86_400];
/** What concurrent calls may change in the answer to a call. */
export interface Concurrent {
  /** The answer that the call got. */
  given: { status: number; code?: string | undefined };
  /** In the order that is tried, another answer to the same task counted before. The call may then get `TASK_CHANGED`. */
  isOvertaken: boolean;
  /** In the order that is tried, the task was revised before. Of a call that names no version, it may then get `TASK_REVISED`. */
  isRevised: boolean;
  /** Agents and projects that concurrent calls stop or archive. A call that began before that may still take effect. */
  closing: ReadonlySet<string>;
}

const ALONE: Concurrent = { given: { status: 0 }, isOvertaken: false, isRevised: false, closing: new Set() };

/** Applies `action` to `world`, which it changes, and returns the expected answer. */
export function apply(world: World, action: Action, concurrent: Concurrent = ALONE): Answer {
  const refused = "by" in action ? stoppedAnswer(world, action.by) : null;
  if (refused !== null && !isUnderWay(action, refused, concurrent)) return refused;
  if ("task" in action) return applyToTask(world, action, concurrent);
  switch (action.type) {
    case "create":
      return create(world, action, concurrent);
    case "time out":
      return { status: 200, body: timeOut(world) };
    case "take steps":
      return { status: 200, body: takeSteps(world) };
    case "list":
      return listTasks(world, action);
    case "counts":
      return inProject(action.by, action.project) ?? { status: 200, body: counts(world, action.by, action.project) };
    case "stats":
      return action.by === ADMIN ? { status: 200, body: stats(world, action.days, action.project) } : { ...FORBIDDEN };
    case "redeliver all": {
      if (action.by !== ADMIN) return { ...FORBIDDEN };
      const meant = world.tasks.flatMap(({ delivery }) => (delivery?.status === action.status ? [delivery] : []));
      for (const delivery of meant) redeliver(world, delivery);
      return { status: 202, body: { count: meant.length } };
    }
    case "stop":
      return stop(world, action);
    case "resume":
      return resume(world, action.by, action.agent);
    case "read agent":
      return readAgent(world, action.by, action.agent);
    case "sweep stopped agents":
      return sweepStopped(world);
    case "archive":
      return archive(world, action);
    case "read project":
      return readProject(world, action.by, action.project);
  }
}

/** Returns whether a call got another answer than `refused` because it began before its agent was stopped. */
function isUnderWay(action: Action, refused: Answer, { given, closing }: Concurrent): boolean {
  return "by" in action && closing.has(action.by) && given.code !== refused.code;
}

/** Returns the refusal of a caller that may not read this project; null if it may. */
function inProject(by: Caller, project: ProjectSlug | null = null): Answer | null {
  return by === ADMIN || project === null || AGENTS[by].project === project ? null : { ...NO_PROJECT };
}

function listTasks(world: World, { by, filter }: Extract<Action, { type: "list" }>): Answer {
  const refused = inProject(by, filter.project);
  if (refused !== null) return refused;
  if (filter.agent === "me" && by === ADMIN) return { status: 422, code: "VALIDATION_FAILED" };
  const body = list(world, by, filter).map((task) => listed(task, by));
  return { status: 200, body, order: filter.sort ?? "created" };
}

function applyToTask(world: World, action: Extract<Action, { task: number }>, concurrent: Concurrent): Answer {
  const { by, type } = action;
  const name = `task ${action.task}`;
  const task = world.tasks.find((one) => one.name === name);
  if (type === "deliveries" || type === "redeliver") return ofCallback(world, task, action);
  if (type === "other route" && action.route === "embed")
    return embedAnswer(action.by, task, (one) => isAnswerable(world, one));
  if (!task) {
    const left = world.gone.find((one) => one.name === name);
    // The entry of a deleted task does not say who asked for it.
    if (type === "audit" && left && by === ADMIN) return { status: 200, body: [entryRecord(name, left.entry, null)] };
    return { status: 404, code: "TASK_NOT_FOUND" };
  }
  const refused = refusalOf(by, type === "other route" ? (action.route as "attempts") : type, task);
  if (refused !== null) return refused;
  switch (type) {
    case "read":
      return { status: 200, body: record(task, by) };
    case "poll":
      return { status: 200, body: polled(task) };
    case "audit":
      return { status: 200, body: task.audit.map((entry) => entryRecord(name, entry, task)) };
    case "comments":
      return { status: 200, body: task.said.map((one) => commentRecord(task, one)) };
    case "versions":
      return { status: 200, body: versions(task) };
    case "other route":
      return { status: 200 };
    case "comment":
      return comment(world, task, action);
    case "revise":
      return revise(world, task, action, concurrent);
    case "complete":
      return complete(world, task, action, concurrent);
    case "cancel":
      if (isTerminal(task)) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
      cancelTask(world, task, action.reason, actorOf(by));
      return { status: 200, body: record(task, by) };
    case "extend":
      return extend(world, task, action);
    case "delete": {
      const from = task.status;
      world.tasks = world.tasks.filter((one) => one !== task);
      world.gone.push({
        name,
        entry: { ...NOTHING, ...actorOf(by), action: "deleted", from, to: null, at: world.now },
      });
      return { status: 204 };
    }
  }
}

/** Returns the answer to a call about the callback of a task. Only operators may make it. */
function ofCallback(
  world: World,
  task: Task | undefined,
  { by, type }: Extract<Action, { type: "deliveries" | "redeliver" }>,
): Answer {
  if (by !== ADMIN) return { ...FORBIDDEN };
  const delivery = task?.delivery ?? null;
  if (type === "deliveries") return { status: 200, body: task && delivery ? [deliveryRecord(task, delivery)] : [] };
  if (!delivery) return { status: 404, code: "DELIVERY_NOT_FOUND" };
  redeliver(world, delivery);
  return { status: 200 };
}

function extend(world: World, task: Task, { by, timeout_seconds }: Extract<Action, { type: "extend" }>): Answer {
  if (!isAnswerable(world, task)) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
  const previous_timeout_seconds = task.timeout_seconds;
  if (timeout_seconds === previous_timeout_seconds) return { status: 200, body: record(task, by) };
  if (task.created + timeout_seconds * SECOND <= world.now) return { status: 422, code: "VALIDATION_FAILED" };
  task.timeout_seconds = timeout_seconds;
  moveSteps(task);
  const extra = { timeout_seconds, previous_timeout_seconds };
  move(world, task, task.status, { ...NOTHING, ...actorOf(by), action: "extended", extra });
  return { status: 200, body: record(task, by) };
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
      const { status } = task;
      const extra = { attempts: delivery.count };
      const entry = { ...NOTHING, ...SYSTEM, action: "callback_abandoned", extra, at: world.now };
      task.audit.push({ ...entry, from: status, to: status });
    }
  }
  return sent;
}

function create(world: World, action: Extract<Action, { type: "create" }>, concurrent: Concurrent): Answer {
  const { by, key, request } = action;
  const bound = world.tasks.find((task) => task.asker === by && task.key === key);
  if (bound) {
    const mismatch = isSameRequest(bound, request) ? null : "true";
    return { status: 201, replayed: "true", mismatch, body: record(bound, by) };
  }
  const project = projectOf(by, request);
  const refused = creationRefusal(world, request, project, concurrent);
  if (refused !== null) return refused;
  const task = newTask(world, action, project!);
  world.tasks.push(task);
  return { status: 201, replayed: "false", mismatch: null, body: record(task, by) };
}

/**
 * Returns whether a request is the one that created a task. Its timeout may be the first or the current one of the task. Without
 * a project, it counts as one for the project of the task.
 */
function isSameRequest(bound: Task, { project, ...asked }: Request): boolean {
  const { project: _, ...first } = bound.request;
  const { timeout_seconds } = bound;
  const isSameProject = project === null || project === bound.project;
  return isSameProject && [first, { ...first, timeout_seconds }].some((one) => isDeepStrictEqual(asked, one));
}

/** Returns the project of a new task; null if the caller may not name it. */
function projectOf(by: Caller, { project }: Request): ProjectSlug | typeof DEFAULT_PROJECT | null {
  if (by !== ADMIN) return project === null || project === AGENTS[by].project ? AGENTS[by].project : null;
  return project === "nowhere" ? null : (project ?? DEFAULT_PROJECT);
}

/** The shape of the body is checked first, then the project, then the rest of the body. */
function creationRefusal(
  { archived }: World,
  { flaw }: Request,
  project: ProjectSlug | typeof DEFAULT_PROJECT | null,
  { given, closing }: Concurrent,
): Answer | null {
  const flawed = flaw === null ? null : flawAnswer(FLAWS[flaw].status);
  if (flaw !== null && FLAWS[flaw].isOfShape) return flawed;
  if (project === null) return { status: 422, code: "VALIDATION_FAILED" };
  const isArchived = project !== DEFAULT_PROJECT && archived[project] !== undefined;
  const isUnderWay = closing.has(project) && given.code !== "PROJECT_ARCHIVED";
  return isArchived && !isUnderWay ? { status: 409, code: "PROJECT_ARCHIVED" } : flawed;
}

function flawAnswer(status: number): Answer {
  return { status, code: status === 400 ? "MALFORMED_REQUEST" : "VALIDATION_FAILED" };
}

function newTask(world: World, { by, key, request }: Extract<Action, { type: "create" }>, project: string): Task {
  const entry = { ...NOTHING, to: "created", at: world.now } as const;
  const audit: Entry[] = [{ ...entry, ...actorOf(by), action: "created", from: null }];
  // No user has an address here, so the address is kept as sent.
  const extra = { by: "email", assigned_to_user_id: null, assigned_to_email: request.email };
  if (request.email !== null)
    audit.push({ ...entry, ...SYSTEM, action: "assigned", from: "created", extra: request.redact ? null : extra });
  return {
    name: `task ${world.named++}`,
    asker: by,
    key,
    project,
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
    decider: null,
    reason: null,
    assignee: request.email,
    steps: stepsOf(request.steps ?? [], { created: world.now, timeout_seconds: request.timeout_seconds }),
    isUrgent: false,
    isOver: false,
    amounts: [ASKED_AMOUNT],
    said: [],
    audit,
    delivery: null,
  };
}

function complete(
  world: World,
  task: Task,
  { by: caller, approved, email, channel, version }: CompleteAction,
  { given, isOvertaken, isRevised }: Concurrent,
): Answer {
  if (!isAnswerable(world, task)) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
  if (version !== null && version > versionOf(task)) return { status: 422, code: "VALIDATION_FAILED" };
  if (version !== null && version < versionOf(task)) return { status: 409, code: "TASK_REVISED" };
  if (typeof approved !== "boolean") return { status: 422, code: "VALIDATION_FAILED" };
  // It was read before the revision, which is what it would have been about.
  if (version === null && isRevised && given.code === "TASK_REVISED") return { status: 409, code: "TASK_REVISED" };
  const { verifier, redact } = task.request;
  const isVerified = verifier !== null && !redact;
  if (isVerified && isOvertaken && given.code === "TASK_CHANGED") return { status: 409, code: "TASK_CHANGED" };
  const response = { approved };
  // Without the scope, it is the host that answers, and it names no one.
  const at_host = caller !== ADMIN && !has(caller, "answer");
  const named = at_host ? { email: null, channel: "mcp" } : { email, channel };
  const by = {
    ...actorOf(caller),
    ...named,
    extra: redact ? null : { response_keys: Object.keys(response), ...(at_host && { at_host }) },
  };
  if (isVerified && !approved) {
    task.rejections++;
    task.refused = response;
    task.verdict = { passed: false, reason: "not approved", attempt: task.rejections };
    const status = task.rejections < verifier ? "rejected" : "verification_exhausted";
    if (status === "rejected") move(world, task, status, { action: status, ...by, reason: "not approved" });
    else end(world, task, status, { action: status, ...by, reason: "not approved" });
    return { status: 200, body: record(task, caller) };
  }
  if (isVerified) task.verdict = { passed: true, reason: "fine", attempt: task.rejections };
  Object.assign(task, { response, ...named, decider: caller });
  end(world, task, "completed", { action: isVerified ? "verified" : "completed", ...by, reason: null });
  return { status: 200, body: record(task, caller) };
}

function redeliver(world: World, delivery: Delivery): void {
  Object.assign(delivery, { status: "PENDING", cycle: delivery.cycle + 1, count: 0, due: world.now });
}
