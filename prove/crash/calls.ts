import { Agent, request, type IncomingHttpHeaders } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { WebhookDelivery, WholeWebhookDelivery } from "../../src/deliveries/schema.ts";
import type { AuditEntryRecord, PollResult, TaskRecord } from "../../src/tasks/schema.ts";
import { imprintOf } from "./bodies.ts";
import { ADMIN, mayAnswer, type CallerName } from "./callers.ts";
import { endOf, now, type CallName, type Event, type Incarnation, type Seen, type Subject } from "./history.ts";

/** After this time, a call counts as unanswered. By design, no call waits longer than half of it. */
const NEVER_MS = 45_000;

/** The calls of the clients and of the auditor; each is recorded in the history of its task. */
export interface Calls {
  make(to: Incarnation, who: string, subject: Subject, call: Call): Promise<Event>;
  /** Makes a call about no particular task. @returns null if no answer arrived */
  ask(to: Incarnation, by: CallerName, request: PlainRequest): Promise<PlainAnswer | null>;
  /** Reads about no particular task, with the admin token. @throws Error when the answer is not 200 */
  get(to: Incarnation, path: string): Promise<PlainAnswer>;
  /** Converts a record to the form in which the history keeps it. */
  toSeen(subject: Subject, record: TaskRecord): Seen;
  /** Answers that the contract does not allow. */
  unexpected: string[];
  figures: {
    calls: number;
    acknowledged: number;
    unanswered: number;
    /** Answers 503 that were allowed. */
    refused: number;
  };
}

export interface PlainRequest {
  method: string;
  path: string;
  body?: object;
}

export interface PlainAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Call {
  name: CallName;
  /** Default: the asker for a creation, and the admin token for the rest. */
  by?: CallerName;
  /** For a creation: which body is sent. */
  version?: number;
  /** For a poll: the longest wait, in seconds. */
  seconds?: number;
  /** For `owed`: one delivery with its attempts. */
  delivery?: string;
  signal?: AbortSignal;
}

export interface CallsOptions {
  /** Returns the text of a creation, and what its record repeats. */
  bodyOf(n: number, version: number): { text: string; imprint: string };
  versions: number;
  tokenOf(caller: CallerName): string;
  /** Codes of 503 that are allowed while the database is unreachable; empty for an embedded database. */
  passing: readonly string[];
}

const AGREED: Record<CallName, readonly string[]> = {
  create: ["201"],
  complete: ["200", "404 TASK_NOT_FOUND", "409 TASK_ALREADY_TERMINAL"],
  cancel: ["200", "404 TASK_NOT_FOUND", "409 TASK_ALREADY_TERMINAL"],
  delete: ["204", "404 TASK_NOT_FOUND"],
  read: ["200", "404 TASK_NOT_FOUND"],
  poll: ["200", "404 TASK_NOT_FOUND"],
  trail: ["200", "404 TASK_NOT_FOUND"],
  owed: ["200"],
  list: ["200"],
  callback: [],
  stop: [],
  resume: [],
};

/** Answers to agents. Whether one was stopped at that time is judged with its history. */
const STOPPED = "401 AGENT_DISABLED";
const UNKNOWN_TASK = "404 TASK_NOT_FOUND";

/** Returns the answers that the contract allows. */
function agreedFor(name: CallName, by: CallerName, asker: CallerName): readonly string[] {
  if (by === ADMIN) return AGREED[name];
  if (by !== asker) return [UNKNOWN_TASK, STOPPED];
  if (name === "complete" && !mayAnswer(by)) return ["403 AGENT_SCOPE_MISSING", UNKNOWN_TASK, STOPPED];
  return [...AGREED[name], STOPPED];
}

export function createCalls({ bodyOf, versions, tokenOf, passing }: CallsOptions): Calls {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const figures = { calls: 0, acknowledged: 0, unanswered: 0, refused: 0 };
  const unexpected: string[] = [];
  let last = 0;

  function toSeen(subject: Subject, record: TaskRecord): Seen {
    const imprint = imprintOf(record);
    // A list does not show a redacted payload.
    const isHidden = subject.isRedacted && imprint.includes('{"_redacted":true}');
    let version = isHidden ? null : -1;
    for (let v = 0; v < versions && version === -1; v++) if (bodyOf(subject.n, v).imprint === imprint) version = v;
    if (version === -1) {
      const expected = bodyOf(subject.n, 0).imprint;
      unexpected.push(
        `a record of number ${subject.n} matches no body that was sent: ${difference(imprint, expected)}`,
      );
    }
    const { id, status, updated_at, created_at, timeout_at, assigned_to_email, verification_attempt } = record;
    const birth = JSON.stringify([created_at, timeout_at, assigned_to_email, verification_attempt]);
    return { id, task: { status, version, birth, updated_at, end: endOf(record) } };
  }

  async function make(to: Incarnation, who: string, subject: Subject, call: Call): Promise<Event> {
    const { name, version, seconds, by = name === "create" ? subject.asker : ADMIN } = call;
    const number = ++last;
    const event: Event = {
      call: name,
      number,
      who,
      by,
      to,
      startedAt: now(),
      endedAt: null,
      status: null,
      ...(version !== undefined && { version }),
      ...(seconds !== undefined && { seconds }),
    };
    (by === ADMIN || by === subject.asker ? subject.events : subject.foreign).push(event);
    figures.calls++;
    const [method, path, body] = wire(subject, call, number, bodyOf);
    const answer = await send(agent, to.url, { token: tokenOf(by), method, path, body, signal: call.signal });
    event.endedAt = now();
    if (answer === "never")
      unexpected.push(`${name} #${number} of number ${subject.n} was not answered within ${NEVER_MS} ms`);
    if (answer === "never" || answer === "aborted" || answer === "lost") {
      if (answer === "aborted") event.isAborted = true;
      else figures.unanswered++;
      return event;
    }
    event.status = answer.status;
    const parsed: unknown = answer.text === "" ? null : JSON.parse(answer.text);
    if (answer.status >= 400) event.error_code = (parsed as { error_code: string }).error_code;
    const told = [answer.status, event.error_code].filter(Boolean).join(" ");
    if (answer.status === 503 && passing.includes(event.error_code!)) {
      figures.refused++;
      return event;
    }
    if (!agreedFor(name, by, subject.asker).includes(told))
      unexpected.push(
        `${name} #${number} of number ${subject.n}, whose asker is ${subject.asker}, by ${by}: ${told} ${answer.text.slice(0, 500)}`,
      );
    else if (answer.status < 400) {
      if (method !== "GET") figures.acknowledged++;
      const seen = readAnswer(subject, call, parsed, answer.headers);
      if (seen) {
        event.seen = seen;
        subject.id ??= seen.id;
      }
    }
    return event;
  }

  function readAnswer(
    subject: Subject,
    { name, delivery }: Call,
    parsed: unknown,
    headers: IncomingHttpHeaders,
  ): Seen | null {
    const id = subject.id ?? "";
    switch (name) {
      case "create":
        return {
          ...toSeen(subject, parsed as TaskRecord),
          is_replay: headers["idempotent-replayed"] !== "false",
          is_mismatch: headers["idempotent-mismatch"] === "true",
        };
      case "complete":
      case "cancel":
      case "read":
        return toSeen(subject, parsed as TaskRecord);
      case "poll": {
        const poll = parsed as PollResult;
        const task = { status: poll.status, version: null, birth: null, updated_at: null, end: endOf(poll) };
        return { id: poll.task_id, task };
      }
      case "trail":
        return { id, task: null, ...readTrail(parsed as AuditEntryRecord[]) };
      case "owed":
        return delivery === undefined
          ? { id, task: null, owed: parsed as WebhookDelivery[] }
          : { id, task: null, delivery: parsed as WholeWebhookDelivery };
      case "delete":
      case "list":
      case "callback":
      case "stop":
      case "resume":
        return null;
    }
  }

  async function ask(to: Incarnation, by: CallerName, request: PlainRequest): Promise<PlainAnswer | null> {
    const { method, path, body } = request;
    figures.calls++;
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = await send(agent, to.url, { token: tokenOf(by), method, path, body: text });
    if (answer === "never") unexpected.push(`${method} ${path} by ${by} was not answered within ${NEVER_MS} ms`);
    if (typeof answer !== "string") return answer;
    figures.unanswered++;
    return null;
  }

  return {
    make,
    toSeen,
    unexpected,
    figures,
    ask,
    get: async (to, path) => {
      const answer = await untilAvailable(async () => ask(to, ADMIN, { method: "GET", path }));
      if (answer?.status !== 200)
        throw new Error(`GET ${path}: ${answer === null ? "no answer" : `${answer.status} ${answer.text}`}`);
      return answer;
    },
  };
}

/** How often, and after how long, a read that got 503 is repeated. */
const TRIES = 100;
const TRY_AGAIN_MS = 100;

/**
 * Repeats a read while it gets 503. A process may still have connections to a server that was killed, and replaces each of
 * them when it uses it.
 */
export async function untilAvailable<T extends { status: number | null } | null>(read: () => Promise<T>): Promise<T> {
  let answer = await read();
  for (let i = 1; i < TRIES && answer?.status === 503; i++) {
    await delay(TRY_AGAIN_MS);
    answer = await read();
  }
  return answer;
}

function wire(
  { n, id }: Subject,
  { name, version = 0, seconds = 0, delivery }: Call,
  number: number,
  bodyOf: CallsOptions["bodyOf"],
): [method: string, path: string, body: string | null] {
  const path = `/api/tasks/${id}`;
  switch (name) {
    case "create":
      return ["POST", "/api/tasks", bodyOf(n, version).text];
    case "complete":
      return ["POST", `${path}/complete`, JSON.stringify(answerOf(number))];
    case "cancel":
      return ["POST", `${path}/cancel`, JSON.stringify({ reason: reasonOf(number) })];
    case "delete":
      return ["DELETE", path, null];
    case "poll":
      return ["GET", `${path}/poll?timeout=${seconds}`, null];
    case "trail":
      return ["GET", `${path}/audit`, null];
    case "owed":
      return [
        "GET",
        `/api/admin/webhook-deliveries${delivery === undefined ? `?task_id=${id}` : `/${delivery}`}`,
        null,
      ];
    case "read":
    case "list":
    case "callback":
    case "stop":
    case "resume":
      return ["GET", path, null];
  }
}

/** Returns the answer that call `number` gives to a task; no other call gives the same. */
export function answerOf(number: number) {
  const response: Record<string, unknown> = { note: `👍 ${number}`, call: number };
  if (number % 3 === 0) response["10"] = { b: [1, null], a: "ü" };
  return {
    response,
    completed_by_email: number % 2 === 0 ? `person${number % 5}@example.com` : null,
    completed_via_channel: number % 5 === 0 ? null : `channel ${number % 4}`,
  };
}

export const reasonOf = (number: number): string => `call ${number}`;

function difference(text: string, expected: string): string {
  let at = 0;
  while (text[at] === expected[at]) at++;
  const around = (one: string) => one.slice(Math.max(0, at - 60), at + 100);
  return `...${around(text)}...\n  instead of ...${around(expected)}...`;
}

interface Sent {
  token: string;
  method: string;
  path: string;
  body: string | null;
  signal?: AbortSignal | undefined;
}

function send(
  agent: Agent,
  url: string,
  { token, method, path, body, signal }: Sent,
): Promise<PlainAnswer | "lost" | "aborted" | "never"> {
  return new Promise((resolve) => {
    const bytes = body === null ? null : Buffer.from(body);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(bytes && { "content-type": "application/json", "content-length": bytes.length }),
    };
    const sent = request(url + path, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => end("lost"));
      response.on("close", () => end("lost"));
      response.on("end", () => {
        // The connection may have broken in the middle of the body.
        if (response.complete)
          end({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() });
      });
    });
    const timer = setTimeout(() => end("never"), NEVER_MS);
    const abort = () => end("aborted");
    const end = (answer: PlainAnswer | "lost" | "aborted" | "never") => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      if (typeof answer === "string") sent.destroy();
      resolve(answer);
    };
    signal?.addEventListener("abort", abort, { once: true });
    sent.on("error", () => end("lost"));
    sent.end(bytes ?? undefined);
  });
}

/** Separates entries about notifications from the entries about the task itself. */
function readTrail(entries: AuditEntryRecord[]): Pick<Seen, "trail" | "untold"> {
  const isMessage = ({ action }: AuditEntryRecord) => action.startsWith("notification_");
  return { trail: entries.filter((entry) => !isMessage(entry)), untold: entries.filter(isMessage).length };
}
