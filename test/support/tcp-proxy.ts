import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket, type TcpNetConnectOpts } from "node:net";

/** A proxy between a client and a server that breaks the connection on request. */
export interface TcpProxy {
  /** Port of 127.0.0.1. It stays the same while the proxy refuses connections. */
  readonly port: number;
  /** Returns the number of connected clients. */
  count(): number;
  /**
   * Passes everything on, including held bytes. A connection that lost bytes stays broken, as behind a firewall that
   * forgot it. Only now the server notices clients that left while frozen.
   */
  pass(): Promise<void>;
  /** Makes connections half-open: they stay, new ones are accepted, and every byte in either direction is swallowed. */
  freeze(): void;
  /** Holds all bytes for the clients until `pass`. Nothing is lost. */
  hold(): void;
  /** Delays everything by this time from now on, in order. */
  slow(ms: number): void;
  /** Resets every connection, and accepts new ones. */
  cut(): void;
  /** Resets every connection in the middle of an answer, after this many more bytes have reached the clients. */
  cutAfter(bytes: number): void;
  /**
   * Cuts the answer to `text`, which a client sends some time after `earlier` on the same connection. The server
   * receives `text` and answers, but the client gets a reset instead of the answer.
   */
  cutAnswerTo(text: string, earlier: string): void;
  /** Resets every connection and accepts no new ones. */
  refuse(): Promise<void>;
  /** Freezes when a client sends `text`, which does not reach the server. */
  freezeAt(text: string): void;
  /** Replaces `text` with `other`, of the same length, in the bytes of clients. */
  replace(text: string, other: string): void;
  close(): Promise<void>;
}

/** @param target - the socket of the server, or its port and host */
export async function openTcpProxy(target: string | TcpNetConnectOpts): Promise<TcpProxy> {
  const pairs = new Map<Socket, Socket>();
  let isFrozen = false;
  let isHeld = false;
  let lateMs = 0;
  let bytesLeft = Number.POSITIVE_INFINITY;
  let trap: Buffer | null = null;
  let lastWords: { text: Buffer; earlier: Buffer } | null = null;
  let replaced: [Buffer, Buffer] | null = null;

  function accept(client: Socket): void {
    const server = typeof target === "string" ? connect(target) : connect(target);
    pairs.set(client, server);
    if (isHeld) server.pause();
    let isMarked = false;
    let isDoomed = false;
    client.on("data", (bytes) => {
      if (lastWords !== null && bytes.includes(lastWords.earlier)) isMarked = true;
      if (lastWords !== null && isMarked && bytes.includes(lastWords.text)) {
        lastWords = null;
        isDoomed = true;
      }
      if (trap !== null && bytes.includes(trap)) {
        trap = null;
        isFrozen = true;
      }
      if (!isFrozen) pass(server, replaced ? replaceIn(bytes, replaced) : bytes);
    });
    server.on("data", (bytes) => {
      if (isDoomed) {
        client.resetAndDestroy();
        return;
      }
      bytesLeft -= bytes.length;
      if (!isFrozen) pass(client, bytesLeft < 0 ? bytes.subarray(0, bytesLeft) : bytes);
      if (bytesLeft >= 0) return;
      bytesLeft = Number.POSITIVE_INFINITY;
      setTimeout(reset, lateMs + 1);
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

  function pass(to: Socket, bytes: Buffer): void {
    if (lateMs === 0) to.write(bytes);
    else setTimeout(() => to.write(bytes), lateMs);
  }

  /** Connections to the server whose client left while frozen. */
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

  const passAll = async () => {
    isFrozen = false;
    isHeld = false;
    lateMs = 0;
    bytesLeft = Number.POSITIVE_INFINITY;
    trap = null;
    lastWords = null;
    replaced = null;
    for (const server of orphans) server.destroy();
    for (const server of pairs.values()) server.resume();
    listening ??= await listen(port);
  };

  return {
    port,
    count: () => pairs.size,
    pass: passAll,
    freeze: () => void (isFrozen = true),
    hold: () => {
      isHeld = true;
      for (const server of pairs.values()) server.pause();
    },
    slow: (ms) => void (lateMs = ms),
    cut: reset,
    cutAfter: (bytes) => void (bytesLeft = bytes),
    cutAnswerTo: (text, earlier) => void (lastWords = { text: Buffer.from(text), earlier: Buffer.from(earlier) }),
    refuse: stopListening,
    freezeAt: (text) => void (trap = Buffer.from(text)),
    replace: (text, other) => {
      if (text.length !== other.length) throw new Error("both texts must have the same length");
      replaced = [Buffer.from(text), Buffer.from(other)];
    },
    close: async () => {
      await passAll();
      await stopListening();
    },
  };
}

function replaceIn(bytes: Buffer, [text, other]: [Buffer, Buffer]): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(text); at !== -1; at = copy.indexOf(text, at)) other.copy(copy, at);
  return copy;
}

/** Opens a proxy in front of the database at `url`. Its `url` is the address of the database through it. */
export async function openDatabaseProxy(url: string): Promise<TcpProxy & { url: string }> {
  const { searchParams, pathname, hostname, port } = new URL(url);
  const socket = searchParams.get("host");
  const proxy = await openTcpProxy(
    socket === null ? { host: hostname, port: Number(port) } : `${socket}/.s.PGSQL.5432`,
  );
  return { ...proxy, url: `postgres://postgres@127.0.0.1:${proxy.port}${pathname}` };
}
