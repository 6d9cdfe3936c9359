import { createHmac, hkdfSync } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedCallback {
  headers: IncomingHttpHeaders;
  path: string;
  /** The unchanged body. */
  body: string;
  task_id: string;
  /** `Date.now()`. */
  at: number;
}

/** A real server that accepts callbacks and keeps them. */
export interface Receiver {
  url: string;
  received: ReceivedCallback[];
  /** Resolves once `count` callbacks have arrived, however long that takes. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** @param answer - ends the response, now or later; by default every response is 200 */
export async function startReceiver(
  answer: (response: ServerResponse, callback: ReceivedCallback) => unknown = (response) => response.end("ok"),
): Promise<Receiver> {
  const received: ReceivedCallback[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const task_id = String(request.headers["x-service-task-id"]);
      const callback = { headers: request.headers, path: request.url ?? "", body, task_id, at: Date.now() };
      received.push(callback);
      answer(response, callback);
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 1024, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    until: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether a callback carries a signature of this key by the headers of Standard Webhooks, whatever its time. */
export function hasStandardSignature(
  payloadKey: string,
  { headers, body }: Pick<ReceivedCallback, "headers" | "body">,
) {
  const key = hkdfSync("sha256", Buffer.from(payloadKey, "base64"), "service-webhook-v1", "v1", 32);
  const text = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = `v1,${createHmac("sha256", Buffer.from(key)).update(text).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

/** The signature as a receiver computes it from the specification alone. */
export function expectedSignature(payloadKey: string, body: string): string {
  const key = hkdfSync("sha256", Buffer.from(payloadKey, "base64"), "service-webhook-v1", "v1", 32);
  return `sha256=${createHmac("sha256", Buffer.from(key)).update(body).digest("hex")}`;
}
