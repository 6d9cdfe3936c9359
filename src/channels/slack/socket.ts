/**
 * Socket Mode: Slack sends requests over a connection that the service opens, so that no public address is needed. Each
 * envelope is acknowledged with its response. Slack resends envelopes that were not acknowledged.
 */
import { setTimeout as delay } from "node:timers/promises";
import { own } from "../../../form/plan/hints.ts";
import type { SlackContext } from "./clicks/click-context.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import type { SlackApp } from "./client.ts";
import { handleInteraction } from "./clicks/interactions.ts";
import { handleEvent } from "./threads/events.ts";

const FIRST_PAUSE_MS = 1 * SECOND;
const LAST_PAUSE_MS = 1 * MINUTE;
/** Number of envelope ids that are remembered, so that a resent envelope is handled once. */
const REMEMBERED = 1_000;

/** Keeps a connection until it is stopped. */
export function startSocket(ctx: SlackContext, slack: SlackApp): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const seen = new Set<string>();
  const working = new Set<Promise<void>>();

  const connecting = (async () => {
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        const url = await slack.openSocket();
        await live(url);
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted) return;
        ctx.log.warn({ err: error }, "Could not connect to Slack; retrying");
        await delay(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
        pause = Math.min(pause * 2, LAST_PAUSE_MS);
      }
    }
  })();

  /** Runs one connection until either side closes it. @throws if it could not be opened */
  async function live(url: string): Promise<void> {
    const socket = new WebSocket(url);
    const end = () => socket.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        let isOpen = false;
        socket.addEventListener("message", ({ data }) => {
          isOpen = true;
          receive(socket, data);
        });
        socket.addEventListener("close", () =>
          isOpen ? resolve() : reject(new Error("Slack closed the connection.")),
        );
        socket.addEventListener("error", () => (isOpen ? resolve() : reject(new Error("No connection to Slack."))));
      });
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  function receive(socket: WebSocket, data: unknown): void {
    let envelope: unknown;
    try {
      envelope = JSON.parse(String(data)) as unknown;
    } catch (error) {
      ctx.log.warn({ err: error }, "Slack sent invalid JSON");
      return;
    }
    // Slack ends this connection, after a warning in a while; the next one is opened when it is gone.
    if (own(envelope, "type") === "disconnect")
      return own(envelope, "reason") === "warning" ? undefined : socket.close();
    const id = own(envelope, "envelope_id");
    if (typeof id !== "string") return;
    const work = answer(socket, id, envelope).catch((error: unknown) =>
      ctx.log.error({ err: error }, "A request from Slack failed"),
    );
    working.add(work);
    void work.finally(() => working.delete(work));
  }

  async function answer(socket: WebSocket, envelope_id: string, envelope: unknown): Promise<void> {
    if (own(envelope, "type") === "events_api") {
      // It is acknowledged once it is stored, and a repetition changes nothing.
      await handleEvent(ctx, own(envelope, "payload"));
      socket.send(JSON.stringify({ envelope_id }));
      return;
    }
    const isAgain = seen.has(envelope_id);
    seen.add(envelope_id);
    if (seen.size > REMEMBERED) seen.delete(seen.values().next().value!);
    const isOurs = own(envelope, "type") === "interactive" && !isAgain;
    const payload = isOurs ? await handleInteraction(ctx, own(envelope, "payload")) : null;
    socket.send(JSON.stringify({ envelope_id, ...(payload !== null && { payload }) }));
  }

  return {
    stop: async () => {
      stopping.abort();
      await connecting;
      await Promise.all(working);
    },
  };
}
