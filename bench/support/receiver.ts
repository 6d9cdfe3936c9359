import { createServer, type AddressInfo, type Socket } from "node:net";

/** Accepts requests on every address of 127.0.0.0/8, on a bare socket, and answers 200. */
export interface Receiver {
  port: number;
  /** Closes its connections. */
  reset(): void;
  close(): void;
}

const HEAD_END = Buffer.from("\r\n\r\n");

export interface ReceiverOptions {
  /** How long an answer takes, in milliseconds. */
  delayMs?: number;
  /** Called for each callback that has arrived completely. */
  onCallback: (taskId: string) => void;
  /** Returns the task of a request. Default: it is a callback. */
  taskOf?: (head: string, body: Buffer) => string;
  /** The body of each answer. */
  answer?: string;
}

const taskOfCallback = (head: string) => /\r\nx-service-task-id: (\S+)/i.exec(head)![1]!;

export async function startReceiver({
  delayMs = 0,
  onCallback,
  taskOf = taskOfCallback,
  answer: body = "ok",
}: ReceiverOptions): Promise<Receiver> {
  const bytes = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const answer = (socket: Socket) => {
    if (delayMs === 0) socket.write(bytes);
    else setTimeout(() => socket.write(bytes), delayMs);
  };
  return listenEverywhere((socket) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      const headEnd = received.indexOf(HEAD_END);
      if (headEnd === -1) return;
      const head = received.toString("latin1", 0, headEnd);
      const end = headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)![1]);
      if (received.length < end) return;
      onCallback(taskOf(head, received.subarray(headEnd + 4, end)));
      received = received.subarray(end);
      answer(socket);
    });
  });
}

/** Starts a receiver that accepts connections and never answers. */
export async function startBlackHole(): Promise<Receiver> {
  return listenEverywhere((socket) => void socket.resume());
}

async function listenEverywhere(onConnection: (socket: Socket) => void): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", 4096, resolve));
  const reset = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    reset,
    close: () => {
      server.close();
      reset();
    },
  };
}
