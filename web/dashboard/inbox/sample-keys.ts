import type { Task } from "../api.ts";

/** Prefixes of the keys of samples, by the page that creates them. */
export const SAMPLE_KEYS = { setup: "sample-setup-", inbox: "sample-inbox-" } as const;

type Keyed = Pick<Task, "idempotency_key">;

/** Returns whether a button of these pages created the task, and not an agent. */
export function isSample({ idempotency_key }: Keyed): boolean {
  return idempotency_key.startsWith("sample-");
}

/** Returns whether it is the sample of setup, which continues after the answer. */
export function isSampleOfSetup({ idempotency_key }: Keyed): boolean {
  return idempotency_key.startsWith(SAMPLE_KEYS.setup);
}
