import type { Logger } from "pino";
import type { Db } from "../db/database.ts";
import type { SecurityEventRow } from "../db/schema.ts";
import { MINUTE } from "../lib/time.ts";
import type { Failure } from "./failures.ts";
import { insertEvent, logEvent, NOT_STORED, rowOf, type SecurityEvent } from "./record.ts";
import { NOWHERE, type Actor, type Source } from "./request.ts";

/** Records failures, which anyone can cause: their number is bounded, and they never delay the request. */
export interface SecurityLog {
  /** @param network - the addresses that are counted as one */
  noteFailure(failure: Failure, actor: Actor, source: Source, network: string): void;
  /** Records the counts so far, and waits until everything is stored. */
  flush(): Promise<void>;
}

/**
 * Within a minute, the first failure of a kind is stored at once. Others like it are counted, and the count is stored at the
 * end of the minute. A flood leaves at most two events for each of these, in each process.
 */
const WINDOW_MS = 1 * MINUTE;
/** Kinds of failures from one network that are told apart in a minute; the others are counted together. */
const KINDS_OF_NETWORK_MAX = 10;
/** Kinds of failures in a minute; beyond that, networks are not told apart. */
const KINDS_MAX = 60;

const SEVERAL: Actor = { kind: "several", id: null, email: null };

/** A failure, or what several have in common. */
interface Noted {
  event: SecurityEvent;
  actor: Actor;
  source: Source;
}

/** Failures that no stored event has counted yet. */
interface Counted {
  more: number;
  /** null: there is none. */
  common: Noted | null;
}

export function createSecurityLog({ db, log }: { db: Db; log: Logger }): SecurityLog {
  let counted = new Map<string, Counted>();
  let networks = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const storing = new Set<Promise<void>>();

  const write = async (row: SecurityEventRow): Promise<void> => {
    try {
      await db.writeOne(insertEvent, row);
    } catch (error) {
      log.error({ err: error, event: row.type }, NOT_STORED);
    }
  };

  const store = ({ event, actor, source }: Noted, count: number): void => {
    const row = rowOf({ ...event, count }, { actor, source }, db.now());
    logEvent(log, row);
    const stored = write(row).finally(() => storing.delete(stored));
    storing.add(stored);
  };

  const endWindow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const ended = counted;
    counted = new Map();
    networks = new Map();
    for (const { common, more } of ended.values()) if (common !== null) store(common, more);
  };

  /** Counts a failure under `key`, and stores the first one. */
  const count = (key: string, one: Noted): void => {
    const known = counted.get(key);
    if (known !== undefined) {
      known.more++;
      known.common = known.common === null ? one : inCommon(known.common, one);
      return;
    }
    counted.set(key, { more: 0, common: null });
    store(one, 1);
    timer ??= setTimeout(endWindow, WINDOW_MS).unref();
  };

  return {
    noteFailure: ({ type, reason, email, target, route }, actor, source, network) => {
      const isAnonymous = actor.kind === "anonymous";
      const who = isAnonymous ? { ...actor, email } : actor;
      const details = { route, ...(!isAnonymous && email !== null && { email }) };
      const event: SecurityEvent = { type, outcome: "failure", reason, target, details };
      const kind = `${type} ${reason}`;
      const key = `${kind} ${network} ${who.kind} ${who.id ?? who.email ?? ""} ${target?.id ?? ""}`;
      const ofNetwork = networks.get(network) ?? 0;
      if (counted.has(key) || (counted.size < KINDS_MAX && ofNetwork < KINDS_OF_NETWORK_MAX)) {
        if (!counted.has(key)) networks.set(network, ofNetwork + 1);
        return count(key, { event, actor: who, source });
      }
      const alike: SecurityEvent = { type, outcome: "failure", reason };
      if (counted.has(`${kind} ${network}`) || counted.size < KINDS_MAX)
        return count(`${kind} ${network}`, { event: alike, actor: SEVERAL, source });
      return count(kind, { event: alike, actor: SEVERAL, source: NOWHERE });
    },
    flush: async () => {
      endWindow();
      await Promise.all(storing);
    },
  };
}

/** What two failures that are counted together have in common. The type, the reason, the actor and the target are the same. */
function inCommon(a: Noted, b: Noted): Noted {
  const same = <T>(one: T, other: T): T | null => (one === other ? one : null);
  const details = Object.entries(a.event.details ?? {}).filter(([name, value]) => value === b.event.details?.[name]);
  return {
    event: { ...a.event, details: details.length === 0 ? null : Object.fromEntries(details) },
    actor: a.actor,
    source: {
      address: same(a.source.address, b.source.address),
      user_agent: same(a.source.user_agent, b.source.user_agent),
      request_id: same(a.source.request_id, b.source.request_id),
    },
  };
}
