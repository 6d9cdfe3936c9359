import { isMainThread } from "node:worker_threads";

/**
 * The seed of all random choices in a test run, so that a run can be repeated: `TEST_SEED`, which `npm test` prints. It
 * is loaded before the tests, and is also the seed of every property.
 */
export const SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

// Each thread of a service loads this module, too. Threads have no properties, and loading fast-check would be most of
// their work.
if (isMainThread) (await import("fast-check")).configureGlobal({ seed: SEED });
