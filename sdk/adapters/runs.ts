import type { Callback } from "../callbacks.ts";
import { HumanTaskError } from "../errors.ts";

// How a callback finds the run that waits for it: the run's name stands in the key of the question, which is signed with the rest.

/** Keys are no longer than this. (spec: Create a task) */
const MAX_KEY = 255;
/** Of what a question is told apart by within its run, in hex. */
const DIGEST = 32;

/**
 * The key of a question of one run.
 * @param run - what the framework calls it: the id of a thread, a chat, a run
 * @param digest - of what tells the question from others of the run: 32 hex digits
 * @throws HumanTaskError RUN_ID_TOO_LONG
 */
export function keyIn(framework: string, run: string, digest: string): string {
  const key = `${framework}:${encodeURIComponent(run)}:${digest}`;
  if (key.length > MAX_KEY)
    throw new HumanTaskError(
      "RUN_ID_TOO_LONG",
      `The id of the run stands in the key of its questions, which has room for ${MAX_KEY - framework.length - 2 - DIGEST} characters: "${run}".`,
    );
  return key;
}

/** The same for the same `identity`, in every process: so many hex digits. */
export async function digestOf(identity: readonly string[], length: number = DIGEST): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(identity));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, length);
}

/** The run that asked, and what its question is told apart by; null when it is none of this framework's. */
export function readKey(framework: string, { idempotency_key }: Callback): { run: string; digest: string } | null {
  const [kind, run, digest, ...rest] = idempotency_key.split(":");
  if (kind !== framework || run === undefined || digest?.length !== DIGEST || rest.length > 0) return null;
  try {
    return { run: decodeURIComponent(run), digest };
  } catch {
    return null;
  }
}

/**
 * The run does not wait for this task, or not yet: what it waits for is stored after the question is asked. To a callback
 * this is answered with 5xx, and the service calls back again, later.
 */
export function notWaiting(run: string, { task_id }: Callback): HumanTaskError {
  return new HumanTaskError("NOT_WAITING_YET", `Nothing of the run "${run}" waits for ${task_id} yet.`, {
    taskId: task_id,
  });
}

/** Does `work` while no other of the same run is being done. */
export type Exclusively = <T>(run: string, work: () => Promise<T>) => Promise<T>;

/** Turns within this process. */
export function createTurns(): Exclusively {
  const last = new Map<string, Promise<unknown>>();
  return async (run, work) => {
    const before = last.get(run);
    const mine = (async () => {
      // Whoever was before has told its own caller.
      await before?.catch(() => {});
      return work();
    })();
    last.set(run, mine);
    try {
      return await mine;
    } finally {
      if (last.get(run) === mine) last.delete(run);
    }
  };
}
