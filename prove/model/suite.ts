import * as fc from "fast-check";
import type { Run, Suite } from "../suite.ts";
import { begin, finish } from "./commands.ts";
import { commands } from "./drawn-calls.ts";
import { startService, type Service } from "./service.ts";

export const model: Suite = {
  name: "model",
  promise: "for any calls in any order, or at the same time, the service answers like the model of the contract",
  counts: { short: 85, long: 2_000, unit: "runs on each database" },
  run: async (run) => {
    for (const dialect of ["sqlite", "postgres"] as const) {
      const service = await startService(dialect);
      try {
        const calls = await check(dialect, service, run);
        run.say(`${dialect}: ${run.count} runs, ${calls} commands`);
      } finally {
        await service.stop();
      }
    }
  },
};

/** @throws Error with the shortest failing run, its seed and its path */
async function check(dialect: string, service: Service, { seed, count }: Run): Promise<number> {
  let carriedOut = 0;
  const property = fc.asyncProperty(commands, async (some) => {
    const state = await begin(service);
    try {
      await fc.asyncModelRun(() => ({ model: state, real: service }), some);
      await finish(state, service);
      carriedOut += [...some].length;
    } finally {
      state.stop.abort();
    }
  });
  const found = await fc.check(property, { seed, numRuns: count });
  if (found.failed) {
    const { message } = found.errorInstance as Error;
    throw new Error(`On ${dialect}, at the end of the run below:\n${message}\n${fc.defaultReportMessage(found) ?? ""}`);
  }
  return carriedOut;
}
