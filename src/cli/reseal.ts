import type { Resealed } from "../operations/reseal.ts";
import type { OperatorCommand } from "./people.ts";

/** Seals the stored settings with the current key. @throws Error if some are not sealed with it afterwards */
export async function resealSettings(): Promise<OperatorCommand> {
  return async (calls) => {
    const { resealed, current, left, unreadable } = await calls.call<Resealed>("POST", "/api/admin/reseal");
    const done = `Encrypted again: ${resealed}. Encrypted with the current SERVICE_SECRET_KEY: ${current} of ${current + left + unreadable.length}.`;
    const problems: string[] = [];
    if (left > 0)
      problems.push(
        `Another process encrypted ${left} with SERVICE_SECRET_KEY_PREVIOUS at the same time. Restart all processes with the same keys, and run this again.`,
      );
    if (unreadable.length > 0)
      problems.push(
        `No accepted key opens these settings: ${unreadable.join(", ")}. Set SERVICE_SECRET_KEY_PREVIOUS to the key that encrypted them, or enter them again.`,
      );
    if (problems.length === 0) return done;
    throw new Error([done, ...problems].join("\n"));
  };
}
