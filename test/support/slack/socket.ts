import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { isObject, type Json, parseJson } from "./check.ts";
import type { Publish } from "./events.ts";
import type { Deliver } from "./interactions.ts";
import { newSecret, type Vendor } from "./workspace.ts";

/** Frames of RFC 6455, section 5.2. */
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** RFC 6455, section 1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Page "Using Socket Mode": an app has up to 10 connections. */
const MAX_CONNECTIONS = 10;

/** The second transport of interactions (docs.slack.dev, "Using Socket Mode"). */
export interface SocketMode {
  /** Returns an address for one connection. */
  open(): string;
  upgrade(request: IncomingMessage, socket: Duplex): void;
  deliver: Deliver;
  /** Sends an event, which is acknowledged without a payload. */
  publish: Publish;
  connections(): number;
  /**
   * With a reason, the app gets a message first, and after a warning the connection stays. Without a reason, it is cut.
   */
  disconnect(reason?: "warning" | "refresh_requested" | "link_disabled"): void;
}

/** @param changed - called when a connection opens, closes or does something wrong */
export function createSocketMode(vendor: Vendor, changed: () => void): SocketMode {
  const tickets = new Set<string>();
  const connected = new Set<Duplex>();
  const waiting = new Map<string, (payload: Json | null) => void>();
  let turn = 0;

  const acknowledge = (message: Buffer) => {
    const ack = parseJson(message.toString());
    const settle = isObject(ack) && typeof ack.envelope_id === "string" ? waiting.get(ack.envelope_id) : undefined;
    if (!isObject(ack) || !settle) {
      vendor.failures.push({ at: "socket", error: "acknowledged what was not sent", messages: [message.toString()] });
      changed();
      return;
    }
    waiting.delete(String(ack.envelope_id));
    settle(isObject(ack.payload) ? ack.payload : null);
  };

  const send = async (envelope: Json): Promise<Json | null> => {
    // Same page: any one of the connections may get it.
    const socket = [...connected][turn++ % connected.size];
    if (!socket) throw new Error("the app is not connected, and sendTo() names no address");
    const envelope_id = randomUUID();
    const acknowledged = new Promise<Json | null>((resolve) => waiting.set(envelope_id, resolve));
    say(socket, { envelope_id, ...envelope });
    return acknowledged;
  };

  return {
    open: () => {
      const ticket = newSecret();
      tickets.add(ticket);
      return `${vendor.url.replace("http", "ws")}/link/?ticket=${ticket}&app_id=${vendor.app.id}`;
    },
    upgrade: (request, socket) => {
      // It is fine if the app cuts a connection.
      socket.on("error", () => socket.destroy());
      const ticket = new URL(request.url ?? "/", vendor.url).searchParams.get("ticket") ?? "";
      if (!tickets.delete(ticket) || connected.size >= MAX_CONNECTIONS) {
        socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n");
        return;
      }
      const key = request.headers["sec-websocket-key"] ?? "";
      const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      connected.add(socket);
      const gone = () => {
        if (connected.delete(socket)) changed();
      };
      socket.on("close", gone);
      readFrames(socket, acknowledge, gone);
      const connection_info = { app_id: vendor.app.id };
      say(socket, { type: "hello", num_connections: connected.size, connection_info });
      changed();
    },
    deliver: async (payload) => {
      const answer = await send({ type: "interactive", accepts_response_payload: true, payload });
      return { status: 200, body: answer === null ? "" : JSON.stringify(answer) };
    },
    publish: async (payload, retry) => {
      const answer = await send({
        type: "events_api",
        accepts_response_payload: false,
        payload,
        retry_attempt: retry?.num ?? 0,
        retry_reason: retry?.reason ?? "",
      });
      if (answer !== null) throw new Error("answered an event with a payload");
      return { status: 200, body: "" };
    },
    connections: () => connected.size,
    disconnect: (reason) => {
      for (const socket of connected) {
        if (reason !== undefined) say(socket, { type: "disconnect", reason, debug_info: { host: "loopback" } });
        if (reason === "warning") continue;
        connected.delete(socket);
        if (reason === undefined) socket.destroy();
        else socket.end(frame(CLOSE, Buffer.alloc(0)));
      }
      changed();
    },
  };
}

function frame(opcode: number, payload: Buffer): Buffer {
  const length = Buffer.alloc(payload.length < 126 ? 1 : payload.length < 65_536 ? 3 : 9);
  if (length.length === 1) length.writeUInt8(payload.length);
  else if (length.length === 3) {
    length.writeUInt8(126);
    length.writeUInt16BE(payload.length, 1);
  } else {
    length.writeUInt8(127);
    length.writeBigUInt64BE(BigInt(payload.length), 1);
  }
  return Buffer.concat([Buffer.of(0x80 | opcode), length, payload]);
}

function say(socket: Duplex, message: Json): void {
  socket.write(frame(TEXT, Buffer.from(JSON.stringify(message))));
}

/** Returns the first frame of the data, and the rest; null until the frame is complete. */
function takeFrame(data: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | null {
  if (data.length < 2) return null;
  const short = data.readUInt8(1) & 0x7f;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (data.length < start + 4) return null;
  const length = start === 10 ? Number(data.readBigUInt64BE(2)) : start === 4 ? data.readUInt16BE(2) : short;
  const end = start + 4 + length;
  if (data.length < end) return null;
  const mask = data.subarray(start, start + 4);
  // Section 5.3: a client masks what it sends.
  const payload = Buffer.from(data.subarray(start + 4, end).map((byte, index) => byte ^ mask[index % 4]!));
  return { opcode: data.readUInt8(0) & 0x0f, payload, rest: data.subarray(end) };
}

/** Each message is one frame, as Node's client sends it. Fragments (section 5.4) are not supported. */
function readFrames(socket: Duplex, onText: (message: Buffer) => void, onClose: () => void): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let taken = takeFrame(pending); taken; taken = takeFrame(pending)) {
      pending = taken.rest;
      const { opcode, payload } = taken;
      if (opcode === TEXT) onText(payload);
      else if (opcode === PING) socket.write(frame(PONG, payload));
      else if (opcode === CLOSE) {
        socket.end(frame(CLOSE, payload));
        onClose();
      }
    }
  });
}
