import { HumanTaskError, type Callback } from "@human-task-service/client";

// A callback finds its run by the key of the question, which contains the run's name and is covered by the signature.

/** Keys are no longer than this. (spec: Create a task) */
const MAX_KEY = 255;
/** Hex digits of the digest that identifies a question within its run. */
const DIGEST = 32;

/**
 * Returns the key of a question of a run: `<framework>:<part>/<part>...`, from the framework's names of the run and the
 * question.
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

/** Returns the parts of `keyOfRun`; null if the question is not of this framework, or has another kind of key. */
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
 * Returns the key of a question that a digest distinguishes from others of its run.
 * @param run - the id of a thread, a chat, a run
 * @param digest - 32 hex digits
 * @throws HumanTaskError RUN_ID_TOO_LONG
 */
export function keyIn(framework: string, run: string, digest: string): string {
  return keyOfRun(framework, [run, digest]);
}

/** Returns a digest of `length` hex digits, the same for the same `identity` in every process. */
export async function digestOf(identity: readonly string[], length: number = DIGEST): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(identity));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, length);
}

/** Returns the parts of `keyIn`; null if the question is not of this framework. */
export function readKey(framework: string, callback: Callback): { run: string; digest: string } | null {
  const [run, digest, ...more] = runOf(framework, callback) ?? [];
  return run === undefined || digest?.length !== DIGEST || more.length > 0 ? null : { run, digest };
}

/**
 * Returns the error for a run that does not wait for this task, or not yet: its state is stored after the question is
 * asked. The callback is then answered with 5xx, and the service calls back again later.
 */
export function notWaiting(run: string, { task_id }: Callback): HumanTaskError {
  return new HumanTaskError("NOT_WAITING_YET", `The run "${run}" does not wait for ${task_id} yet.`, {
    taskId: task_id,
  });
}

/** Runs `work` exclusively for its run. */
export type Exclusively = <T>(run: string, work: () => Promise<T>) => Promise<T>;

/** Makes work exclusive within this process. */
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
