import { useSyncExternalStore } from "react";

/** A person's preferences in this browser. */
export interface Preferences {
  /** Whether letters and digits are shortcuts. */
  readonly singleKeys: boolean;
  /** Seconds in which a person can take an answer back. */
  readonly sendDelay: 0 | 5;
  /** The slug of the only project whose tasks are shown; null: all. */
  readonly project: string | null;
  /** Whether the list or the task has the full width, and not both beside each other. */
  readonly isWide: boolean;
  /** The width of the list beside a task, in px; null: that of the design. */
  readonly listWidth: number | null;
}

const KEY = "preferences";
const DEFAULTS: Preferences = { singleKeys: true, sendDelay: 0, project: null, isWide: false, listWidth: null };
const listeners = new Set<() => void>();
let known: Preferences | null = null;

/** Returns the preferences. If storage is full, forbidden or damaged, the defaults apply. */
export function readPreferences(): Preferences {
  known ??= read();
  return known;
}

export function setPreferences(change: Partial<Preferences>): void {
  known = { ...readPreferences(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // They apply until the person leaves the page.
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
    return {
      singleKeys: kept?.singleKeys !== false,
      sendDelay: kept?.sendDelay === 5 ? 5 : 0,
      project: typeof kept?.project === "string" ? kept.project : null,
      isWide: kept?.isWide === true,
      listWidth: typeof kept?.listWidth === "number" ? kept.listWidth : null,
    };
  } catch {
    return DEFAULTS;
  }
}
