/** What attempts show about origins, stored for other processes and for the next start. A finding may be lost. */
import type { Db } from "../../db/database.ts";
import { createBatcher, type Batcher } from "../../lib/batch.ts";
import { deleteKnownOf, deleteOldest, listKnown, listKnownDue, storeAnswered } from "../known-origins.ts";
import { kindOf } from "../kinds.ts";
import type { Finding, Lanes } from "./lanes.ts";
import type { EngineState } from "./state.ts";

export type Findings = Batcher<Finding, void>;

/** The most findings in one batch, and the most batches at once. */
const BATCH = { items: 128, under_way: 1 };
/** After so many findings, the oldest stored ones are deleted. */
const DELETE_EVERY = 500;
/** The most origins with due deliveries that a start puts first. */
const FIRST_MAX = 1_024;

export function createFindings(db: Db): Findings {
  let untilDeletion = 0;
  return createBatcher(
    BATCH,
    async (batch: Finding[]) => {
      // Of several findings about one origin, the last counts.
      const last = new Map(batch.map(({ origin, isAnswering }) => [origin, isAnswering]));
      const answered = [...last.keys()].filter((origin) => last.get(origin));
      const silent = [...last.keys()].filter((origin) => !last.get(origin));
      if (answered.length > 0) await storeAnswered(db, answered);
      if (silent.length > 0) await deleteKnownOf(db, silent);
      untilDeletion -= answered.length;
      if (untilDeletion < 0) {
        await deleteOldest(db);
        untilDeletion = DELETE_EVERY;
      }
      return batch.map(() => {});
    },
    () => false,
  );
}

/** Stores a finding, together with others. Without it, other processes only know less. */
export async function storeFinding(
  { findings, kinds, log }: EngineState,
  kind: string,
  finding: Finding,
): Promise<void> {
  if (kindOf(kinds, kind).hasLastingOrigins !== true) return;
  try {
    await findings.add(finding);
  } catch (error) {
    log.warn({ err: error, origin: finding.origin }, "It could not be stored whether a receiver answers");
  }
}

type Recalling = Pick<EngineState, "lanes"> & { db: Db };

/** Adds to the lanes what is stored about these origins, as far as they are unknown there. */
export async function recallOrigins({ db, lanes }: Recalling, origins: readonly string[]): Promise<void> {
  const unknown = new Set(origins.filter((origin) => !lanes.knows(origin)));
  if (unknown.size > 0) introduce(lanes, await listKnown(db, [...unknown]));
}

/** The same for all stored origins that have due deliveries. @returns these origins */
export async function recallKnownDue({ db, lanes }: Recalling, now: number): Promise<string[]> {
  const known = await listKnownDue(db, now, FIRST_MAX);
  introduce(lanes, known);
  return known.map(({ origin }) => origin);
}

function introduce(lanes: Lanes, known: Awaited<ReturnType<typeof listKnown>>): void {
  for (const { origin, answered_at } of known) lanes.introduce(origin, answered_at);
}
