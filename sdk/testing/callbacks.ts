import { nextAttemptAt } from "../../src/callbacks/schedule.ts";
import { outcomeOf } from "../../src/tasks/outcome.ts";
import type { TaskWithDocuments } from "../../src/tasks/store.ts";
import { signingKey } from "../callbacks.ts";
import type { Deliver, SentCallback } from "./test-human.ts";
import type { Timeline } from "./timeline.ts";

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
  /** Makes time pass until the callback of this task has come. */
  expect(taskId: string): void;
  /** Ends that: a task that was deleted while it was open has no callback. */
  forget(taskId: string): void;
  /** Sends the callback of a task that has ended, until it is answered with 2xx. (spec: Events, Callback webhook) */
  send(task: TaskWithDocuments): void;
}

type Sent = SentCallback & { attempts: SentCallback["attempts"][number][] };

export function createCallbacks({ timeline, deliver, payloadKey, onAbandoned }: CallbacksOptions): Callbacks {
  const sent: Sent[] = [];
  const expecting = new Map<string, () => void>();
  const forget = (taskId: string): void => expecting.get(taskId)?.();

  /** @returns false: every attempt was made */
  function schedule(callback: Sent, body: Uint8Array<ArrayBuffer>): boolean {
    const at = nextAttemptAt(callback.attempts.length, new Date(timeline.now()), 0);
    if (at !== null) timeline.at(at.getTime(), () => void attempt(callback, body));
    return at !== null;
  }

  async function attempt(callback: Sent, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const { taskId, url, attempts } = callback;
    const headers = {
      "content-type": "application/json",
      "x-service-signature": await timeline.busy(sign(payloadKey, body), "call"),
      "x-service-task-id": taskId,
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
    if (!isDelivered && schedule(callback, body)) return;
    callback.status = isDelivered ? "delivered" : "abandoned";
    if (!isDelivered) onAbandoned(taskId, attempts.length);
    forget(taskId);
  }

  return {
    sent,
    forget,
    expect: (taskId) => void expecting.set(taskId, timeline.wait("anybody")),
    send: (task) => {
      const callback: Sent = { taskId: task.id, url: task.callback_url!, status: "pending", attempts: [] };
      sent.push(callback);
      schedule(callback, new TextEncoder().encode(outcomeOf(task, task.response)));
    },
  };
}

/** The value of `X-Service-Signature`. (spec: Events, Signature) */
async function sign(payloadKey: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", await signingKey(payloadKey, "sign"), body));
  return `sha256=${Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
