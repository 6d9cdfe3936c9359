import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { Client } from "pg";
import { SECOND } from "../lib/time.ts";
import { createLocalHints, type Hints } from "./hints.ts";
import { isConnectionLoss } from "./postgres-errors.ts";
import { connectionSettings } from "./postgres-pool.ts";

const CHANNEL = "service_hints";
/** Hints of this long are gathered into one NOTIFY, so that a busy process does not send one a commit. */
const GATHER_MS = 10;
/** More than this many are not kept while the last NOTIFY is under way: who waits looks for itself then. */
const GATHERED_MAX = 10_000;
/** PostgreSQL takes 8,000 bytes in one NOTIFY. */
const MESSAGE_BYTES = 7800;
const STATEMENT_TIMEOUT_MS = 5 * SECOND;
const SELF_TEST_MS = 2 * SECOND;
const HEARTBEAT_MS = 15 * SECOND;
const RECONNECT_MS = 1 * SECOND;
/** A farewell that is not answered by then is cut short. */
const FAREWELL_MS = 500;

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
 * for themselves. A connection on which anything fails is closed, and replaced a second later.
 */
export async function openPostgresHints({ url, onError, onWarning }: PostgresHintsOptions): Promise<Hints> {
  const self = randomUUID().slice(0, 8);
  const local = createLocalHints();
  const gathered = new Set<string>();
  /** The connection in use or being made. */
  let line: Line | null = null;
  let isHealthy = false;
  let isClosed = false;
  let isProving = false;
  let isWarned = false;
  let flushing: Promise<void> | null = null;
  let retry: NodeJS.Timeout | undefined;
  let heard: (token: string) => void = () => {};

  function receive(payload: string): void {
    const [sender, ...hints] = payload.split("|");
    if (sender === `test:${self}`) heard(hints[0] ?? "");
    else if (sender !== undefined && sender !== self && !sender.startsWith("test:")) local.publish(hints);
  }

  async function connect(): Promise<void> {
    const fresh = createLine(url, { onMessage: receive, onEnd: () => lose(fresh) });
    line = fresh;
    try {
      await fresh.open();
      await prove(fresh);
    } catch (error) {
      if (!isConnectionLoss(error)) warn();
      lose(fresh);
    }
  }

  function lose(lost: Line): void {
    void lost.hangUp();
    if (line !== lost) return;
    line = null;
    isHealthy = false;
    gathered.clear();
    if (isClosed) return;
    retry = setTimeout(() => void connect(), RECONNECT_MS);
    retry.unref();
  }

  /** Sends a message to itself and waits for it. @throws when it cannot be sent */
  async function prove(proving: Line): Promise<void> {
    isProving = true;
    const token = randomUUID();
    const arrived = Promise.withResolvers<boolean>();
    const timer = setTimeout(arrived.resolve, SELF_TEST_MS, false);
    heard = (text) => {
      if (text === token) arrived.resolve(true);
    };
    try {
      await proving.query("select pg_notify($1, $2)", [CHANNEL, `test:${self}|${token}`], SELF_TEST_MS);
      const works = await arrived.promise;
      if (line !== proving) return;
      isHealthy = works;
      if (!works) warn();
    } finally {
      clearTimeout(timer);
      isProving = false;
    }
  }

  function warn(): void {
    if (isWarned) return;
    isWarned = true;
    onWarning(
      "LISTEN does not work on this database connection (a pooler in transaction mode?): waiting falls back to polling.",
    );
  }

  function beat(): void {
    const proving = line;
    if (proving === null || isProving) return;
    prove(proving).catch(() => lose(proving));
  }

  /** Sends what is gathered until nothing is left, one message after the other. */
  async function flush(): Promise<void> {
    while (gathered.size > 0) {
      await delay(isClosed ? 0 : GATHER_MS);
      const sending = line;
      const messages = toMessages(self, gathered);
      gathered.clear();
      // Lost hints cost a polling interval, nothing else.
      if (sending === null) return;
      try {
        await sending.query("select pg_notify($1, m) from unnest($2::text[]) m", [CHANNEL, messages]);
      } catch (error) {
        lose(sending);
        if (!isClosed) onError(error);
      }
    }
  }

  await connect();
  const heartbeat = setInterval(beat, HEARTBEAT_MS);
  heartbeat.unref();

  return {
    isShared: true,
    isHealthy: () => isHealthy,
    listen: local.listen,
    publish: (hints) => {
      local.publish(hints);
      if (line === null) return;
      for (const hint of hints) if (gathered.size < GATHERED_MAX) gathered.add(hint);
      flushing ??= flush().finally(() => (flushing = null));
    },
    close: async () => {
      isClosed = true;
      isHealthy = false;
      clearInterval(heartbeat);
      clearTimeout(retry);
      await Promise.race([flushing, delay(FAREWELL_MS)]);
      const last = line;
      line = null;
      await last?.hangUp();
      await local.close();
    },
  };
}

/** `sender` and hints in as few messages as they fit into. */
function toMessages(sender: string, hints: Iterable<string>): string[] {
  let message = sender;
  const messages: string[] = [];
  for (const hint of hints) {
    if (message.length + hint.length + 1 > MESSAGE_BYTES) {
      messages.push(message);
      message = sender;
    }
    message += `|${hint}`;
  }
  messages.push(message);
  return messages;
}

/** One connection for hints. */
interface Line {
  /** Connects and listens. */
  open(): Promise<void>;
  /** Waits for its turn: the driver takes one query at a time. */
  query(text: string, values: unknown[], timeoutMs?: number): Promise<void>;
  /** Ends it, whatever it is doing; resolves soon, also when nobody is at the other end. */
  hangUp(): Promise<void>;
}

function createLine(url: string, on: { onMessage: (payload: string) => void; onEnd: () => void }): Line {
  const socket = new Socket();
  const client = new Client({
    ...connectionSettings(url, STATEMENT_TIMEOUT_MS),
    application_name: "human-task-service hints",
    stream: () => socket,
  });
  client.on("notification", ({ payload }) => on.onMessage(payload ?? ""));
  client.on("error", on.onEnd);
  client.on("end", on.onEnd);
  let turn: Promise<unknown> = Promise.resolve();
  let hangingUp: Promise<void> | null = null;

  async function inTurn(act: () => Promise<unknown>): Promise<void> {
    const mine = turn.then(act);
    turn = mine.catch(() => {});
    await mine;
  }

  return {
    open: () =>
      inTurn(async () => {
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
      }),
    query: (text, values, timeoutMs) =>
      inTurn(() => {
        const config = { text, values, ...(timeoutMs !== undefined && { query_timeout: timeoutMs }) };
        return client.query(config);
      }),
    hangUp: () =>
      (hangingUp ??= (async () => {
        await Promise.race([client.end().catch(() => {}), delay(FAREWELL_MS)]);
        socket.destroy();
      })()),
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
