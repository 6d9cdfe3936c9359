import type { Verify, VerifyOptions } from "./verify.ts";

/** Concurrent calls of this process. */
export const AT_ONCE = 64;

/** Returns the largest total size of all concurrent calls: each has a task and an answer of the maximum body size. */
export function questionCharactersMax(bodyBytes: number): number {
  return AT_ONCE * 2 * bodyBytes;
}

/** Returns a verifier that is loaded at its first use, because most services have none. */
export function verifyOnFirstUse(options: VerifyOptions): Verify {
  let loaded: Promise<Verify> | undefined;
  return async (config, submission) => {
    loaded ??= import("./verify.ts").then(({ createVerify }) => createVerify(options));
    return (await loaded)(config, submission);
  };
}
