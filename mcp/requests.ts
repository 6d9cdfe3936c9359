import {
  approval,
  HumanTaskError,
  type ActionQuestion,
  type Client,
  type ListedTask,
  type Question,
  type Revision,
  type TaskOutcome,
  type TaskRecord,
} from "../sdk/index.ts";
import { isFallback } from "../endings/answer-state.ts";
import { systemClock } from "../sdk/clock.ts";
import { keyOf } from "../sdk/idempotency.ts";
import { isWrapped, toResponse } from "../sdk/single-value.ts";
import { keyOfReply } from "./reply-key.ts";
import type { Look, ReadReview } from "./review.ts";

/** The state of a request. `pending` is `created` or `rejected` in the service: there is no accepted answer yet. */
export interface HumanRequest {
  request_id: string;
  status: "pending" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
  question: string;
  /** The name of the action that the request asks about. null for a question. */
  action: string | null;
  /** The answer in the request's schema: an object or a single value. null without an answer. */
  answer: unknown;
  answered_by: string | null;
  /** No one answered in time, and the answer is the one that the request gave for that. Left out otherwise. */
  is_fallback?: true;
  /** How many people must approve, and how many have; `have` is null while people must not know. Only if several must. */
  approvals?: { need: number; have: number | null };
  /** People see that it is urgent. Only while it is pending. */
  urgent?: true;
  /** Which version people see: 2 or more, after revisions. Left out before. */
  version?: number;
  /** What people decide about since the request was revised: the context of a question, or the arguments of an action. Not in lists. */
  context?: unknown;
  /** Someone asked the agent something, and no reply came. Only while it is pending. */
  needs_reply?: true;
  /** What they asked, oldest first. Only with `needs_reply`, and not in lists. */
  questions?: AskedBack[];
  /** URL of the task for people who sign in. */
  url: string;
  asked_at: string;
  /** When it times out. */
  expires_at: string;
}

/** A question to the agent, of a person who has to decide about its request. */
export interface AskedBack {
  question_id: string;
  text: string;
  /** Name or address of the person. null if the service knows neither. */
  by: string | null;
  asked_at: string;
}

/** A question for a person. */
export interface NewRequest {
  question: string;
  /** What the person sees and answers: an action to decide about, or a context and a form. */
  about: { action: ActionQuestion } | { context: Record<string, unknown>; responseSchema: Record<string, unknown> };
  assignTo: string | undefined;
  notify: readonly string[] | undefined;
  timeoutSeconds: number;
  /** As in the API. */
  escalation: string | readonly object[] | undefined;
  /** The answer that counts if no one gives one: an object, or the single value that `responseSchema` asks for. */
  onTimeout: { response: unknown } | undefined;
  isConfidential: boolean;
}

/** Time limit of a call, and its progress callback. */
export interface Patience {
  seconds: number;
  /** When the call began, by `performance.now()`. */
  begun: number;
  /** Signal of the call. The wait rejects with its reason. */
  signal: AbortSignal;
  /** Called when the waiting begins, and about every ten seconds. */
  onProgress: (request: HumanRequest, waitedSeconds: number) => Promise<void>;
}

/** A request with what a task handle says of it. */
export interface HeldRequest {
  request: HumanRequest;
  /** Who must answer, in words: an address, "a person", or "approvals (1 of 2)". */
  waitingFor: string;
  /** Time of the last change of its status. */
  updatedAt: string;
}

/** A form of an open request, with what a person reads before they answer. Names and shapes are those of the API. */
export interface RequestForm extends Pick<TaskRecord, "payload" | "response_schema" | "form_definition" | "version"> {
  redact_payload: false;
  is_verified: boolean;
  /** HTML. */
  review_html: string;
}

/** A request as its form shows it. */
export interface ShownRequest {
  request: HumanRequest;
  /** The channel of the answer. null without an answer. */
  channel: string | null;
  /** null if the person at the host may not answer now. */
  form: RequestForm | null;
}

/** The channel of an answer that the host of the agent handed in. */
export const AT_HOST = "mcp";

/** A request with everything that a form of it needs. */
export interface AskedRequest {
  request: HumanRequest;
  task: TaskRecord;
  /** The host of the agent may hand in the answer of the person who uses it. */
  hostMayAnswer: boolean;
}

/** What a wait sees of a request. */
export interface Seen extends Pick<TaskOutcome, "status"> {
  /** To the agent, without a reply. */
  questions: readonly { id: string }[];
}

/**
 * Waits until a request of the token has ended; with `attention`, also until a question to the agent waits. Without an end to its
 * patience, it may wait for long. Rejects with the reason of the signal, or an error of the service.
 * @returns null: the request is deleted
 */
export type WaitFor = (
  id: string,
  how: { until: "end" | "attention"; seconds?: number },
  signal: AbortSignal,
) => Promise<Seen | null>;

/** The requests of one agent, from any process and time. */
export interface Requests {
  /** Asks a question, or returns to the same one while it is open; then waits. */
  ask(request: NewRequest, patience: Patience): Promise<HumanRequest & { isNew: boolean }>;
  /** Asks in the same way, and does not wait. */
  begin(request: NewRequest, signal: AbortSignal): Promise<HeldRequest>;
  /** Asks in the same way, and returns what was asked. */
  pose(request: NewRequest, signal: AbortSignal): Promise<AskedRequest & { isNew: boolean }>;
  /** Returns an earlier request with what was asked. @throws HumanTaskError UNKNOWN_REQUEST */
  open(id: string, signal: AbortSignal): Promise<AskedRequest>;
  /**
   * Hands in the answer of the person who uses the agent, about the version that they saw. It is not sent twice.
   * @throws ApiError HOST_MAY_NOT_ANSWER, TASK_ALREADY_TERMINAL, TASK_REVISED, VALIDATION_FAILED, and others of the API
   */
  answer(id: string, response: Record<string, unknown>, version: number, signal: AbortSignal): Promise<AskedRequest>;
  /** Returns the present state of an earlier request. @throws HumanTaskError UNKNOWN_REQUEST */
  look(id: string, signal: AbortSignal): Promise<HeldRequest>;
  /**
   * Resolves once a request has ended or is deleted, or the questions to the agent are others than those that are known.
   * @throws as `WaitFor`
   */
  untilNews(id: string, known: readonly AskedBack[], signal: AbortSignal): Promise<void>;
  /** Returns a request with its form. Of one that is not answered at the host, nothing but its state. @throws as above */
  readForm(id: string, look: Look, signal: AbortSignal): Promise<ShownRequest>;
  /** Hands in the answer of the person who uses the host. @throws ApiError, HumanTaskError UNKNOWN_REQUEST */
  answerAtHost(
    id: string,
    response: Record<string, unknown>,
    version: number,
    signal: AbortSignal,
  ): Promise<HumanRequest>;
  /** Waits for an earlier request, until it has ended or a question to the agent waits. @throws HumanTaskError UNKNOWN_REQUEST */
  check(id: string, patience: Patience): Promise<HumanRequest>;
  /** Returns requests, newest first. */
  list(which: { isOpen: boolean | undefined; limit: number; signal: AbortSignal }): Promise<HumanRequest[]>;
  /** Cancels an open request. A closed request stays as it is. @throws HumanTaskError UNKNOWN_REQUEST */
  withdraw(id: string, reason: string | undefined, signal: AbortSignal): Promise<HumanRequest>;
  /**
   * Says something to the people who decide. It answers the questions up to one, or all. The same again is said once.
   * @throws ApiError TASK_ALREADY_TERMINAL and others of the API, HumanTaskError UNKNOWN_REQUEST
   */
  reply(id: string, text: string, question: string | undefined, signal: AbortSignal): Promise<HumanRequest>;
  /** Changes what an open request asks. The same again changes nothing. @throws as above, NOT_OF_THIS_KIND */
  revise(id: string, change: Change, signal: AbortSignal): Promise<HumanRequest>;
}

/** What a request asks now: another context, or other arguments of its action. */
interface Change {
  context: Record<string, unknown> | undefined;
  action: Partial<Pick<ActionQuestion, "description">> & {
    args: Record<string, unknown> | undefined;
    argsSchema: Record<string, unknown> | undefined;
  };
  note: string | undefined;
  extendSeconds: number | undefined;
}

export interface RequestsOptions {
  client: Client;
  /** URL of the service's pages, without a slash at the end. */
  pagesUrl: string;
  /** Who asks. null: the agent that the token belongs to. */
  asker: NamedAsker | null;
  /** Ends all waits, but not the requests, because the process is stopping. */
  stopping: AbortSignal;
  /** How to wait for news of a request. Default: by polls of the API. */
  waitFor?: WaitFor | undefined;
  readReview: ReadReview;
}

/** Who asks with the admin token, as the caller says. */
export interface NamedAsker {
  /** `AGENT_NAME` */
  agent: string;
  /** Slug of the project of its requests: `PROJECT_SLUG`. undefined: `default`. */
  project?: string | undefined;
}

/** Name of an agent, and slug of a project. They contain no separator of keys. */
export const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const PROJECT_SLUG = /^[a-z0-9-]{1,64}$/;

/** Returns whether a token belongs to an agent. Then that is the agent of its requests, and no other can be named. */
export function isAgentToken(token: string): boolean {
  return token.startsWith("hts_agent_");
}

/** Length of one poll, which is also the interval of progress reports. */
const SLICE_SECONDS = 10;
/** The same where a question is known already, and whether there is another is to be seen. */
const AGAIN_SECONDS = 2;
/** The same where no progress is reported. */
const LONG_SLICE_SECONDS = 50;
/** Time for a response in addition to the poll, before a timeout is reported. */
const ANSWER_MS = 5_000;
const PAUSE_MS = 500;
const MINUTE_MS = 60_000;

/** The options of one agent. */
interface Own extends Omit<RequestsOptions, "asker" | "waitFor"> {
  /** Prefix of the keys of these requests. */
  prefix: string;
  /** The kind of who asked them. */
  kind: "agent" | "admin";
  /** Selects tasks of this asker in lists. */
  filter: { agent?: "me" };
  /** Project of new tasks. undefined: that of the token, or `default`. */
  project?: string | undefined;
  waitFor: WaitFor;
}

/**
 * Creates the requests of one agent. With the token of an agent, these are the requests of that agent, with keys like
 * `mcp:<key of the content>:<when>`. With the admin token, the key names the agent, because records do not, and the project,
 * because that token has one space of keys: `mcp:<agent>:<key of the content>:<when>`, or `mcp:<project>/<agent>:...`. An old
 * answer does not answer the same question later: a question is the same only while it is open, and a key is not reused.
 */
export function createRequests({ asker, ...given }: RequestsOptions): Requests {
  const options = { ...given, waitFor: given.waitFor ?? waiterOf(given.client) };
  const own: Own =
    asker === null
      ? { ...options, prefix: "mcp:", kind: "agent", filter: { agent: "me" } }
      : { ...options, prefix: prefixOf(asker), kind: "admin", filter: {}, project: asker.project };
  return {
    ask: async (request, patience) => ask(own, request, patience),
    begin: async (request, signal) => toHeld(own, (await findOrAsk(own, request, bounded(own, signal))).task, signal),
    pose: async (request, signal) => pose(own, request, signal),
    open: async (id, signal) => toAsked(own, await find(own, id, signal), signal),
    answer: async (id, response, version, signal) => answer(own, id, response, version, signal),
    look: async (id, signal) => toHeld(own, await find(own, id, signal), signal),
    untilNews: async (id, known, signal) => untilNews(own, id, known, signal),
    readForm: async (id, look, signal) => readForm(own, id, look, signal),
    answerAtHost: async (id, response, version, signal) => answerAtHost(own, id, response, version, signal),
    check: async (id, patience) => wait(own, await find(own, id, patience.signal), patience),
    list: async (which) => list(own, which),
    withdraw: async (id, reason, signal) => withdraw(own, id, reason, signal),
    reply: async (id, text, question, signal) => reply(own, id, text, question, signal),
    revise: async (id, change, signal) => revise(own, id, change, signal),
  };
}

function prefixOf({ agent, project }: NamedAsker): string {
  return project === undefined ? `mcp:${agent}:` : `mcp:${project}/${agent}:`;
}

async function ask(own: Own, request: NewRequest, patience: Patience): Promise<HumanRequest & { isNew: boolean }> {
  const { task, isNew } = await findOrAsk(own, request, bounded(own, patience.signal));
  return { ...(await wait(own, task, patience)), isNew };
}

async function pose(own: Own, request: NewRequest, signal: AbortSignal): Promise<AskedRequest & { isNew: boolean }> {
  const { task, isNew } = await findOrAsk(own, request, bounded(own, signal));
  // Rows of lists do not have all of it.
  const record = isNew ? (task as TaskRecord) : await own.client.get(task.id, { signal: bounded(own, signal) });
  return { ...(await toAsked(own, record, signal)), isNew };
}

/** Time for an answer and its check by a verifier. Clients time out after a minute. */
const ANSWERING_MS = 50_000;

async function answer(
  own: Own,
  id: string,
  response: Record<string, unknown>,
  version: number,
  signal: AbortSignal,
): Promise<AskedRequest> {
  const ending = AbortSignal.any([signal, own.stopping, AbortSignal.timeout(ANSWERING_MS)]);
  const done = await own.client.complete(id, response, { version, channel: AT_HOST, signal: ending });
  return toAsked(own, done, signal);
}

async function reply(
  own: Own,
  id: string,
  text: string,
  question: string | undefined,
  signal: AbortSignal,
): Promise<HumanRequest> {
  const { client } = own;
  await find(own, id, signal);
  const ending = bounded(own, signal);
  const said = await client.comments(id, { signal: ending });
  const key = keyOfReply(text, question, said);
  await client.comment(id, text, { replyTo: question, key, signal: ending });
  return describe(own, await client.get(id, { signal: ending }), signal);
}

async function revise(own: Own, id: string, change: Change, signal: AbortSignal): Promise<HumanRequest> {
  const task = await find(own, id, signal);
  const { note, extendSeconds } = change;
  const revision = { ...changeOf(task, change), note, extendSeconds };
  // Without a key, the service takes the same revision twice for one: a call may be repeated.
  const revised = await own.client.revise(id, revision, { key: null, signal: bounded(own, signal) });
  return describe(own, revised, signal);
}

/** @throws HumanTaskError NOT_OF_THIS_KIND */
function changeOf({ action }: TaskRecord, { context, action: now }: Change): Revision {
  const { args, argsSchema: args_schema, description } = now;
  const isOfAction = args !== undefined || args_schema !== undefined || description !== undefined;
  const refuse = (says: string) => new HumanTaskError("NOT_OF_THIS_KIND", `${says} Nothing was changed.`);
  if (action === null) {
    if (isOfAction)
      throw refuse("This request asks a question: give context, and no args, args_schema or description.");
    if (context === undefined) throw refuse("Give context: everything that people see now.");
    return { payload: context };
  }
  if (context !== undefined) throw refuse("This request is about an action: give args, and no context.");
  if (!isOfAction) throw refuse("Give args: all arguments of the action, as they are now.");
  const given = { args, args_schema, description };
  // What is not given stays as it was.
  const said = Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined));
  return { action: { ...action, ...said } };
}

function questionOf({ project }: Own, request: NewRequest): Question {
  const { about } = request;
  return {
    ...("action" in about ? approval(about.action) : { payload: about.context, responseSchema: about.responseSchema }),
    task: request.question,
    timeoutSeconds: request.timeoutSeconds,
    assignTo: request.assignTo === undefined ? null : { email: request.assignTo },
    notify: request.notify,
    escalation: request.escalation as Question["escalation"],
    onTimeout: request.onTimeout && { response: toResponse(request.onTimeout.response) },
    redactPayload: request.isConfidential,
    project,
  };
}

async function findOrAsk(
  own: Own,
  request: NewRequest,
  signal: AbortSignal,
): Promise<{ task: ListedTask; isNew: boolean }> {
  const { client } = own;
  const question = questionOf(own, request);
  const mine = `${own.prefix}${await keyOfContent(question)}:`;
  for await (const task of client.list({ ...own.filter, key_prefix: mine, terminal: false }, { signal }))
    if (isOwn(own, task)) return { task, isNew: false };
  // Of several concurrent calls, one asks and the others return to its question: within a minute they all make the same
  // key. If that question is answered already, they all make the same next key.
  for (let when = String(Math.floor(Date.now() / MINUTE_MS)); ;) {
    const { record, isReplay } = await client.ask({ ...question, idempotencyKey: mine + when, signal });
    if (!isReplay || isOpen(record)) return { task: record, isNew: !isReplay };
    when = record.id;
  }
}

async function list(own: Own, which: Parameters<Requests["list"]>[0]): Promise<HumanRequest[]> {
  const { isOpen, limit, signal } = which;
  // The schema says whether the answer is a single value.
  const filter = { ...own.filter, key_prefix: own.prefix, limit, include: "schemas" } as const;
  const wanted = isOpen === undefined ? filter : { ...filter, terminal: !isOpen };
  const found: HumanRequest[] = [];
  for await (const task of own.client.list(wanted, { signal: bounded(own, signal) })) {
    if (isOwn(own, task)) found.push(toRequest(own, task));
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
    // It was answered in the meantime.
    if (error instanceof HumanTaskError && error.code === "TASK_ALREADY_TERMINAL")
      return toRequest(own, await client.get(id, { signal: bounded(own, signal) }));
    throw error;
  }
}

async function readForm(own: Own, id: string, look: Look, signal: AbortSignal): Promise<ShownRequest> {
  const task = await find(own, id, signal);
  const shown = { request: await describe(own, task, signal), channel: task.completed_via_channel, form: null };
  if (!isAnsweredAtHost(task)) return shown;
  const review_html = await own.readReview(id, look, bounded(own, signal));
  // A person must not decide about what they do not see.
  if (review_html === null) return shown;
  const { payload, response_schema, form_definition, verifier_config, version } = task;
  const is_verified = verifier_config != null;
  return {
    ...shown,
    form: { payload, response_schema, form_definition, version, redact_payload: false, is_verified, review_html },
  };
}

async function answerAtHost(
  own: Own,
  id: string,
  response: Record<string, unknown>,
  version: number,
  signal: AbortSignal,
): Promise<HumanRequest> {
  const task = await find(own, id, signal);
  // An agent with the scope `answer` may do more than the host. The service decides about tasks that have ended.
  if (isOpen(task) && !isAnsweredAtHost(task))
    throw new HumanTaskError("HOST_MAY_NOT_ANSWER", `The host may not answer ${id}: it is answered on its page.`);
  return (await answer(own, id, response, version, signal)).request;
}

/** The service says so, to the agent of the task alone. */
function isAnsweredAtHost(task: TaskRecord): boolean {
  return isOpen(task) && !task.redact_payload && task.host_may_answer === true;
}

/** @throws HumanTaskError UNKNOWN_REQUEST */
async function find(own: Own, id: string, signal: AbortSignal): Promise<TaskRecord> {
  const task = await own.client.get(id, { signal: bounded(own, signal) }).catch((error: unknown) => {
    if (error instanceof HumanTaskError && error.code === "TASK_NOT_FOUND") return null;
    throw error;
  });
  // A request of another agent is treated as unknown.
  if (task === null || !isOwn(own, task) || !(await isOfToken(own, task, signal)))
    throw new HumanTaskError("UNKNOWN_REQUEST", `You have no request ${id}. list_my_requests lists all of them.`);
  return task;
}

function isOwn({ prefix, kind }: Own, { idempotency_key, asked_by }: ListedTask): boolean {
  return asked_by.kind === kind && idempotency_key.startsWith(prefix);
}

/** Returns whether the agent of the token asked this. An agent with the scope `read` sees the tasks of others too. */
async function isOfToken({ client, filter, ...own }: Own, { id }: TaskRecord, signal: AbortSignal): Promise<boolean> {
  if (filter.agent === undefined) return true;
  for await (const task of client.list({ ...filter, q: id }, { signal: bounded(own, signal) }))
    if (task.id === id) return true;
  return false;
}

/** Waits until the task closes, a question to the agent waits, or the time is up. Returns the last known state when the service does not respond. */
async function wait(
  own: Own,
  task: ListedTask,
  { seconds, begun, signal, onProgress }: Patience,
): Promise<HumanRequest> {
  const { stopping } = own;
  const left = Math.ceil(Math.max(0, begun + seconds * 1000 - performance.now()));
  const late = AbortSignal.any([stopping, AbortSignal.timeout(left + ANSWER_MS)]);
  const ending = AbortSignal.any([signal, late]);
  try {
    for (let seen: Seen = { ...task, questions: [] }; isOpen(seen) && seen.questions.length === 0;) {
      const waited = (performance.now() - begun) / 1000;
      if (seconds > 0 && waited >= seconds) break;
      if (seconds > 0) await onProgress(toRequest(own, task), waited);
      const slice = Math.ceil(Math.min(SLICE_SECONDS, Math.max(0, seconds - waited)));
      seen = await poll(own.client, task.id, { until: "attention", seconds: slice }, ending);
      if (seconds === 0) break;
    }
    return await describe(own, await own.client.get(task.id, { signal: ending }), ending);
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return toRequest(own, task);
    throw error;
  }
}

async function untilNews(own: Own, id: string, known: readonly AskedBack[], signal: AbortSignal): Promise<void> {
  const ending = AbortSignal.any([signal, own.stopping]);
  const before = known.map(({ question_id }) => question_id).join();
  // A known question would end each wait at once, so the next one is found by looking again.
  const how = before === "" ? ({ until: "attention" } as const) : ({ until: "end", seconds: AGAIN_SECONDS } as const);
  for (;;) {
    const seen = await own.waitFor(id, how, ending);
    if (seen === null || !isOpen(seen) || seen.questions.map((one) => one.id).join() !== before) return;
  }
}

function waiterOf(client: Client): WaitFor {
  return async (id, { until, seconds = LONG_SLICE_SECONDS }, signal) => poll(client, id, { until, seconds }, signal);
}

/** Returns the state of a task once there is what it waits for, or after `seconds`. */
async function poll(
  client: Client,
  id: string,
  { until, seconds }: { until: "end" | "attention"; seconds: number },
  signal: AbortSignal,
): Promise<Seen> {
  const asked = performance.now();
  const { status, ...polled } = await client.poll(id, { timeoutSeconds: seconds, until, signal });
  // A service of an earlier release has none.
  const { questions = [] } = polled as Partial<TaskOutcome>;
  // A stopping service answers at once. Pause, so that it is not polled in a tight loop.
  const isEarly = isOpen({ status }) && questions.length === 0 && seconds > 0 && performance.now() - asked < PAUSE_MS;
  if (isEarly) await systemClock.sleep(PAUSE_MS, signal);
  return { status, questions };
}

function bounded({ stopping }: Pick<Own, "stopping">, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, stopping, AbortSignal.timeout(4 * ANSWER_MS)]);
}

function toRequest({ pagesUrl }: Own, task: ListedTask): HumanRequest {
  return {
    request_id: task.id,
    status: task.status === "created" || task.status === "rejected" ? "pending" : task.status,
    question: task.task,
    action: task.action?.name ?? null,
    answer: answerOf(task),
    answered_by: task.completed_by_email,
    ...(isFallback(task) && { is_fallback: true }),
    ...(task.approvals && { approvals: { need: task.approvals.need, have: task.approvals.have } }),
    ...(task.urgent && isOpen(task) && { urgent: true }),
    ...(task.version > 1 && { version: task.version }),
    ...(task.version > 1 && "payload" in task && task.payload !== null && { context: task.payload }),
    ...(task.waiting_on === "agent" && isOpen(task) && { needs_reply: true }),
    url: `${pagesUrl}/tasks/${task.id}`,
    asked_at: task.created_at,
    expires_at: task.timeout_at,
  };
}

/** Returns a request with the questions to the agent. They are read only if there are any. */
async function describe(own: Own, task: ListedTask, signal: AbortSignal): Promise<HumanRequest> {
  const request = toRequest(own, task);
  if (request.needs_reply !== true) return request;
  const { questions } = await own.client.poll(task.id, { timeoutSeconds: 0, signal: bounded(own, signal) });
  // The reply came in the meantime.
  if (questions.length === 0) return toRequest(own, { ...task, waiting_on: "people" });
  return {
    ...request,
    questions: questions.map(({ id, text, by, created_at }) => ({
      question_id: id,
      text,
      by: by.name ?? by.email,
      asked_at: created_at,
    })),
  };
}

async function toHeld(own: Own, task: ListedTask, signal: AbortSignal): Promise<HeldRequest> {
  const request = await describe(own, task, signal);
  // A question changes nothing else of a task.
  const changes = [task.updated_at, ...(request.questions ?? []).map(({ asked_at }) => asked_at)];
  return { request, waitingFor: waitingFor(task), updatedAt: changes.toSorted().at(-1)! };
}

async function toAsked(own: Own, task: TaskRecord, signal: AbortSignal): Promise<AskedRequest> {
  return { request: await describe(own, task, signal), task, hostMayAnswer: task.host_may_answer === true };
}

function waitingFor({ approvals, claimed_by_email, assigned_to_email }: ListedTask): string {
  if (approvals && approvals.need > 1)
    return approvals.have === null
      ? `${approvals.need} approvals`
      : `approvals (${approvals.have} of ${approvals.need})`;
  return claimed_by_email ?? assigned_to_email ?? "a person";
}

/** Returns the answer; for a single value, the value. */
function answerOf({ response, response_schema }: ListedTask): unknown {
  return response !== null && response_schema !== undefined && isWrapped(response_schema)
    ? response["value"]
    : response;
}

function isOpen({ status }: { status: TaskRecord["status"] }): boolean {
  return status === "created" || status === "rejected";
}

/**
 * Returns the key of a question's content. A confidential question differs from the same question without
 * confidentiality.
 */
async function keyOfContent({
  task,
  payload,
  responseSchema,
  assignTo,
  notify,
  redactPayload,
  onTimeout,
  about,
}: Question): Promise<string> {
  const asked = {
    task,
    ...(about ?? {
      payload: payload as Record<string, unknown>,
      payload_schema: {},
      response_schema: responseSchema as Record<string, unknown>,
    }),
    timeout_seconds: 0,
    assign_to: assignTo ?? null,
    notify: notify ? [...notify] : null,
    on_timeout: onTimeout,
  };
  return keyOf(asked, redactPayload === true ? "confidential" : undefined);
}
