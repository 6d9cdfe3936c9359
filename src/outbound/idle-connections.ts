import { drop, type Connection } from "./connection.ts";
import { SendFailure } from "./send-failure.ts";

export interface IdleLimits {
  /** How long a connection may serve at all before its host name is resolved again, in milliseconds. */
  connectionAgeMs: number;
  idlePerOrigin: number;
  idleInTotal: number;
}

/** Connections between two requests, by origin. */
export interface IdleConnections {
  /** One that still looks open; the receiver may have closed it all the same, which shows only when it is used. */
  take(origin: string): Connection | undefined;
  put(origin: string, connection: Connection): void;
  closeAll(): Promise<void>;
}

export function createIdleConnections(limits: IdleLimits): IdleConnections {
  const waiting = new Map<string, Connection[]>();
  let total = 0;
  let isClosed = false;

  const isFit = (connection: Connection) =>
    connection.isOpen() && performance.now() - connection.openedAt < limits.connectionAgeMs;

  const remove = (origin: string, connection: Connection) => {
    const own = waiting.get(origin) ?? [];
    const index = own.indexOf(connection);
    if (index === -1) return;
    own.splice(index, 1);
    total--;
    if (own.length === 0) waiting.delete(origin);
  };

  return {
    take(origin) {
      // The newest first, so that the surplus of a busy hour grows old and goes.
      for (const connection of (waiting.get(origin) ?? []).toReversed()) {
        remove(origin, connection);
        if (isFit(connection)) return connection;
        void drop(connection, notAgain());
      }
      return undefined;
    },
    put(origin, connection) {
      const own = waiting.get(origin) ?? [];
      if (isClosed || !isFit(connection) || own.length >= limits.idlePerOrigin || total >= limits.idleInTotal) {
        void drop(connection, notAgain());
        return;
      }
      waiting.set(origin, [...own, connection]);
      total++;
      connection.onClosed = () => remove(origin, connection);
    },
    async closeAll() {
      isClosed = true;
      const connections = [...waiting.values()].flat();
      waiting.clear();
      total = 0;
      await Promise.all(connections.map((connection) => drop(connection, notAgain())));
    },
  };
}

function notAgain(): SendFailure {
  return new SendFailure("reset", "The connection was not to be used again.");
}
