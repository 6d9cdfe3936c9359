import { createHmac, hkdfSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PAYLOAD_KEY } from "./service.ts";

export interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Of the body's task. */
  task_id: string;
}

/** A real HTTP server that callbacks are sent to. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Waits until so many have come. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** @param answer - answers each request; by default 200 */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => void = (response) => void response.end(),
): Promise<Receiver> {
  const received: Received[] = [];
  let arrived: () => void = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const one = {
        url: request.url ?? "",
        headers: request.headers,
        body,
        task_id: (JSON.parse(body) as { task_id: string }).task_id,
      };
      received.push(one);
      answer(response, one);
      arrived();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    until: async (count) => {
      while (received.length < count) await new Promise<void>((resolve) => (arrived = resolve));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Whether a callback is signed as the specification says; shares no code with the service. */
export function isSigned({ headers, body }: Received): boolean {
  const key = Buffer.from(hkdfSync("sha256", Buffer.from(PAYLOAD_KEY, "base64"), "service-webhook-v1", "v1", 32));
  return headers["x-service-signature"] === `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}
