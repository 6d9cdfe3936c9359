import type { Resealed } from "../operations/reseal.ts";
import type { OperatorCommand } from "./people.ts";

/** Seals the stored settings with the current key. @throws Error if settings are left that no key opens */
export async function resealSettings(): Promise<OperatorCommand> {
  return async (calls) => {
    const { resealed, current, unreadable } = await calls.call<Resealed>("POST", "/api/admin/reseal");
    const done = `Encrypted again: ${resealed}. Encrypted with the current SERVICE_SECRET_KEY: ${current} of ${current + unreadable.length}.`;
    if (unreadable.length === 0) return done;
    throw new Error(
      `${done}\nNo accepted key opens these settings: ${unreadable.join(", ")}. Set SERVICE_SECRET_KEY_PREVIOUS to the key that encrypted them, or enter them again.`,
    );
  };
}
