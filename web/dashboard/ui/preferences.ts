import { useSyncExternalStore } from "react";

/** What a person has chosen for this browser. */
export interface Preferences {
  /** Whether letters and digits are shortcuts. */
  readonly singleKeys: boolean;
  /** Seconds in which an answer can be taken back. */
  readonly sendDelay: 0 | 5;
}

const KEY = "preferences";
const DEFAULTS: Preferences = { singleKeys: true, sendDelay: 0 };
const listeners = new Set<() => void>();
let known: Preferences | null = null;

/** Storage that is full, forbidden or damaged gives the defaults. */
export function readPreferences(): Preferences {
  known ??= read();
  return known;
}

export function setPreferences(change: Partial<Preferences>): void {
  known = { ...readPreferences(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // They hold until the page is left.
  }
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readPreferences);
}

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Record<keyof Preferences, unknown>> | null;
    return { singleKeys: kept?.singleKeys !== false, sendDelay: kept?.sendDelay === 5 ? 5 : 0 };
  } catch {
    return DEFAULTS;
  }
}
