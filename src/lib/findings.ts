import { reasonOf } from "./reason.ts";
import { SECOND } from "./time.ts";

/** `problem`: it does not work. `warning`: it works, but needs attention. `off`: it is not configured. */
export type Status = "ok" | "warning" | "problem" | "off";

/** One line of what was found. */
export interface Finding {
  /** The subject; for one of several, with its own name behind a slash: `mail/default`. */
  name: string;
  status: Status;
  /** What was found and, unless all is well, what to do next. */
  message: string;
}

const finding = (status: Status) => (name: string, message: string) => ({ name, status, message }) satisfies Finding;
export const ok = finding("ok");
export const warning = finding("warning");
export const problem = finding("problem");
export const off = finding("off");

/** What `run` gives; where it fails or has given nothing after `limitMs`, what `otherwise` makes of the reason. */
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

/** Runs a check of its own: what it throws, or that it takes too long, is its finding and stops no other. */
export async function check(
  name: string,
  limitMs: number,
  run: (signal: AbortSignal) => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  return [await within(limitMs, run, (reason) => problem(name, `Could not be looked at: ${reason}`))].flat();
}

/** Checks that have to be found out about first; each of them has its own time. */
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

/** What is found without a look. */
export async function known(finding: Finding): Promise<Finding[]> {
  return [finding];
}
