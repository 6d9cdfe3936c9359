import type { HintLine } from "./postgres-hint-line.ts";

/** Hints of this period are gathered into one NOTIFY, so that a busy process does not send one per commit. */
const GATHER_MS = 10;
/**
 * The most hints to keep while the last NOTIFY is in progress. If there are more, other processes must check
 * everything.
 */
const GATHERED_MAX = 10_000;
/** PostgreSQL accepts 8,000 bytes in one NOTIFY. */
const MESSAGE_BYTES = 7800;
/** Sent instead of a hint: the sender lost hints. */
export const RESET = "reset";

/**
 * Hints on their way to other processes.
 *
 *     empty --- add ---> gathering --- GATHER_MS later ---> sending --- sent, nothing added ---> empty
 *                           ^                                  |
 *                           +----------- more was added -------+
 *
 * Hints that cannot be kept or sent are dropped. The next message contains RESET instead.
 */
export interface HintOutbox {
  add(hints: readonly string[]): void;
  /** Drops the gathered hints. */
  lose(): void;
  /** Sends a RESET if hints were lost. Call this when the line works. */
  sendLost(): void;
  /** Sends the remaining hints without further gathering. */
  finish(): Promise<void>;
}

export interface HintOutboxOptions {
  /** Identifies this process to the others. */
  self: string;
  /** Returns the connection to send on, or null. */
  line: () => HintLine | null;
  onFailure: (line: HintLine, error: unknown) => void;
}

export function createHintOutbox({ self, line, onFailure }: HintOutboxOptions): HintOutbox {
  const gathered = new Set<string>();
  let isLost = false;
  let isFinishing = false;
  let sending: Promise<void> | null = null;

  function send(): void {
    sending ??= sendAll().finally(() => (sending = null));
  }

  /** Sends the gathered hints, one message after the other, until none is left. */
  async function sendAll(): Promise<void> {
    while (gathered.size > 0 || isLost) {
      await delay(isFinishing ? 0 : GATHER_MS);
      const on = line();
      // Lost hints cost a polling interval, and nothing else.
      if (on === null) return gathered.clear();
      const messages = [...(isLost ? [`${self}|${RESET}`] : []), ...toMessages(self, gathered)];
      isLost = false;
      gathered.clear();
      try {
        await on.notify(messages);
      } catch (error) {
        onFailure(on, error);
      }
    }
  }

  return {
    add: (hints) => {
      const isDown = line() === null;
      if (isDown || gathered.size + hints.length > GATHERED_MAX) isLost = true;
      else for (const hint of hints) gathered.add(hint);
      if (!isDown) send();
    },
    lose: () => {
      isLost = true;
      gathered.clear();
    },
    sendLost: () => {
      if (isLost) send();
    },
    finish: async () => {
      isFinishing = true;
      await sending;
    },
  };
}

/** Returns `sender` and hints in as few messages as possible. */
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

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
