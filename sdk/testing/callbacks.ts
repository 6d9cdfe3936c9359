import { nextAttemptAt } from "../../src/callbacks/schedule.ts";
import { outcomeOf } from "../../src/tasks/outcome.ts";
import type { TaskWithDocuments } from "../../src/tasks/store.ts";
import { signingKey } from "../callbacks.ts";
import type { Comment } from "../shapes.ts";
import type { Deliver, SentCallback } from "./test-human.ts";
import type { Timeline } from "./timeline.ts";

const QUESTION_EVENT = "task.question";

export interface CallbacksOptions {
  timeline: Timeline;
  deliver: Deliver;
  /** Base64 of 32 bytes. */
  payloadKey: string;
  /** Called once every attempt has failed. */
  onAbandoned: (taskId: string, attempts: number) => void;
}

export interface Callbacks {
  readonly sent: readonly SentCallback[];
  /** Makes time pass until the callback of this task has arrived. */
  expect(taskId: string): void;
  /** Ends the expectation: a task that was deleted while it was open has no callback. */
  forget(taskId: string): void;
  /** Sends the callback of an ended task until it is answered with 2xx. (spec: Events, Callback webhook) */
  send(task: TaskWithDocuments): void;
  /** Sends a question about an open task, if its request wants to be told of questions. */
  sendQuestion(task: TaskWithDocuments, comment: Comment): void;
}

type Sent = SentCallback & { attempts: SentCallback["attempts"][number][] };
interface Sending {
  callback: Sent;
  body: Uint8Array<ArrayBuffer>;
  /** Whether it tells of the end. */
  isLast: boolean;
}

export function createCallbacks({ timeline, deliver, payloadKey, onAbandoned }: CallbacksOptions): Callbacks {
  const sent: Sent[] = [];
  const expecting = new Map<string, () => void>();
  const forget = (taskId: string): void => expecting.get(taskId)?.();

  /** @returns false if every attempt was made */
  function schedule(sending: Sending): boolean {
    const { callback } = sending;
    const at = nextAttemptAt(callback.attempts.length, new Date(timeline.now()), 0);
    if (at !== null) timeline.at(at.getTime(), () => void attempt(sending));
    return at !== null;
  }

  async function attempt(sending: Sending): Promise<void> {
    const { callback, body, isLast } = sending;
    const { taskId, url, attempts } = callback;
    const headers = {
      "content-type": "application/json",
      "x-service-task-id": taskId,
      ...(await timeline.busy(signedHeaders(payloadKey, taskId, body), "call")),
    };
    let isDelivered = false;
    try {
      const request = new Request(url, { method: "POST", headers, body });
      const { ok, status } = await timeline.busy((async () => deliver(request))(), "test");
      attempts.push(status);
      isDelivered = ok;
    } catch (thrown) {
      attempts.push({ thrown });
    }
    if (!isDelivered && schedule(sending)) return;
    callback.status = isDelivered ? "delivered" : "abandoned";
    if (!isDelivered) onAbandoned(taskId, attempts.length);
    if (isLast) forget(taskId);
  }

  function start({ id, callback_url }: TaskWithDocuments, body: string, isLast: boolean): void {
    const callback: Sent = { taskId: id, url: callback_url!, status: "pending", attempts: [] };
    sent.push(callback);
    schedule({ callback, body: new TextEncoder().encode(body), isLast });
  }

  return {
    sent,
    forget,
    expect: (taskId) => void expecting.set(taskId, timeline.wait("anybody")),
    send: (task) => start(task, outcomeOf(task, task.response), true),
    sendQuestion: (task, comment) => {
      const { id: task_id, idempotency_key, status, waiting_on, callback_url, callback_events } = task;
      const events = JSON.parse(callback_events ?? "[]") as string[];
      if (callback_url === null || !events.includes(QUESTION_EVENT)) return;
      const body = { event: QUESTION_EVENT, task_id, idempotency_key, status, waiting_on, comment };
      start(task, JSON.stringify(body), false);
    },
  };
}

/** The headers that sign an attempt. Receivers compare its time with their clock, which knows nothing of the time of the test. */
async function signedHeaders(
  payloadKey: string,
  taskId: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<Record<string, string>> {
  const key = await signingKey({ text: payloadKey, isRoot: true }, "sign");
  const sign = async (...parts: (string | Uint8Array<ArrayBuffer>)[]) =>
    new Uint8Array(await crypto.subtle.sign("HMAC", key, await new Blob(parts).arrayBuffer()));
  const id = taskId.replace("tsk", "dlv");
  const seconds = String(Math.floor(Date.now() / 1000));
  const [own, standard] = [await sign(body), await sign(`${id}.${seconds}.`, body)];
  return {
    "x-service-signature": `sha256=${Array.from(own, (byte) => byte.toString(16).padStart(2, "0")).join("")}`,
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}
