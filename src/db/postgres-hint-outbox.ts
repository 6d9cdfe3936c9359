import type { HintLine } from "./postgres-hint-line.ts";

/** Hints of this long are gathered into one NOTIFY, so that a busy process does not send one a commit. */
const GATHER_MS = 10;
/** More than this many are not kept while the last NOTIFY is under way: other processes are told to look at everything. */
const GATHERED_MAX = 10_000;
/** PostgreSQL takes 8,000 bytes in one NOTIFY. */
const MESSAGE_BYTES = 7800;
/** In place of a hint: hints of the sender were lost. */
export const RESET = "reset";

/**
 * Hints on their way to other processes.
 *
 *     empty --- add ---> gathering --- GATHER_MS later ---> sending --- sent, nothing added ---> empty
 *                           ^                                  |
 *                           +----------- more was added -------+
 *
 * Hints that cannot be kept or sent are dropped. RESET takes their place with the next message.
 */
export interface HintOutbox {
  add(hints: readonly string[]): void;
  /** Drops what was gathered. */
  lose(): void;
  /** Sends a RESET when hints were lost: the line works. */
  sendLost(): void;
  /** Sends what is left, without gathering any longer. */
  finish(): Promise<void>;
}

export interface HintOutboxOptions {
  /** Names this process to the others. */
  self: string;
  /** The connection to send on, or null. */
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

  /** Sends what is gathered until nothing is left, one message after the other. */
  async function sendAll(): Promise<void> {
    while (gathered.size > 0 || isLost) {
      await delay(isFinishing ? 0 : GATHER_MS);
      const on = line();
      // Lost hints cost a polling interval, nothing else.
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

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
