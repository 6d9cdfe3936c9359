import { isMainThread } from "node:worker_threads";

/**
 * Everything that a run of the tests draws by lot follows from one number, so that a run can be repeated: `TEST_SEED`, which
 * `npm test` prints. Loaded before the tests, it is the seed of every property too.
 */
export const SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

// It is loaded into each thread that a service starts, too, where there are no properties and loading is most of the work.
if (isMainThread) (await import("fast-check")).configureGlobal({ seed: SEED });
