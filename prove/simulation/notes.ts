/** A channel that keeps its messages in the table of deliveries, where the judge reads them. */
import type { ChannelType } from "../../src/channels/channel.ts";
import type { Kind } from "../../src/deliveries/kinds.ts";
import { schedule } from "../../src/deliveries/schedule.ts";
import { enqueue } from "../../src/deliveries/store.ts";

/** At once, however often a process dies. */
const nextAttemptAt = schedule(Array.from({ length: 100 }, () => 0));

/** Every message arrives at the first attempt, unless the process dies. */
export const NOTE_KIND: Kind = {
  send: async () => ({ ok: true, status_code: null, response_excerpt: null }),
  nextAttemptAt,
  onAbandoned: async () => {},
};

export const NOTES: ChannelType = {
  name: "note",
  example: "note:front-desk",
  problemOf: () => null,
  isRoom: (target) => !target.includes("@"),
  open: () => ({
    recipientOf: async () => null,
    destinationOf: async (_reader, _notice, { email }) =>
      email === null ? null : { channel: "note", via: null, target: email },
    enqueue: async (tx, { task_id, purpose, at }, to) => {
      for (const { target } of to)
        await enqueue(tx, {
          kind: "note",
          task_id,
          destination: target,
          origin: `note:${target}`,
          body: JSON.stringify({ purpose }),
          due_at: at,
        });
    },
    kinds: () => ({ note: NOTE_KIND }),
  }),
};
