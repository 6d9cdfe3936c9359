import { outcomeOf, type Tasks } from "./tasks.ts";
import type { TaskRecord } from "../shapes.ts";
import type { Timeline } from "./timeline.ts";

/** What became of a callback, attempt by attempt. */
export interface SentCallback {
  taskId: string;
  url: string;
  /** `abandoned`: every attempt failed, as after three days. */
  status: "pending" | "delivered" | "abandoned";
  /** Of each attempt, the status that it was answered with, or what the handler threw. */
  attempts: readonly (number | { thrown: unknown })[];
}

/** Receives a callback as the program under test does. */
export type Deliver = (request: Request) => Response | Promise<Response>;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** What is waited before each attempt. (spec: Events, Delivery) */
const WAITS_MS = [
  0,
  30 * SECOND,
  60 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  24 * HOUR,
  24 * HOUR,
];

export interface CallbacksOptions {
  timeline: Timeline;
  deliver: Deliver;
  /** Base64 of 32 bytes. */
  payloadKey: string;
  note: Tasks["note"];
}

/** Sends what is owed when a task has ended, until it is answered with 2xx. (spec: Events, Callback webhook) */
export function createCallbacks({ timeline, deliver, payloadKey, note }: CallbacksOptions) {
  const sent: (SentCallback & { attempts: SentCallback["attempts"][number][] })[] = [];
  const expecting = new Map<string, () => void>();

  return {
    sent: sent as readonly SentCallback[],

    /** Somebody waits for the end of this task without asking. */
    expect: (taskId: string): void => {
      expecting.set(taskId, timeline.wait("anybody"));
    },

    /** Nobody is called back of a task that was deleted while it was open. */
    forget: (taskId: string): void => expecting.get(taskId)?.(),

    send: (task: TaskRecord): void => {
      const { verifier_result: _, ...body } = outcomeOf(task);
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const callback = {
        taskId: task.id,
        url: task.callback_url!,
        status: "pending" as SentCallback["status"],
        attempts: [],
      };
      sent.push(callback);
      attempt(callback, bytes);
    },
  };

  function attempt(callback: (typeof sent)[number], body: Uint8Array<ArrayBuffer>): void {
    const wait = WAITS_MS[callback.attempts.length]!;
    timeline.at(timeline.now() + wait, () => void post(callback, body));
  }

  async function post(callback: (typeof sent)[number], body: Uint8Array<ArrayBuffer>): Promise<void> {
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
    const isAbandoned = !isDelivered && attempts.length === WAITS_MS.length;
    if (isDelivered) callback.status = "delivered";
    else if (!isAbandoned) {
      attempt(callback, body);
      return;
    } else {
      callback.status = "abandoned";
      note(taskId, "callback_abandoned", { attempts: attempts.length });
    }
    expecting.get(taskId)?.();
  }
}

/** The value of `X-Service-Signature`. (spec: Events, Signature) */
async function sign(payloadKey: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const ascii = (text: string) => new TextEncoder().encode(text);
  const raw = Uint8Array.from(atob(payloadKey), (char) => char.charCodeAt(0));
  const root = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: ascii("service-webhook-v1"), info: ascii("v1") };
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const key = await crypto.subtle.deriveKey(hkdf, root, hmac, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, body));
  return `sha256=${Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
