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
import type { CommentNotice, Notice, Recipient } from "../tasks/notices.ts";
import type { Destination, NotifiableChannel } from "../tasks/notify.ts";
import type { CompletionContext } from "../tasks/tasks.ts";
import type { ActionContext } from "./action/action.ts";
import type { Door } from "./action/door.ts";

/** The parts of the service that exist before the channels. */
export interface ChannelContext {
  config: Config;
  db: Db;
  log: Logger;
}

/** The context of a kind of delivery, which may also answer tasks. */
export interface KindContext extends CompletionContext {
  log: Logger;
}

/** A channel. Optional members are features that it may lack. */
export interface ChannelType extends NotifiableChannel {
  /** Schemas that other routes refer to by name. */
  shapes?: readonly TSchema[];
  /** Its part of the settings that operators see. */
  settings?: ChannelSettings;
  /** Checks the setup of the channel, for `doctor`. Starts and changes nothing. */
  check?(ctx: CheckContext, options: CheckOptions): Promise<Finding[]>;
  /** Opens the channel for one service. */
  open(ctx: ChannelContext): Channel;
}

/** A part of `GET /api/settings`, under the name of the channel. */
export interface ChannelSettings {
  shape: TSchema;
  /** Returns settings without secrets and paths; null if the channel is not set up. */
  read(config: Config): object | null;
  /** The names of its environment variables, for people. */
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
  /** Recipient of a test message, for channels that can send one; null sends none. */
  testAddress: string | null;
}

/** The channel of one service. */
export interface Channel {
  /** Returns the person behind a destination; null for a room of several people. */
  recipientOf(reader: Reader, destination: Destination): Promise<Recipient | null>;
  /**
   * Returns how this channel reaches a person whom `notify` need not name; null if it cannot. A channel without this reaches
   * only whom `notify` names.
   */
  destinationOf?(
    reader: Reader,
    notice: Notice,
    person: Recipient,
    notify: readonly Destination[],
  ): Promise<Destination | null>;
  /**
   * Enqueues a notice for each destination of this channel. A destination that cannot be used is recorded in the audit
   * trail as `notification_failed`.
   */
  enqueue(tx: Tx, notice: Notice, to: readonly Destination[]): Promise<void>;
  /** Tells those whom it told of a task what somebody else says about it. */
  enqueueComment?(tx: Tx, notice: CommentNotice): Promise<void>;
  /** Returns its kinds of delivery, by the name that is stored with them. */
  kinds(ctx: KindContext): Kinds;
  /** Opens its personal links, which are served at `/api/channels/<name>/action`. */
  door?(ctx: ActionContext): Door;
  /** Its routes at `/api/channels/<name>`. */
  routes?(ctx: ActionContext): FastifyPluginAsync;
  /** Starts background work, such as a permanent connection. */
  start?(ctx: KindContext): { stop(): Promise<void> };
}
