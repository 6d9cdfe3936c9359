import { startCancelling } from "./agents/cancel-tasks.ts";
import type { Context } from "./context.ts";
import { startHookTidying } from "./hooks/tidying.ts";
import { startDigests } from "./notifications/digests.ts";
import { startTidying } from "./people/sessions.ts";
import { startSecurityTidying } from "./security/retention.ts";
import { startClaimExpiry } from "./tasks/claims.ts";
import { startEscalation } from "./tasks/escalating.ts";
import { startDeadlines } from "./tasks/timeouts.ts";
import { startDepartures } from "./tasks/departures.ts";
import { startSearchIndex } from "./tasks/search-index.ts";
import { startTotals } from "./tasks/stored-totals.ts";

/** Starts what goes on without being asked; each loop lives in its room. `ctx.close()` ends the deliveries. */
export function startWorker(ctx: Context): { stop(): Promise<void> } {
  const deadlines = startDeadlines(ctx);
  const escalation = startEscalation(ctx);
  const claims = startClaimExpiry(ctx);
  const departures = startDepartures(ctx);
  const cancelling = startCancelling(ctx);
  const totals = startTotals(ctx);
  const searchIndex = startSearchIndex(ctx);
  const digests = startDigests(ctx);
  const tidying = startTidying(ctx);
  const securityTidying = startSecurityTidying(ctx);
  const hookTidying = startHookTidying(ctx);
  const channels = [...ctx.channels.opened.values()].flatMap(({ start }) => start?.(ctx) ?? []);
  ctx.deliveries.start();
  return {
    stop: async () => {
      for (const channel of channels) await channel.stop();
      await deadlines.stop();
      await escalation.stop();
      await claims.stop();
      await departures.stop();
      await cancelling.stop();
      await totals.stop();
      await searchIndex.stop();
      await digests.stop();
      await tidying.stop();
      await securityTidying.stop();
      await hookTidying.stop();
    },
  };
}
