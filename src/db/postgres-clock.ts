import type { Pool } from "pg";
import { SECOND } from "../lib/time.ts";

const HEARTBEAT_MS = 15 * SECOND;
/** An answer that took longer says too little about the moment it was given. */
const ROUND_TRIP_MAX_MS = 200;
/** Samples taken at the start, when there is no earlier one to fall back to. The best one is used. */
const FIRST_TRIES = 3;

interface Sample {
  /** The database's clock minus `performance.now()`, in milliseconds. */
  offset: number;
  roundTripMs: number;
}

/**
 * The database's clock, so that replicas with wrong clocks agree on deadlines; asked again at every heartbeat. While it
 * cannot be asked, or answers slowly, the last offset holds. Between two answers time is counted by what has passed here:
 * when this machine's clock is set, nothing moves.
 *
 * @throws when the database does not answer the first time
 */
export async function followDatabaseClock(
  pool: Pool,
  onError: (error: unknown) => void,
): Promise<{ now: () => number; stop: () => void }> {
  let best = await sample(pool);
  for (let tries = 1; tries < FIRST_TRIES && best.roundTripMs > ROUND_TRIP_MAX_MS; tries++) {
    const next = await sample(pool);
    if (next.roundTripMs < best.roundTripMs) best = next;
  }
  let { offset } = best;
  const measure = async () => {
    const next = await sample(pool);
    if (next.roundTripMs <= ROUND_TRIP_MAX_MS) ({ offset } = next);
  };
  const timer = setInterval(() => void measure().catch(onError), HEARTBEAT_MS);
  timer.unref();
  return { now: () => Math.floor(performance.now() + offset), stop: () => clearInterval(timer) };
}

async function sample(pool: Pool): Promise<Sample> {
  // Waiting for a connection is not part of the way to the database and back.
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const asked = performance.now();
    const { rows } = await client.query<{ now: number }>(
      "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now",
    );
    const roundTripMs = performance.now() - asked;
    return { offset: rows[0]!.now - (asked + roundTripMs / 2), roundTripMs };
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}
