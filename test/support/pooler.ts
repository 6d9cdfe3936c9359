import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";

/** A pooler in transaction mode, like PgBouncer with its defaults. */
export interface Pooler {
  /** URL of the database through the pooler. */
  url: string;
  /** Returns how many notifications arrived while no client had the server process. */
  dropped(): number;
  close(): Promise<void>;
}

interface Server {
  socket: Socket;
  client: Client | null;
  /** The number of outstanding answers. */
  owed: number;
}

interface Client {
  socket: Socket;
  server: Server | null;
}

const CANNOT = ["statement_timeout", "idle_in_transaction_session_timeout"];

/**
 * Lends the server processes of the database at `url` to clients, each for one transaction. The process that was
 * returned last is lent first. It refuses settings at the start of a connection, and drops server messages that no
 * client receives.
 */
export async function openPooler(url: string, { size = 4 } = {}): Promise<Pooler> {
  const { searchParams, pathname } = new URL(url);
  const path = `${searchParams.get("host")}/.s.PGSQL.5432`;
  const opened = await Promise.all(Array.from({ length: size }, async () => openServer(path, pathname.slice(1))));
  const servers = opened.map(({ socket }): Server => ({ socket, client: null, owed: 0 }));
  const { greeting } = opened[0]!;
  const idle = [...servers];
  const waiting: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let dropped = 0;

  for (const server of servers) {
    const take = messagesOf((type, bytes) => {
      if (server.client === null) {
        if (type === "A") dropped++;
        return;
      }
      server.client.socket.write(bytes);
      if (type === "Z" && --server.owed === 0 && bytes.at(-1) === "I".charCodeAt(0)) giveBack(server);
    });
    server.socket.on("data", take);
    server.socket.on("error", () => {});
  }

  function giveBack(server: Server): void {
    server.client!.server = null;
    server.client = null;
    idle.push(server);
    waiting.shift()?.();
  }

  function lend(client: Client): void {
    const server = idle.pop()!;
    server.client = client;
    client.server = server;
  }

  const listening = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (startup) => {
      const text = startup.toString("latin1");
      const refused = CANNOT.find((name) => text.includes(`${name}\0`));
      if (refused !== undefined) return void socket.end(errorMessage(`unsupported startup parameter: ${refused}`));
      socket.write(greeting);
      serve({ socket, server: null });
    });
    socket.once("close", () => sockets.delete(socket));
  });

  function serve(client: Client): void {
    const { socket } = client;
    const held: [type: string, bytes: Buffer][] = [];
    let isWaiting = false;
    const pump = () => {
      while (held.length > 0 && !isWaiting) {
        if (client.server === null && idle.length === 0) {
          isWaiting = true;
          waiting.push(() => {
            isWaiting = false;
            pump();
          });
          return;
        }
        if (client.server === null) lend(client);
        const [type, bytes] = held.shift()!;
        if (type === "Q" || type === "S") client.server!.owed++;
        client.server!.socket.write(bytes);
      }
      // If this client has left, the next waiting client must be woken here.
      if (held.length === 0 && idle.length > 0) waiting.shift()?.();
    };
    socket.on(
      "data",
      messagesOf((type, bytes) => {
        if (type === "X") return;
        held.push([type, bytes]);
        pump();
      }),
    );
    socket.once("close", () => held.splice(0));
  }

  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  return {
    url: `postgres://postgres@127.0.0.1:${(listening.address() as AddressInfo).port}${pathname}`,
    dropped: () => dropped,
    close: async () => {
      listening.close();
      for (const { socket } of servers) socket.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns a connection to the server, and the server's messages to a new client. */
async function openServer(path: string, database: string): Promise<{ socket: Socket; greeting: Buffer }> {
  const socket = connect(path);
  const fields = Buffer.from(`user\0postgres\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(fields.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  socket.write(Buffer.concat([head, fields]));
  const said: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.on(
      "data",
      messagesOf((type, bytes) => {
        said.push(bytes);
        if (type === "Z") resolve();
      }),
    );
  });
  socket.removeAllListeners("data");
  return { socket, greeting: Buffer.concat(said) };
}

/** Splits a stream into messages of the protocol, each with its type. */
function messagesOf(on: (type: string, bytes: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const length = rest.readInt32BE(1) + 1;
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      on(String.fromCharCode(message[0]!), message);
    }
  };
}

function errorMessage(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
