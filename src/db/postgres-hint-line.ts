import { Socket } from "node:net";
import { Client, type QueryConfig, type QueryResult, type QueryResultRow } from "pg";
import { SECOND } from "../lib/time.ts";
import { APPLICATION_NAME, connectionSettings } from "./postgres-pool.ts";

const CHANNEL = "service_hints";
const STATEMENT_MS = 5 * SECOND;
/** The time for closing a connection gracefully. After it, the connection is cut. */
export const FAREWELL_MS = 500;
/** How often the server processes of both connections are compared before one of them listens. */
const PID_LOOKS = 4;

/** A connection that listens, and one that notifies. */
export interface HintLine {
  /**
   * Connects both and listens. @returns false if a pooler lends server processes to them, so that LISTEN cannot work
   */
  open(): Promise<boolean>;
  /** Sends `message`. @returns false if the listening process sent it, so that its arrival proves nothing */
  test(message: string, timeoutMs: number): Promise<boolean>;
  notify(messages: readonly string[]): Promise<void>;
  /** Ends both, whatever they are doing. Resolves soon, even if the server does not answer. */
  hangUp(): Promise<void>;
}

export function createHintLine(url: string, on: { onMessage: (payload: string) => void; onEnd: () => void }): HintLine {
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
      // Checked before LISTEN: a lent process would keep listening, and the pooler would log the notifications that it
      // drops.
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

/**
 * Creates a connection without time limits of the database: no statement locks, and a late answer ends the connection.
 */
function createConnection(url: string, onEnd: () => void) {
  const socket = new Socket();
  const client = new Client({
    ...connectionSettings(url, STATEMENT_MS),
    application_name: `${APPLICATION_NAME} hints`,
    stream: () => socket,
  });
  client.on("error", onEnd);
  client.on("end", onEnd);
  let turn: Promise<unknown> = Promise.resolve();

  /** Waits for earlier queries, because the driver takes one query at a time. */
  async function query<Row extends QueryResultRow>(config: QueryConfig & { query_timeout?: number }): Promise<Row[]> {
    const mine = turn.then(() => client.query<Row>(config));
    turn = mine.catch(() => {});
    const answers = await mine;
    // Each of several statements in one text has its own result.
    return (Array.isArray(answers) ? (answers.at(-1) as QueryResult<Row>) : answers).rows;
  }

  return {
    client,
    query,
    /** Returns the id of the server process that runs `statements`. */
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
