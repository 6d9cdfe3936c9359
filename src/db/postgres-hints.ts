import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { SECOND } from "../lib/time.ts";
import { createLocalHints, type Hints } from "./hints.ts";

const CHANNEL = "service_hints";
/** Hints of this long are gathered into one NOTIFY, so that a busy process does not send one a commit. */
const GATHER_MS = 10;
/** PostgreSQL takes 8,000 bytes in one NOTIFY. */
const MESSAGE_BYTES = 7800;
const SELF_TEST_MS = 2 * SECOND;
const HEARTBEAT_MS = 15 * SECOND;
const RECONNECT_MS = 1 * SECOND;

export interface PostgresHintsOptions {
  url: string;
  onError: (error: unknown) => void;
  onWarning: (message: string) => void;
}

/**
 * Hints between processes by LISTEN and NOTIFY on a connection of their own. A NOTIFY is never part of a writing
 * transaction: PostgreSQL serialises those commits over the whole cluster.
 *
 * Whether LISTEN works is found out by a message to itself, at start, after each reconnect and at every heartbeat: a
 * pooler in transaction mode swallows it without a word. While it does not work, `isHealthy` is false and everybody looks
 * for themselves.
 */
export async function openPostgresHints({ url, onError, onWarning }: PostgresHintsOptions): Promise<Hints> {
  const self = randomUUID().slice(0, 8);
  const local = createLocalHints();
  const gathered = new Set<string>();
  let client: Client | null = null;
  let healthy = false;
  let closed = false;
  let flushing: NodeJS.Timeout | null = null;
  let retry: NodeJS.Timeout | null = null;
  let warned = false;
  let heard: ((token: string) => void) | null = null;

  function receive(payload: string): void {
    const [sender, ...hints] = payload.split("|");
    if (sender === `test:${self}`) heard?.(hints[0] ?? "");
    else if (sender !== undefined && sender !== self && !sender.startsWith("test:")) local.publish(hints);
  }

  async function connect(): Promise<void> {
    const fresh = new Client({
      connectionString: url,
      connectionTimeoutMillis: 5 * SECOND,
      statement_timeout: 5 * SECOND,
      application_name: "human-task-service hints",
      keepAlive: true,
    });
    fresh.on("notification", (message) => receive(message.payload ?? ""));
    fresh.on("error", () => lose(fresh));
    fresh.on("end", () => lose(fresh));
    await fresh.connect();
    await fresh.query(`listen ${CHANNEL}`);
    client = fresh;
    await prove();
  }

  function lose(lost: Client): void {
    if (client !== lost) return;
    client = null;
    healthy = false;
    scheduleRetry();
  }

  function scheduleRetry(): void {
    if (closed || retry) return;
    retry = setTimeout(() => {
      retry = null;
      connect().catch(scheduleRetry);
    }, RECONNECT_MS);
    retry.unref();
  }

  /** Sends a message to itself and waits for it. */
  async function prove(): Promise<void> {
    const proving = client;
    if (!proving) return;
    const token = randomUUID();
    const arrived = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), SELF_TEST_MS);
      heard = (text) => {
        if (text !== token) return;
        clearTimeout(timer);
        resolve(true);
      };
    });
    await proving.query("select pg_notify($1, $2)", [CHANNEL, `test:${self}|${token}`]);
    healthy = (await arrived) && client === proving;
    heard = null;
    if (!healthy && !warned) {
      warned = true;
      onWarning(
        "LISTEN does not work on this database connection (a pooler in transaction mode?): waiting falls back to polling.",
      );
    }
  }

  async function flush(): Promise<void> {
    flushing = null;
    const sending = client;
    const hints = [...gathered];
    gathered.clear();
    if (!sending) return; // lost hints cost a polling interval, nothing else
    let message = self;
    const messages: string[] = [];
    for (const hint of hints) {
      if (message.length + hint.length + 1 > MESSAGE_BYTES) {
        messages.push(message);
        message = self;
      }
      message += `|${hint}`;
    }
    messages.push(message);
    await sending.query("select pg_notify($1, m) from unnest($2::text[]) m", [CHANNEL, messages]);
  }

  await connect().catch(scheduleRetry);
  const heartbeat = setInterval(() => {
    const proving = client;
    prove().catch(() => void proving?.end().catch(() => {}));
  }, HEARTBEAT_MS);
  heartbeat.unref();

  return {
    isShared: true,
    isHealthy: () => healthy,
    listen: local.listen,
    publish: (hints) => {
      local.publish(hints);
      for (const hint of hints) gathered.add(hint);
      flushing ??= setTimeout(() => {
        flush().catch(onError);
      }, GATHER_MS);
    },
    close: async () => {
      closed = true;
      clearInterval(heartbeat);
      if (retry) clearTimeout(retry);
      if (flushing) {
        clearTimeout(flushing);
        await flush().catch(() => {});
      }
      const last = client;
      client = null;
      await last?.end().catch(() => {});
      await local.close();
    },
  };
}
