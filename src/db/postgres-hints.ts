import { randomUUID } from "node:crypto";
import { createLocalHints, type Hints } from "./hints.ts";
import { createHintHealth } from "./postgres-hint-health.ts";
import { createLineKeeper, HEARTBEAT_MS } from "./postgres-hint-keeper.ts";
import { FAREWELL_MS } from "./postgres-hint-line.ts";
import { createHintOutbox, RESET } from "./postgres-hint-outbox.ts";

export interface PostgresHintsOptions {
  url: string;
  onError: (error: unknown) => void;
  onWarning: (message: string) => void;
  onInfo?: (message: string) => void;
}

/**
 * Hints between processes by LISTEN and NOTIFY, on two dedicated connections: one only listens, the other only
 * notifies. A NOTIFY is never part of a writing transaction, because PostgreSQL serialises such commits over the whole
 * cluster.
 *
 * A message to itself tests whether LISTEN works: at start, after each reconnect and at every heartbeat. A pooler in
 * transaction mode lends server processes to connections. It drops notifications without an error, but it delivers
 * those that arrive while a connection has the listening process. So the test fails if both connections had the same
 * process, and the listening connection sends nothing after its LISTEN: it never gets a process again.
 *
 * While the test fails, `isHealthy` is false and polling takes over. When it succeeds again, `onReset` is called,
 * because hints may have been lost. `createLineKeeper` shows the states.
 */
export async function openPostgresHints({
  url,
  onError,
  onWarning,
  onInfo = () => {},
}: PostgresHintsOptions): Promise<Hints> {
  const self = randomUUID().slice(0, 8);
  const local = createLocalHints();
  const health = createHintHealth({ onReset: local.reset, onWarning, onInfo });
  let isClosed = false;

  const keeper = createLineKeeper({
    url,
    self,
    health,
    onMessage: receive,
    onTested: () => outbox.sendLost(),
    onLost: () => outbox.lose(),
  });
  const outbox = createHintOutbox({
    self,
    line: keeper.line,
    onFailure: (line, error) => {
      keeper.lose(line);
      if (!isClosed) onError(error);
    },
  });

  function receive(payload: string): void {
    const [sender, ...hints] = payload.split("|");
    if (sender === `test:${self}`) return keeper.receiveTest(hints[0] ?? "");
    if (sender === undefined || sender === self || sender.startsWith("test:")) return;
    if (hints[0] === RESET) local.reset();
    else local.publish(hints);
  }

  await keeper.connect();
  const heartbeat = setInterval(keeper.testAgain, HEARTBEAT_MS);
  heartbeat.unref();

  return {
    isShared: true,
    isHealthy: health.isHealthy,
    listen: local.listen,
    onReset: local.onReset,
    publish: (hints) => {
      local.publish(hints);
      outbox.add(hints);
    },
    close: async () => {
      isClosed = true;
      health.close();
      keeper.stop();
      clearInterval(heartbeat);
      await Promise.race([outbox.finish(), delay(FAREWELL_MS)]);
      await keeper.close();
      await local.close();
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
