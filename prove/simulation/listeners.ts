/** What waits for tasks besides people and agents: an engine that each resumes at a URL, and a program that receives events. */
import type { DataKey } from "../../src/db/data-key.ts";
import type { Db } from "../../src/db/database.ts";
import type { Kinds } from "../../src/deliveries/kinds.ts";
import type { Sender, SendResult } from "../../src/outbound/http-sender.ts";
import { createResumeKinds } from "../../src/resume/delivery.ts";
import { createEventKind } from "../../src/subscriptions/kind.ts";
import type { EventType } from "../../src/subscriptions/schema.ts";
import { createSubscription } from "../../src/subscriptions/subscriptions.ts";
import { recordResumeFailed } from "../../src/tasks/audit.ts";
import { readOutcome } from "../../src/tasks/read-outcome.ts";
import type { Ground } from "./ground.ts";

const ENGINE = "http://engine.test";
const LISTENER = "http://listener.test/events";
const HEARD: EventType[] = ["task.created", "task.completed", "task.cancelled", "task.timed_out"];

/** A request that reached the engine or the listener. */
export interface Arrival {
  url: string;
  /** The `webhook-id` of an event; undefined: it resumes something. */
  event: string | undefined;
  body: string;
}

/** Returns where a task is awaited, by its number. */
export function awaitedAt(number: number): string {
  return `${ENGINE}/${number}`;
}

/** Makes the only subscription of a run. */
export async function subscribe({ db, shared: { config } }: Pick<Ground, "db" | "shared">): Promise<void> {
  await createSubscription({ db, config }, { kind: "admin" }, { url: LISTENER, events: HEARD });
}

interface Means {
  store: Db;
  dataKey: DataKey;
  shared: Ground["shared"];
  arrivals: Arrival[];
  /** Lets a moment pass before an answer. */
  wait(): Promise<void>;
  /** How a request fares. `unanswered`: it arrived all the same. */
  fate(): "arrives" | "fails" | "unanswered";
  isDead(): boolean;
}

/** Returns the kinds of deliveries that resume the engine, and tell the listener. */
export function createListenerKinds({ store: db, dataKey, shared, ...means }: Means): Kinds {
  const { config: keys, log } = shared;
  const sender = senderOf(means);
  return {
    ...createResumeKinds({ db, sender, keys, dataKey, log, readOutcome, recordFailed: recordResumeFailed }),
    event: createEventKind({ db, sender, keys, log }),
  };
}

function senderOf({ arrivals, wait, fate, isDead }: Pick<Means, "arrivals" | "wait" | "fate" | "isDead">): Sender {
  return {
    close: async () => {},
    send: async ({ url, body, headers }): Promise<SendResult> => {
      const how = isDead() ? "fails" : fate();
      const event = headers["webhook-id"];
      if (how !== "fails") arrivals.push({ url, event, body: body?.toString() ?? "" });
      await wait();
      if (how === "arrives") return { ok: true, status: 200, headers: {}, duration_ms: 1, response_body: "" };
      return { ok: false, error: how === "fails" ? "connect" : "reset", message: how, duration_ms: 1 };
    },
  };
}
