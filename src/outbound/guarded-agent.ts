import type { ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Agent } from "../lib/node-http.ts";
import { openGuardedSocket, type GuardOptions } from "./guarded-socket.ts";
import type { Target } from "./outbound-url.ts";

/** Options of a request for the agent, besides those of `node:http`. */
export interface GuardedRequestOptions extends ClientRequestArgs {
  target: Target;
  /** Ends an attempt to connect with its reason, a `SendFailure`. */
  connectSignal: AbortSignal;
}

export interface PoolLimits {
  /** How long a connection may wait for its next request, in milliseconds. */
  keepAliveMs: number;
  /** How long a connection may serve before its host name is resolved again, in milliseconds. */
  connectionAgeMs: number;
  idlePerOrigin: number;
  idleInTotal: number;
}

type OnCreated = (error: Error | null, socket: Duplex) => void;

/**
 * An `Agent` whose every connection passed the guard. Node's agent pools the connections, newest first, and closes an
 * idle one that receives data or waits too long. It serves `http` and `https`: the guard starts TLS itself.
 */
export class GuardedAgent extends Agent {
  readonly #guard: GuardOptions;
  readonly #limits: PoolLimits;
  /** When each connection was opened, on the clock of `performance.now()`. */
  readonly #openedAt = new WeakMap<object, number>();
  #isClosed = false;

  constructor(guard: GuardOptions, limits: PoolLimits) {
    super({ keepAlive: true, timeout: limits.keepAliveMs, maxFreeSockets: limits.idlePerOrigin });
    this.#guard = guard;
    this.#limits = limits;
  }

  /** The key of the pool. Two origins never share a connection, even where their addresses are the same. */
  override getName(options: GuardedRequestOptions): string {
    return options.target.url.origin;
  }

  override createConnection(options: GuardedRequestOptions, onCreated: OnCreated): undefined {
    void this.#connect(options, onCreated);
  }

  /**
   * Returns whether the agent may pool the connection. It must not if the connection is too old or the pool is full.
   */
  override keepSocketAlive(socket: Socket): boolean {
    const age = performance.now() - (this.#openedAt.get(socket) ?? -Infinity);
    const leftMs = this.#limits.connectionAgeMs - age;
    if (this.#isClosed || leftMs <= 0 || this.#idleSockets().length >= this.#limits.idleInTotal) return false;
    // The types say that Node's method returns nothing; it returns false for a receiver that closes idle ones too soon.
    if ((super.keepSocketAlive(socket) as unknown) === false) return false;
    if (leftMs < (socket.timeout ?? Infinity)) socket.setTimeout(Math.ceil(leftMs));
    return true;
  }

  /** Closes all connections, and pools none from now on. Resolves when the idle ones are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = this.#idleSockets().filter((socket) => !socket.closed);
    this.destroy();
    await Promise.all(closing.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  }

  async #connect(options: GuardedRequestOptions, onCreated: OnCreated): Promise<void> {
    let socket: Socket;
    try {
      socket = await openGuardedSocket(options.target, this.#guard, options.connectSignal);
    } catch (error) {
      this.#forgetUnused(this.getName(options));
      return onCreated(error as Error, undefined as never);
    }
    this.#openedAt.set(socket, performance.now());
    onCreated(null, socket);
  }

  #idleSockets(): Socket[] {
    return Object.values(this.freeSockets).flatMap((sockets) => sockets ?? []);
  }

  /**
   * Node keeps an empty list for each origin that it could not connect to. Clients choose origins, so that would leak
   * memory.
   */
  #forgetUnused(name: string): void {
    if (this.sockets[name]?.length === 0) Reflect.deleteProperty(this.sockets, name);
  }
}
