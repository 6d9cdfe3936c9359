import type { Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import { sourceOf } from "./rate-limits.ts";

/** Limits guesses at bearer tokens. Each process counts for itself, in memory: guesses must not cost a write. */
export interface TokenGuesses {
  /** @throws ServiceError RATE_LIMITED if a source sent too many invalid tokens, and never a valid one */
  requireFew(ip: string): void;
  addInvalid(ip: string): void;
  addValid(ip: string): void;
}

const GUESSES_MAX = 100;
const WINDOW_MS = 5 * MINUTE;
/** Maximum number of sources that are remembered, of each kind. The oldest are forgotten first. */
const SOURCES_MAX = 10_000;

/**
 * Beyond the limit, all tokens of a source are rejected: answers to valid ones would tell a guesser which they are. Sources
 * that have sent a valid token are exempt, so that a wrong token beside them does not stop agents that work.
 */
export function createTokenGuesses({ now }: Pick<Db, "now">): TokenGuesses {
  const windows = new Map<string, { count: number; endsAt: number }>();
  /** Addresses as they came. Looking one up costs every request, and parsing it costs more. */
  const validAddresses = new Set<string>();
  const validSources = new Set<string>();
  return {
    requireFew: (ip) => {
      if (windows.size === 0 || validAddresses.has(ip)) return;
      const window = windows.get(sourceOf(ip));
      if (window === undefined || window.count < GUESSES_MAX || window.endsAt <= now()) return;
      throw new ServiceError("RATE_LIMITED", { retryAfter: Math.ceil((window.endsAt - now()) / SECOND) });
    },
    addInvalid: (ip) => {
      const source = sourceOf(ip);
      if (validSources.has(source)) return;
      const window = windows.get(source);
      if (window !== undefined && window.endsAt > now()) return void window.count++;
      windows.delete(source);
      windows.set(source, { count: 1, endsAt: now() + WINDOW_MS });
      forgetOldest(windows);
    },
    addValid: (ip) => {
      if (validAddresses.has(ip)) return;
      const source = sourceOf(ip);
      windows.delete(source);
      validAddresses.add(ip);
      validSources.add(source);
      forgetOldest(validAddresses);
      forgetOldest(validSources);
    },
  };
}

function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  if (kept.size <= SOURCES_MAX) return;
  const [oldest] = kept.keys();
  kept.delete(oldest!);
}
