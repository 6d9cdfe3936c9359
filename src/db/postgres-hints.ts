import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { Client, type QueryConfig, type QueryResult, type QueryResultRow } from "pg";
import { SECOND } from "../lib/time.ts";
import { createLocalHints, type Hints } from "./hints.ts";
import { isConnectionLoss } from "./postgres-errors.ts";
import { connectionSettings } from "./postgres-pool.ts";

const CHANNEL = "service_hints";
/** Hints of this long are gathered into one NOTIFY, so that a busy process does not send one a commit. */
const GATHER_MS = 10;
/** More than this many are not kept while the last NOTIFY is under way: the others are told to look at everything. */
const GATHERED_MAX = 10_000;
/** PostgreSQL takes 8,000 bytes in one NOTIFY. */
const MESSAGE_BYTES = 7800;
const STATEMENT_MS = 5 * SECOND;
const SELF_TEST_MS = 2 * SECOND;
const HEARTBEAT_MS = 15 * SECOND;
/** After a lost connection. */
const RECONNECT_MS = 1 * SECOND;
/** After a test that failed; twice as long after each further one, up to a heartbeat. */
const RETEST_MS = 1 * SECOND;
/** A farewell that is not answered by then is cut short. */
const FAREWELL_MS = 500;
/** In place of a hint: hints of the sender were lost. */
const RESET = "reset";
/** How often the server processes of both connections are compared before one of them listens. */
const PID_LOOKS = 4;

const POOLED =
  "LISTEN does not work through a pooler in transaction mode; use session mode or a direct connection to avoid this.";
const SILENT = "LISTEN does not work on this database connection: its test message did not arrive.";

export interface PostgresHintsOptions {
  url: string;
  onError: (error: unknown) => void;
  onWarning: (message: string) => void;
  onInfo?: (message: string) => void;
}

/**
 * Hints between processes by LISTEN and NOTIFY, on two connections of their own: one only listens, the other only
 * notifies. A NOTIFY is never part of a writing transaction: PostgreSQL serialises those commits over the whole cluster.
 *
 * A message to itself tests whether LISTEN works: at start, after each reconnect and at every heartbeat. A pooler in
 * transaction mode lends server processes to connections. It drops notifications without an error, but it delivers those
 * that come while a connection has the process that listens. So the test fails where both connections had the same
 * process, and the listening connection sends nothing after its LISTEN: it never has a process again.
 *
 * While the test fails, `isHealthy` is false and polling takes over. When it succeeds again, `onReset` is called: hints may
 * have been lost.
 */
export async function openPostgresHints({
  url,
  onError,
  onWarning,
  onInfo = () => {},
}: PostgresHintsOptions): Promise<Hints> {
  const self = randomUUID().slice(0, 8);
  const local = createLocalHints();
  const gathered = new Set<string>();
  /** The connections in use or being made. */
  let line: Line | null = null;
  let isHealthy = false;
  let isClosed = false;
  let isProving = false;
  let isWarned = false;
  /** Whether hints to other processes were lost since the last one arrived. */
  let isSendingLost = false;
  /** Whether hints of other processes may have been lost. */
  let isHearingLost = false;
  let failedTests = 0;
  let flushing: Promise<void> | null = null;
  let retry: NodeJS.Timeout | undefined;
  let heard: (token: string) => void = () => {};

  function receive(payload: string): void {
    const [sender, ...hints] = payload.split("|");
    if (sender === `test:${self}`) return heard(hints[0] ?? "");
    if (sender === undefined || sender === self || sender.startsWith("test:")) return;
    if (hints[0] === RESET) local.reset();
    else local.publish(hints);
  }

  async function connect(): Promise<void> {
    const last = line;
    const fresh = createLine(url, { onMessage: receive, onEnd: () => lose(fresh) });
    line = fresh;
    void last?.hangUp();
    try {
      if (await fresh.open()) await prove(fresh);
      else fail(fresh, POOLED);
    } catch (error) {
      if (isConnectionLoss(error)) return lose(fresh);
      const said = error instanceof Error ? error.message : String(error);
      void fresh.hangUp();
      if (line === fresh) line = null;
      fail(fresh, `LISTEN does not work on this database connection: ${said}.`);
    }
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
      const isFair = await proving.test(`test:${self}|${token}`, SELF_TEST_MS);
      const works = isFair && (await arrived.promise);
      if (line !== proving || isClosed) return;
      if (works) succeed();
      else fail(proving, isFair ? SILENT : POOLED);
    } finally {
      clearTimeout(timer);
      isProving = false;
    }
  }

  function succeed(): void {
    isHealthy = true;
    failedTests = 0;
    if (isWarned) onInfo("Hints from other processes arrive again.");
    isWarned = false;
    if (isHearingLost) local.reset();
    isHearingLost = false;
    if (isSendingLost) send();
  }

  /** Goes on without hints, and tries later on new connections. These may still notify until then. */
  function fail(failed: Line, reason: string): void {
    if (line !== null && line !== failed) return;
    tryAgain(Math.min(RETEST_MS * 2 ** failedTests++, HEARTBEAT_MS));
    falter(reason);
  }

  function lose(lost: Line): void {
    void lost.hangUp();
    if (line !== lost) return;
    line = null;
    isSendingLost = true;
    gathered.clear();
    tryAgain(RECONNECT_MS);
    falter("The database connection for hints was lost.");
  }

  function falter(reason: string): void {
    isHealthy = false;
    isHearingLost = true;
    if (isWarned || isClosed) return;
    isWarned = true;
    onWarning(`${reason} Until hints arrive again, the service looks for changes by other processes once a second.`);
  }

  function tryAgain(afterMs: number): void {
    if (isClosed) return;
    clearTimeout(retry);
    retry = setTimeout(() => void connect(), afterMs);
    retry.unref();
  }

  function beat(): void {
    const proving = line;
    if (proving === null || isProving || !isHealthy) return;
    prove(proving).catch(() => lose(proving));
  }

  function send(): void {
    flushing ??= flush().finally(() => (flushing = null));
  }

  /** Sends what is gathered until nothing is left, one message after the other. */
  async function flush(): Promise<void> {
    while (gathered.size > 0 || isSendingLost) {
      await delay(isClosed ? 0 : GATHER_MS);
      const sending = line;
      // Lost hints cost a polling interval, nothing else.
      if (sending === null) return gathered.clear();
      const messages = [...(isSendingLost ? [`${self}|${RESET}`] : []), ...toMessages(self, gathered)];
      isSendingLost = false;
      gathered.clear();
      try {
        await sending.notify(messages);
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
    onReset: local.onReset,
    publish: (hints) => {
      local.publish(hints);
      if (line === null || gathered.size + hints.length > GATHERED_MAX) isSendingLost = true;
      else for (const hint of hints) gathered.add(hint);
      if (line !== null) send();
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

/** A connection that listens, and one that notifies. */
interface Line {
  /** Connects both and listens. @returns false: a pooler lends server processes to them, so LISTEN cannot work */
  open(): Promise<boolean>;
  /** Sends `message`. @returns false: the process that listens sent it, so its arrival proves nothing */
  test(message: string, timeoutMs: number): Promise<boolean>;
  notify(messages: readonly string[]): Promise<void>;
  /** Ends both, whatever they are doing; resolves soon, also when nobody is at the other end. */
  hangUp(): Promise<void>;
}

function createLine(url: string, on: { onMessage: (payload: string) => void; onEnd: () => void }): Line {
  const listener = createConnection(url, on.onEnd);
  const notifier = createConnection(url, on.onEnd);
  listener.client.on("notification", ({ payload }) => on.onMessage(payload ?? ""));
  let listening = 0;
  let hangingUp: Promise<unknown> | null = null;

  return {
    open: async () => {
      await Promise.all([listener.client.connect(), notifier.client.connect()]);
      listening = await listener.pid();
      const isOwn = async (statements = "") =>
        (await notifier.pid()) !== listening && (await listener.pid(statements)) === listening;
      // Asked before LISTEN: a process that is lent would go on listening, and the pooler would log what it drops.
      for (let look = 0; look < PID_LOOKS; look++) if (!(await isOwn())) return false;
      return isOwn(`listen ${CHANNEL}; `);
    },
    test: async (message, timeoutMs) => {
      const [row] = await notifier.query<{ pid: number }>({
        text: "select pg_notify($1, $2), pg_backend_pid() as pid",
        values: [CHANNEL, message],
        query_timeout: timeoutMs,
      });
      return row!.pid !== listening;
    },
    notify: async (messages) => {
      const text = "select pg_notify($1, m) from unnest($2::text[]) m";
      await notifier.query({ text, values: [CHANNEL, messages] });
    },
    hangUp: async () => {
      hangingUp ??= Promise.all([listener.hangUp(), notifier.hangUp()]);
      await hangingUp;
    },
  };
}

/** No time limits of the database are set here: nothing is locked, and an answer that is late ends the connection. */
function createConnection(url: string, onEnd: () => void) {
  const socket = new Socket();
  const client = new Client({
    ...connectionSettings(url, STATEMENT_MS),
    application_name: "human-task-service hints",
    stream: () => socket,
  });
  client.on("error", onEnd);
  client.on("end", onEnd);
  let turn: Promise<unknown> = Promise.resolve();

  /** Waits for its turn: the driver takes one query at a time. */
  async function query<Row extends QueryResultRow>(config: QueryConfig & { query_timeout?: number }): Promise<Row[]> {
    const mine = turn.then(() => client.query<Row>(config));
    turn = mine.catch(() => {});
    const answers = await mine;
    // Several statements in one text have an answer each.
    return (Array.isArray(answers) ? (answers.at(-1) as QueryResult<Row>) : answers).rows;
  }

  return {
    client,
    query,
    /** The server process that carries out `statements`. */
    pid: async (statements = "") => {
      const [row] = await query<{ pid: number }>({ text: `${statements}select pg_backend_pid() as pid` });
      return row!.pid;
    },
    hangUp: async () => {
      await Promise.race([client.end().catch(() => {}), delay(FAREWELL_MS)]);
      socket.destroy();
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
