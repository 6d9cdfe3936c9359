import type { Pool } from "pg";
import { SECOND } from "../lib/time.ts";

const HEARTBEAT_MS = 15 * SECOND;
/** A slower answer says too little about the moment of the reading. */
const ROUND_TRIP_MAX_MS = 200;
/** Samples taken at the start, when there is no earlier one to fall back to. The best one is used. */
const FIRST_TRIES = 3;

interface Sample {
  /** The database's clock minus `performance.now()`, in milliseconds. */
  offset: number;
  roundTripMs: number;
}

/**
 * Returns the database's clock, so that replicas with wrong clocks agree on deadlines. It is read again at every
 * heartbeat. If a reading fails or is slow, the last offset stays valid. Between two readings, elapsed time is counted
 * locally, so setting this machine's clock has no effect.
 *
 * @throws when the first reading fails
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
  // Waiting for a connection is not part of the round trip.
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
