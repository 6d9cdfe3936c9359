import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { deriveCallbackKey } from "../../src/callbacks/signature.ts";
import { nodeCallbackHandler, type CallbackKey, type IncomingCallback } from "../../sdk/callbacks.ts";

/** The key with which receivers verify callbacks, in base64, as `webhook-key` prints it. @param payloadKey - base64 */
export function webhookKeyOf(payloadKey: string): string {
  return deriveCallbackKey(Buffer.from(payloadKey, "base64")).toString("base64");
}

/** A receiver of callbacks, by the keys that it has and the header that it looks at. */
export interface Holder {
  webhookKeys: string[];
  /** `library`: the verifier of Standard Webhooks, which takes one key. `older`: only X-Service-Signature. */
  by: "client" | "library" | "older";
}

/** Receivers of callbacks, each at an address of its own. */
export interface Holders {
  /** Where the holder of this name is called back. */
  urlOf(name: string): string;
  /** Resolves once a callback of this task was accepted. */
  accepted(task_id: string): Promise<void>;
  /** Who refused a callback, and why. */
  refused: string[];
  close(): Promise<void>;
}

export async function startHolders(holders: Record<string, Holder>): Promise<Holders> {
  const known = new Map<string, PromiseWithResolvers<void>>();
  const of = (task_id: string) => {
    const waiting = known.get(task_id) ?? Promise.withResolvers<void>();
    known.set(task_id, waiting);
    return waiting;
  };
  const refused: string[] = [];
  const handlers = Object.fromEntries(
    Object.entries(holders).map(([name, holder]) => [
      name,
      nodeCallbackHandler(keysOf(holder), ({ task_id }) => of(task_id).resolve()),
    ]),
  );
  const server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    const { by, webhookKeys } = holders[name]!;
    const take = async (body: Buffer) => {
      if (by === "library")
        new Webhook(`whsec_${webhookKeys[0]!}`).verify(body.toString(), request.headers as Record<string, string>);
      const headers = Object.entries(request.headers).filter(
        ([header]) => by !== "older" || !header.startsWith("webhook-"),
      );
      const incoming = { headers: Object.fromEntries(headers), body } as unknown as IncomingCallback;
      await handlers[name]!(incoming, response);
      if (response.statusCode !== 204) refused.push(`${name}: ${response.statusCode}`);
    };
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      take(Buffer.concat(chunks)).catch((error: unknown) => {
        refused.push(`${name}: ${String(error)}`);
        response.writeHead(401).end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    urlOf: (name) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    accepted: (task_id) => of(task_id).promise,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function keysOf({ webhookKeys }: Holder): CallbackKey {
  return webhookKeys.map((webhookKey) => ({ webhookKey }));
}
