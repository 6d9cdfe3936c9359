/**
 * What the modules of one engine share. No promise rests on it: an engine that starts with an empty state finds the same
 * deliveries in the table.
 */
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Db } from "../../db/database.ts";
import { createShardBatcher } from "../../db/shards.ts";
import { ServiceError } from "../../errors.ts";
import type { Metrics } from "../../http/metrics.ts";
import type { Batcher } from "../../lib/batch.ts";
import { openFilesMax } from "../../lib/open-files.ts";
import { SECOND } from "../../lib/time.ts";
import type { Kinds } from "../kinds.ts";
import { recordOutcomes, type Ended } from "../outcomes.ts";
import { createAlarm, type Alarm } from "./alarm.ts";
import { createFindings, type Findings } from "./findings.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { createLookState, type LookState } from "./look.ts";
import { createQueue, type Queue } from "./queue.ts";

export interface EngineOptions {
  db: Db;
  log: Logger;
  metrics: Pick<Metrics, "deliveryAttempts" | "deliveriesAbandoned">;
  kinds: Kinds;
  /** How long an attempt belongs to the process that makes it, in milliseconds. */
  leaseMs?: number;
  /** The most attempts at once at origins that have not proven themselves. */
  unproven?: number;
  /** How long attempts under way may take once the engine stops, in milliseconds. */
  drainMs?: number;
  /** Returns 0 to 1: how much of the allowed lateness the next attempt uses. */
  random?: () => number;
}

/** The modes of an engine, drawn at the top of engine.ts. */
export type Mode = "idle" | "running" | "stopping";

export interface EngineState extends Required<EngineOptions> {
  /** Names this engine in the leases that it takes. */
  readonly owner: string;
  readonly lanes: Lanes;
  /** Collects outcomes, so that many are written in one statement. */
  readonly outcomes: Batcher<Ended, boolean>;
  /** Collects what attempts show about origins. */
  readonly findings: Findings;
  readonly queue: Queue;
  readonly look: LookState;
  /** Those of the two loops. */
  readonly alarms: { readonly due: Alarm; readonly released: Alarm };
  /** Attempts that are under way or whose outcome is not written yet. */
  readonly attempts: Map<Promise<void>, AbortController>;
  mode: Mode;
  /** When leases were last checked, by the database's clock; -Infinity: not since the start. */
  leasesCheckedAt: number;
}

/** The most outcomes in one batch, and the most batches at once. */
const OUTCOMES = { items: 64, under_way: 2 };

/** The most attempts at origins that have not proven themselves. Each holds a socket, and most wait until they time out. */
const UNPROVEN_MAX = 2_048;
const UNPROVEN_MIN = 96;
/** The share of the open files that these sockets may use. The rest is for requests, waiting polls and the database. */
const FILES_SHARE = 1 / 4;

function unprovenMax(openFiles: number): number {
  return Math.max(UNPROVEN_MIN, Math.min(UNPROVEN_MAX, Math.floor(openFiles * FILES_SHARE)));
}

export function createState(options: EngineOptions): EngineState {
  const { db } = options;
  const unproven = options.unproven ?? unprovenMax(openFilesMax());
  return {
    leaseMs: 30 * SECOND,
    drainMs: 15 * SECOND,
    random: Math.random,
    ...options,
    unproven,
    owner: randomUUID(),
    lanes: createLanes({ unproven }),
    outcomes: createShardBatcher(
      db,
      ({ attempt }: Ended) => attempt.home,
      OUTCOMES,
      (batch) => recordOutcomes(db, batch),
      (error) => !(error instanceof ServiceError),
    ),
    findings: createFindings(db),
    queue: createQueue(),
    look: createLookState(),
    alarms: { due: createAlarm(), released: createAlarm() },
    attempts: new Map(),
    mode: "idle",
    leasesCheckedAt: Number.NEGATIVE_INFINITY,
  };
}
