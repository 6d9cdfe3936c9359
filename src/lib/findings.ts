import { reasonOf } from "./reason.ts";
import { SECOND } from "./time.ts";

/** `problem`: it does not work. `warning`: it works, but needs attention. `off`: it is not configured. */
export type Status = "ok" | "warning" | "problem" | "off";

/** One result of a check. */
export interface Finding {
  /** The subject. One of several has its own name behind a slash: `mail/default`. */
  name: string;
  status: Status;
  /** The result and, unless all is well, what to do next. */
  message: string;
}

const finding = (status: Status) => (name: string, message: string) => ({ name, status, message }) satisfies Finding;
export const ok = finding("ok");
export const warning = finding("warning");
export const problem = finding("problem");
export const off = finding("off");

/** Returns the result of `run`. If it fails or takes longer than `limitMs`, returns `otherwise(reason)`. */
export async function within<T>(
  limitMs: number,
  run: (signal: AbortSignal) => Promise<T>,
  otherwise: (reason: string) => T,
): Promise<T> {
  const late = new AbortController();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.abort();
    reject(new Error(`it took longer than ${limitMs / SECOND} s.`));
  }, limitMs);
  try {
    return await Promise.race([run(late.signal), tooLate]);
  } catch (error) {
    return otherwise(reasonOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Runs an independent check. Its error or timeout becomes its finding, and does not stop other checks. */
export async function check(
  name: string,
  limitMs: number,
  run: (signal: AbortSignal) => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  return [await within(limitMs, run, (reason) => problem(name, `Could not be looked at: ${reason}`))].flat();
}

/** Runs checks that must be discovered first. Each has its own time limit. */
export async function checkEach(
  name: string,
  limitMs: number,
  plan: () => Promise<readonly Promise<Finding[]>[]>,
): Promise<Finding[]> {
  const planned = await within(limitMs, plan, (reason) => [
    check(name, limitMs, () => Promise.reject(new Error(reason))),
  ]);
  return (await Promise.all(planned)).flat();
}

/** Returns a finding that needs no check. */
export async function known(finding: Finding): Promise<Finding[]> {
  return [finding];
}
