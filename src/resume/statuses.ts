import { retryAfter } from "../outbound/retry-after.ts";
import type { Answer, Attempt, Meaning, Resumed } from "./kind.ts";

/** The statuses whose meaning differs between engines. */
export interface OwnStatuses {
  [status: number]: { meaning: Meaning; message: string };
}

/**
 * Returns what an answer means by its status.
 * @param engine - its name, for sentences
 * @param own - what the documentation of the engine says of some statuses. The others mean what they mean by RFC 9110
 */
export function readStatus(engine: string, answer: Answer, now: number, own: OwnStatuses = {}): Resumed {
  const { status } = answer;
  const { meaning, message } = own[status] ?? usualMeaning(engine, status);
  const wait_ms = meaning === "later" || meaning === "refused" ? retryAfter(answer.headers, now) : undefined;
  return { meaning, message, answer, ...(wait_ms !== undefined && { wait_ms }) };
}

function usualMeaning(engine: string, status: number): { meaning: Meaning; message: string } {
  if (status >= 200 && status < 300) return { meaning: "done", message: `${engine} answered ${status}.` };
  if (status === 401 || status === 403)
    return { meaning: "refused", message: `${engine} answered ${status}: it does not accept the secret.` };
  if (status === 404 || status === 410)
    return { meaning: "gone", message: `${engine} answered ${status}: nothing waits there.` };
  if ([400, 405, 411, 413, 414, 415, 422].includes(status))
    return { meaning: "gone", message: `${engine} answered ${status}: it does not take this request.` };
  return { meaning: "later", message: `${engine} answered ${status}.` };
}

/**
 * Where an engine answers a repetition like something that never was: an attempt that was cut off has probably resumed it.
 * @returns what was read, or `done_already`
 */
export async function orDoneAlready(resumed: Resumed, { wasCutOff }: Pick<Attempt, "wasCutOff">): Promise<Resumed> {
  if (resumed.meaning !== "gone" || !(await wasCutOff())) return resumed;
  return {
    ...resumed,
    meaning: "done_already",
    message: `${resumed.message} An earlier attempt was cut off, and has probably resumed it.`,
  };
}
