/**
 * The port of a channel: a way to reach people and to take their answers. A channel is a folder beside this file that makes
 * one of these, one line in `registered.ts`, and a migration where it keeps something.
 */
import type { FastifyPluginAsync } from "fastify";
import type { TSchema } from "typebox";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import type { Kinds } from "../deliveries/kinds.ts";
import type { Finding } from "../lib/findings.ts";
import type { Notice, Recipient } from "../tasks/notices.ts";
import type { Destination, NotifiableChannel } from "../tasks/notify.ts";
import type { CompletionContext } from "../tasks/tasks.ts";
import type { ActionContext } from "./action/action.ts";
import type { Door } from "./action/door.ts";

/** What exists before the channels do. */
export interface ChannelContext {
  config: Config;
  db: Db;
  log: Logger;
}

/** What a kind may need: enough to take an answer. */
export interface KindContext extends CompletionContext {
  log: Logger;
}

/** A channel as the house knows it. What is left out, it does not have. */
export interface ChannelType extends NotifiableChannel {
  /** Shapes that shapes of other routes refer to by name. */
  shapes?: readonly TSchema[];
  /** What operators may know of how the environment sets it up. */
  settings?: ChannelSettings;
  /** Looks at how the channel is set up, for `doctor`. Starts and changes nothing. */
  check?(ctx: CheckContext, options: CheckOptions): Promise<Finding[]>;
  /** Makes the channel of one service. */
  open(ctx: ChannelContext): Channel;
}

/** A part of `GET /api/settings`, under the name of the channel. */
export interface ChannelSettings {
  shape: TSchema;
  /** No secret, and no path; null: the channel is not set up. */
  read(config: Config): object | null;
  /** The variables, for people. */
  variables: string;
}

export interface CheckContext {
  config: Config;
  log: Logger;
  db: Pick<Reader, "query">;
}

export interface CheckOptions {
  /** For each check, in milliseconds. */
  limitMs: number;
  /** The address that gets a test message, where the channel can send one; null: none is sent. */
  testAddress: string | null;
}

/** The channel of one service. */
export interface Channel {
  /** The person that a destination names; null: it is a room of several people. */
  recipientOf(reader: Reader, destination: Destination): Promise<Recipient | null>;
  /**
   * Enqueues a notice for each destination, all of this channel. A destination that cannot be reached at all is noted in the
   * audit trail as `notification_failed`.
   */
  enqueue(tx: Tx, notice: Notice, to: readonly Destination[]): Promise<void>;
  /** How its deliveries are made, by the kind that is stored with them. */
  kinds(ctx: KindContext): Kinds;
  /** The page on which its links let one person answer one task, at `/api/channels/<name>/action`. */
  door?(ctx: ActionContext): Door;
  /** What is served at `/api/channels/<name>`. */
  routes?(ctx: ActionContext): FastifyPluginAsync;
  /** Starts what goes on without being asked, such as a connection that the channel keeps. */
  start?(ctx: KindContext): { stop(): Promise<void> };
}
