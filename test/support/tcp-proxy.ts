import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Stands between a client and a server, and breaks what is between them on request. */
export interface TcpProxy {
  /** Of 127.0.0.1; stays the same while the proxy refuses. */
  readonly port: number;
  /** Clients that are connected at the moment. */
  count(): number;
  /**
   * Lets everything through, also what was held. A connection on which bytes were swallowed stays broken, as it would
   * behind a firewall that forgot it; the server learns only now of clients that left while frozen.
   */
  pass(): Promise<void>;
  /** Half-open: connections stay, new ones are accepted, and every byte in either direction is swallowed. */
  freeze(): void;
  /** Nothing reaches the clients until `pass`; nothing is lost. */
  hold(): void;
  /** Resets every connection; new ones get through. */
  cut(): void;
  /** Resets every connection and takes no new ones. */
  refuse(): Promise<void>;
  /** Freezes at the moment a client sends `text`, which the server does not get any more. */
  freezeAt(text: string): void;
  /** Puts `other`, of the same length, in the place of `text` in what clients send. */
  replace(text: string, other: string): void;
  close(): Promise<void>;
}

/** @param path - the socket of the server */
export async function openTcpProxy(path: string): Promise<TcpProxy> {
  const pairs = new Map<Socket, Socket>();
  let isFrozen = false;
  let isHeld = false;
  let trap: Buffer | null = null;
  let replaced: [Buffer, Buffer] | null = null;

  function accept(client: Socket): void {
    const server = connect(path);
    pairs.set(client, server);
    if (isHeld) server.pause();
    client.on("data", (bytes) => {
      if (trap !== null && bytes.includes(trap)) {
        trap = null;
        isFrozen = true;
      }
      if (!isFrozen) server.write(replaced ? replaceIn(bytes, replaced) : bytes);
    });
    server.on("data", (bytes) => {
      if (!isFrozen) client.write(bytes);
    });
    client.on("close", () => {
      pairs.delete(client);
      if (isFrozen) orphans.add(server);
      else server.destroy();
    });
    server.on("close", () => {
      orphans.delete(server);
      if (!isFrozen) client.destroy();
    });
    for (const socket of [client, server]) socket.on("error", () => socket.destroy());
  }

  /** Connections to the server whose client left while nothing got through. */
  const orphans = new Set<Socket>();
  const reset = () => {
    for (const [client, server] of pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  };
  let listening: Server | null = await listen(0);
  const { port } = listening.address() as AddressInfo;

  async function listen(at: number): Promise<Server> {
    const server = createServer(accept).listen(at, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  const stopListening = async () => {
    const stopped = listening;
    listening = null;
    reset();
    await new Promise((resolve) => (stopped ? stopped.close(resolve) : resolve(null)));
  };

  const pass = async () => {
    isFrozen = false;
    isHeld = false;
    trap = null;
    replaced = null;
    for (const server of orphans) server.destroy();
    for (const server of pairs.values()) server.resume();
    listening ??= await listen(port);
  };

  return {
    port,
    count: () => pairs.size,
    pass,
    freeze: () => void (isFrozen = true),
    hold: () => {
      isHeld = true;
      for (const server of pairs.values()) server.pause();
    },
    cut: reset,
    refuse: stopListening,
    freezeAt: (text) => void (trap = Buffer.from(text)),
    replace: (text, other) => {
      if (text.length !== other.length) throw new Error("both texts must have the same length");
      replaced = [Buffer.from(text), Buffer.from(other)];
    },
    close: async () => {
      await pass();
      await stopListening();
    },
  };
}

function replaceIn(bytes: Buffer, [text, other]: [Buffer, Buffer]): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(text); at !== -1; at = copy.indexOf(text, at)) other.copy(copy, at);
  return copy;
}

/** A proxy in front of the database at `url`, and the address of the database through it. */
export async function openDatabaseProxy(url: string): Promise<TcpProxy & { url: string }> {
  const { searchParams, pathname } = new URL(url);
  const proxy = await openTcpProxy(`${searchParams.get("host")}/.s.PGSQL.5432`);
  return { ...proxy, url: `postgres://postgres@127.0.0.1:${proxy.port}${pathname}` };
}
