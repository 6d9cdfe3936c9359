import type { Db } from "../db/database.ts";
import { newDelivery, type NewDelivery } from "../deliveries/store.ts";
import { originOf } from "../outbound/outbound-url.ts";
import { REMEMBERED_MS } from "../people/agent-memory.ts";
import type { EventType } from "./schema.ts";
import { listSubscriptionRows } from "./store.ts";

/** The hint that a subscription was made, changed or deleted. */
export const SUBSCRIPTIONS_HINT = "event-subscriptions";

/** Of the deliveries that send events. */
export const EVENT_KIND = "event";

/** Something that happened to a task. */
export interface Happened {
  type: EventType;
  task_id: string;
  project: string;
  /** Epoch milliseconds. */
  at: number;
  /** JSON of the body; asked for only if someone has subscribed. */
  body: () => string;
}

/** Knows who has subscribed, so that what happens to tasks without subscribers costs nothing. */
export interface Subscriptions {
  /** Brings what is known up to date, if it is not. To be called before `deliveriesOf`, outside of any transaction. */
  refresh(): Promise<void> | null;
  /** Returns the deliveries of an event, to be written with what caused it. */
  deliveriesOf(happened: Happened): NewDelivery[];
  stop(): void;
}

interface Known {
  id: string;
  origin: string;
  events: ReadonlySet<string>;
}

/**
 * Remembers the subscriptions of all projects: operators make them by hand, so they are few. On PostgreSQL, where a process
 * learns of a change later, for `REMEMBERED_MS` at most; changes are answered after that time (`untilSeen`).
 */
export function createSubscriptions(db: Db): Subscriptions {
  let known: ReadonlyMap<string, readonly Known[]> = new Map();
  /** Counts changes, so that a read that began before one is not good after it. */
  let changes = 0;
  let latest: { changes: number; began: number; reading: Promise<void> | null } | null = null;

  async function read(): Promise<void> {
    const byProject = new Map<string, Known[]>();
    for (const { id, project, url, events, disabled_at } of await listSubscriptionRows(db, null)) {
      if (disabled_at !== null) continue;
      const one = { id, origin: originOf(url), events: new Set(JSON.parse(events) as string[]) };
      byProject.set(project, [...(byProject.get(project) ?? []), one]);
    }
    known = byProject;
  }

  function refresh(): Promise<void> | null {
    const isGood =
      latest?.changes === changes && (!db.hints.isShared || performance.now() - latest.began < REMEMBERED_MS);
    if (isGood) return latest!.reading;
    const begun = { changes, began: performance.now(), reading: null as Promise<void> | null };
    begun.reading = read().then(
      () => void (begun.reading = null),
      (error: unknown) => {
        if (latest === begun) latest = null;
        throw error;
      },
    );
    latest = begun;
    return begun.reading;
  }

  const unlisten = db.hints.listen((hint) => {
    if (hint === SUBSCRIPTIONS_HINT) changes++;
  });
  const stopReset = db.hints.onReset(() => void changes++);

  return {
    refresh,
    deliveriesOf: ({ type, task_id, project, at, body }) => {
      const wanting = known.get(project)?.filter(({ events }) => events.has(type)) ?? [];
      if (wanting.length === 0) return [];
      const text = body();
      return wanting.map(({ id, origin }) =>
        newDelivery({ kind: EVENT_KIND, task_id, destination: id, origin, body: text, due_at: at }),
      );
    },
    stop: () => {
      unlisten();
      stopReset();
    },
  };
}
