import { HumanTaskError, type Client, type ListedTask, type Question, type TaskRecord } from "../sdk/index.ts";
import { systemClock } from "../sdk/clock.ts";
import { keyOf } from "../sdk/idempotency.ts";
import { isWrapped } from "../sdk/single-value.ts";

/** How a request stands. `pending` is what the service calls `created` or `rejected`: nobody's answer counts yet. */
export interface HumanRequest {
  request_id: string;
  status: "pending" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
  question: string;
  /** What the person entered, as the request's schema has it: an object, or a single value. null until then, and when nobody did. */
  answer: unknown;
  answered_by: string | null;
  /** Where a person who signs in answers it. */
  url: string;
  asked_at: string;
  /** When it ends by itself. */
  expires_at: string;
}

/** What a person is asked. */
export interface NewRequest {
  question: string;
  context: Record<string, unknown>;
  responseSchema: Record<string, unknown>;
  assignTo: string | undefined;
  notify: readonly string[] | undefined;
  timeoutSeconds: number;
  isConfidential: boolean;
}

/** How long a call may take, and who wants to know meanwhile. */
export interface Patience {
  seconds: number;
  /** When the call began, by `performance.now()`. */
  begun: number;
  /** Of the call: the waiting rejects with its reason. */
  signal: AbortSignal;
  /** Called when the waiting begins, and about every ten seconds. */
  onProgress: (request: HumanRequest, waitedSeconds: number) => Promise<void>;
}

/** The requests of one agent: those that it made, in whatever process and however long ago, and no others. */
export interface Requests {
  /** Asks, or comes back to the same question while it is still open; then waits. */
  ask(request: NewRequest, patience: Patience): Promise<HumanRequest & { isNew: boolean }>;
  /** Waits for a request that was made before. @throws HumanTaskError UNKNOWN_REQUEST */
  check(id: string, patience: Patience): Promise<HumanRequest>;
  /** Newest first. */
  list(which: { isOpen: boolean | undefined; limit: number; signal: AbortSignal }): Promise<HumanRequest[]>;
  /** Takes back what nobody has answered. What has ended stays as it ended. @throws HumanTaskError UNKNOWN_REQUEST */
  withdraw(id: string, reason: string | undefined, signal: AbortSignal): Promise<HumanRequest>;
}

export interface RequestsOptions {
  client: Client;
  /** Where people find the service's pages, without a slash at the end. */
  pagesUrl: string;
  /** Whose requests these are: `AGENT_NAME`. */
  agent: string;
  /** Ends all waiting, not the requests: the process is about to stop. */
  stopping: AbortSignal;
}

/** A name of an agent. Nothing in it ends the part of a key where it stands. */
export const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Short enough that whoever watches sees that something still waits. */
const SLICE_SECONDS = 10;
/** What the service may take to answer beside the waiting, before its silence is told. */
const ANSWER_MS = 5_000;
const PAUSE_MS = 500;
const MINUTE_MS = 60_000;

/** Where requests are kept, and whose they are. */
interface Own extends Omit<RequestsOptions, "agent"> {
  /** What the keys of these requests begin with. */
  prefix: string;
}

/**
 * Records do not say who created a task, keys do: `mcp:<agent>:<key of the content>:<when>`. An answer is none to the same
 * question of another day: only while a question is open is it the same one, and a key is not used again.
 */
export function createRequests({ agent, ...options }: RequestsOptions): Requests {
  const own: Own = { ...options, prefix: `mcp:${agent}:` };
  return {
    ask: async (request, patience) => ask(own, request, patience),
    check: async (id, patience) => wait(own, await find(own, id, patience.signal), patience),
    list: async (which) => list(own, which),
    withdraw: async (id, reason, signal) => withdraw(own, id, reason, signal),
  };
}

async function ask(own: Own, request: NewRequest, patience: Patience): Promise<HumanRequest & { isNew: boolean }> {
  const question: Question = {
    task: request.question,
    payload: request.context,
    responseSchema: request.responseSchema,
    timeoutSeconds: request.timeoutSeconds,
    assignTo: request.assignTo === undefined ? null : { email: request.assignTo },
    notify: request.notify,
    redactPayload: request.isConfidential,
  };
  const { task, isNew } = await findOrAsk(own, question, bounded(own, patience.signal));
  return { ...(await wait(own, task, patience)), isNew };
}

async function findOrAsk(
  { client, prefix }: Own,
  question: Question,
  signal: AbortSignal,
): Promise<{ task: ListedTask; isNew: boolean }> {
  const mine = `${prefix}${await keyOfContent(question)}:`;
  for await (const task of client.list({ key_prefix: mine, terminal: false, limit: 1 }, { signal }))
    return { task, isNew: false };
  // Of several at the same time one asks, and the others come back to it: within a minute they all make the same key, and
  // where that was answered already, the same one of what was answered.
  for (let when = String(Math.floor(Date.now() / MINUTE_MS)); ;) {
    const { record, isReplay } = await client.ask({ ...question, idempotencyKey: mine + when, signal });
    if (!isReplay || isOpen(record)) return { task: record, isNew: !isReplay };
    when = record.id;
  }
}

async function list(own: Own, which: Parameters<Requests["list"]>[0]): Promise<HumanRequest[]> {
  const { isOpen, limit, signal } = which;
  // The schema says whether the answer is a single value.
  const filter = { key_prefix: own.prefix, limit, include: "schemas" } as const;
  const wanted = isOpen === undefined ? filter : { ...filter, terminal: !isOpen };
  const found: HumanRequest[] = [];
  for await (const task of own.client.list(wanted, { signal: bounded(own, signal) })) {
    found.push(toRequest(own, task));
    if (found.length === limit) break;
  }
  return found;
}

async function withdraw(own: Own, id: string, reason: string | undefined, signal: AbortSignal): Promise<HumanRequest> {
  const { client } = own;
  const task = await find(own, id, signal);
  if (!isOpen(task)) return toRequest(own, task);
  try {
    const options = { signal: bounded(own, signal), ...(reason !== undefined && { reason }) };
    return toRequest(own, await client.cancel(id, options));
  } catch (error) {
    // Somebody answered in the meantime.
    if (error instanceof HumanTaskError && error.code === "TASK_ALREADY_TERMINAL")
      return toRequest(own, await client.get(id, { signal: bounded(own, signal) }));
    throw error;
  }
}

/** @throws HumanTaskError UNKNOWN_REQUEST */
async function find(own: Own, id: string, signal: AbortSignal): Promise<TaskRecord> {
  const task = await own.client.get(id, { signal: bounded(own, signal) }).catch((error: unknown) => {
    if (error instanceof HumanTaskError && error.code === "TASK_NOT_FOUND") return null;
    throw error;
  });
  // Another's request is as unknown as one that is not there: nothing of it is told.
  if (task?.idempotency_key.startsWith(own.prefix) !== true)
    throw new HumanTaskError("UNKNOWN_REQUEST", `There is no request ${id} of yours. list_my_requests names them all.`);
  return task;
}

/** Waits until the task closes or the time is up. Returns the last known state when the service does not respond. */
async function wait(
  own: Own,
  task: ListedTask,
  { seconds, begun, signal, onProgress }: Patience,
): Promise<HumanRequest> {
  const { client, stopping } = own;
  const left = Math.ceil(Math.max(0, begun + seconds * 1000 - performance.now()));
  const late = AbortSignal.any([stopping, AbortSignal.timeout(left + ANSWER_MS)]);
  const ending = AbortSignal.any([signal, late]);
  try {
    for (let status = task.status; isOpen({ status });) {
      const waited = (performance.now() - begun) / 1000;
      if (seconds > 0 && waited >= seconds) break;
      if (seconds > 0) await onProgress(toRequest(own, task), waited);
      const asked = performance.now();
      const slice = Math.ceil(Math.min(SLICE_SECONDS, Math.max(0, seconds - waited)));
      ({ status } = await client.poll(task.id, { timeoutSeconds: slice, signal: ending }));
      if (seconds === 0) break;
      // A service that is stopping answers at once, and is not asked in a circle.
      if (isOpen({ status }) && performance.now() - asked < PAUSE_MS) await systemClock.sleep(PAUSE_MS, ending);
    }
    return toRequest(own, await client.get(task.id, { signal: ending }));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return toRequest(own, task);
    throw error;
  }
}

function bounded({ stopping }: Own, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, stopping, AbortSignal.timeout(4 * ANSWER_MS)]);
}

function toRequest({ pagesUrl }: Own, task: ListedTask): HumanRequest {
  return {
    request_id: task.id,
    status: task.status === "created" || task.status === "rejected" ? "pending" : task.status,
    question: task.task,
    answer: answerOf(task),
    answered_by: task.completed_by_email,
    url: `${pagesUrl}/tasks/${task.id}`,
    asked_at: task.created_at,
    expires_at: task.timeout_at,
  };
}

/** What was entered: of a question for a single value, the value. */
function answerOf({ response, response_schema }: ListedTask): unknown {
  return response !== null && response_schema !== undefined && isWrapped(response_schema)
    ? response["value"]
    : response;
}

function isOpen({ status }: { status: TaskRecord["status"] }): boolean {
  return status === "created" || status === "rejected";
}

/** A confidential question is not the one that was asked openly. */
async function keyOfContent({
  task,
  payload,
  responseSchema,
  assignTo,
  notify,
  redactPayload,
}: Question): Promise<string> {
  const asked = {
    task,
    payload: payload as Record<string, unknown>,
    payload_schema: {},
    response_schema: responseSchema as Record<string, unknown>,
    timeout_seconds: 0,
    assign_to: assignTo ?? null,
    notify: notify ? [...notify] : null,
  };
  return keyOf(asked, redactPayload === true ? "confidential" : undefined);
}
