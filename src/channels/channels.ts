import type { Kinds } from "../deliveries/kinds.ts";
import type { InBrowsers, Notifier } from "../tasks/notices.ts";
import type { Channel, ChannelContext, ChannelType, KindContext } from "./channel.ts";

/** The channels of one service. */
export interface Channels extends Notifier {
  readonly channels: readonly ChannelType[];
  /** Each channel by its name, in the order in which they are registered. */
  readonly opened: ReadonlyMap<string, Channel>;
  /** The kinds of delivery of all channels. */
  kinds(ctx: KindContext): Kinds;
}

export function createChannels(types: readonly ChannelType[], ctx: ChannelContext, inBrowsers: InBrowsers): Channels {
  const opened = new Map(types.map((type) => [type.name, type.open(ctx)]));
  return {
    channels: types,
    opened,
    kinds: (all) => Object.assign({}, ...[...opened.values()].map((channel) => channel.kinds(all))) as Kinds,
    // A task may name a channel that is not registered any more.
    recipientOf: async (reader, destination) =>
      (await opened.get(destination.channel)?.recipientOf(reader, destination)) ?? null,
    // In the order of registration, so that two tasks that tell the same people take locks in the same order.
    enqueue: async (tx, notice, to) => {
      for (const [name, channel] of opened) {
        const own = to.filter(({ channel: wanted }) => wanted === name);
        if (own.length > 0) await channel.enqueue(tx, notice, own);
      }
    },
    enqueueComment: async (tx, notice) => {
      for (const channel of opened.values()) await channel.enqueueComment?.(tx, notice);
    },
    inBrowsers,
    enqueueFor: async (tx, notice, person, notify) => {
      for (const channel of opened.values()) {
        const destination = (await channel.destinationOf?.(tx, notice, person, notify)) ?? null;
        if (destination !== null) return channel.enqueue(tx, notice, [destination]);
      }
    },
  };
}
