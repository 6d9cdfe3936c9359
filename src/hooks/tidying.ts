import type { Logger } from "pino";
import type { Db } from "../db/database.ts";
import { startHourly } from "../lib/hourly.ts";
import { removeOldCalls } from "./calls.ts";
import { removeOldQuestions } from "./questions.ts";

/** Removes every hour what can no longer be used. */
export function startHookTidying(ctx: { db: Db; log: Logger }): { stop(): Promise<void> } {
  return startHourly(ctx, {
    run: async () => {
      await removeOldQuestions(ctx.db);
      await removeOldCalls(ctx.db);
    },
    onError: "Removing old calls of coding agents failed; trying again in an hour",
  });
}
