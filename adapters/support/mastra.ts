import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { TestContext } from "node:test";
import type { Mastra } from "@mastra/core/mastra";
import { MastraServer } from "@mastra/express";
import express from "express";

/** What `SimpleAuth` of the server accepts: `new SimpleAuth({ tokens: TOKENS })`. */
export const TOKENS = { "token-of-the-service": { id: "service" } };

export interface ServedMastra {
  /** For `POST /api/connections`. */
  connection: { address: { url: string }; secret: string };
  /** Stops listening, and ends all connections. */
  stop(): Promise<void>;
}

/** Serves the HTTP API of a Mastra until the test ends. @param port - default: a free one */
export async function serveMastra(t: TestContext, mastra: Mastra, port = 0): Promise<ServedMastra> {
  const app = express();
  app.use(express.json());
  await new MastraServer({ app, mastra }).init();
  const server = app.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  t.after(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { connection: { address: { url }, secret: Object.keys(TOKENS)[0]! }, stop };
}
