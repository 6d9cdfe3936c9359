import type { Entries } from "../../form/plan/entries.ts";

/*
 * Entries survive a reload of the surrounding page, which is how many hosts get a new token. They are stored for the
 * tab. If a browser does not allow storage in frames, the form works without.
 */

/** @param key - of a task and a person */
export function readDraft(key: string): Entries {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}") as Entries;
  } catch {
    return {};
  }
}

/** Stores the entries, except secret ones. @param entries - null removes the draft */
export function keepDraft(key: string, entries: Entries | null): void {
  try {
    if (entries === null) sessionStorage.removeItem(key);
    else {
      const kept = Object.entries(entries).filter(
        ([name]) => !document.querySelector(`[type=password][name="${CSS.escape(name)}"]`),
      );
      sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
    }
  } catch {
    // A draft is optional.
  }
}
