import type { Context } from "./context.ts";
import { startDeadlines } from "./tasks/deadlines.ts";

/** Starts what goes on without being asked; each loop lives in its room. */
export function startWorker(ctx: Context): { stop(): Promise<void> } {
  const deadlines = startDeadlines(ctx);
  ctx.deliveries.start();
  return {
    stop: async () => {
      await deadlines.stop();
      await ctx.deliveries.stop();
      await ctx.sender.close();
    },
  };
}
