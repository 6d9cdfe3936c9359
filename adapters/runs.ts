import { HumanTaskError, type Callback } from "@human-task-service/client";

// A callback finds its run by the key of the question, which contains the run's name and is covered by the signature.

/** Keys are no longer than this. (spec: Create a task) */
const MAX_KEY = 255;
/** Of what a question is told apart by within its run, in hex. */
const DIGEST = 32;

/**
 * The key of a question of a run: `<framework>:<part>/<part>...`, of what the framework calls the run and the question.
 * @throws HumanTaskError RUN_ID_TOO_LONG
 */
export function keyOfRun(framework: string, parts: readonly string[]): string {
  const key = `${framework}:${parts.map((part) => encodeURIComponent(part)).join("/")}`;
  if (key.length > MAX_KEY)
    throw new HumanTaskError(
      "RUN_ID_TOO_LONG",
      `The id of a run is part of the keys of its questions, which may have at most ${MAX_KEY} characters: "${key}".`,
    );
  return key;
}

/** The parts of `keyOfRun`; null where the question is none of this framework's, or its key was made otherwise. */
export function runOf(framework: string, { idempotency_key }: Callback): string[] | null {
  const [kind, rest, ...more] = idempotency_key.split(":");
  if (kind !== framework || rest === undefined || more.length > 0) return null;
  try {
    return rest.split("/").map((part) => decodeURIComponent(part));
  } catch {
    return null;
  }
}

/**
 * The key of a question that is told from others of its run by a digest.
 * @param run - the id of a thread, a chat, a run
 * @param digest - 32 hex digits
 * @throws HumanTaskError RUN_ID_TOO_LONG
 */
export function keyIn(framework: string, run: string, digest: string): string {
  return keyOfRun(framework, [run, digest]);
}

/** The same for the same `identity`, in every process: so many hex digits. */
export async function digestOf(identity: readonly string[], length: number = DIGEST): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(identity));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, length);
}

/** The parts of `keyIn`; null where the question is none of this framework's. */
export function readKey(framework: string, callback: Callback): { run: string; digest: string } | null {
  const [run, digest, ...more] = runOf(framework, callback) ?? [];
  return run === undefined || digest?.length !== DIGEST || more.length > 0 ? null : { run, digest };
}

/**
 * The run does not wait for this task, or not yet: what it waits for is stored after the question is asked. To a callback
 * this is answered with 5xx, and the service calls back again, later.
 */
export function notWaiting(run: string, { task_id }: Callback): HumanTaskError {
  return new HumanTaskError("NOT_WAITING_YET", `The run "${run}" does not wait for ${task_id} yet.`, {
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
      // An earlier error was reported to its own caller.
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
