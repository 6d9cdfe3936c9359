import type { Suite } from "../suite.ts";
import { countSyncsOfPostgres } from "./postgres.ts";
import { traceSqlite } from "./sqlite.ts";

export const durability: Suite = {
  name: "durability",
  promise: "Every acknowledged write was on disk first: a sync of the right file had returned.",
  counts: { short: 500, long: 5_000, unit: "acknowledged commits" },
  run: async (run) => {
    const violations = [...(await traceSqlite(run)), ...(await countSyncsOfPostgres(run))];
    if (violations.length > 0) throw new Error(violations.join("\n"));
  },
};
