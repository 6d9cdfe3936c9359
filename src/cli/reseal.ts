import type { Resealed } from "../operations/reseal.ts";
import type { OperatorCommand } from "./people.ts";
import { requireRestarted } from "./running-keys.ts";

/**
 * Seals the stored settings with the current key.
 * @throws Error if the service has the key from before a rotation, or if some settings are not sealed with the current key
 */
export async function resealSettings(env: Readonly<Record<string, string | undefined>>): Promise<OperatorCommand> {
  return async (calls) => {
    await requireRestarted(calls, env);
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
