import type { Entries } from "../../form/plan/entries.ts";

/*
 * What was entered survives a reload of the page around, which is how many hosts get a fresh token. It is kept with the
 * tab. Where a browser keeps nothing in frames, or forbids it, the form works without.
 */

/** @param key - of a task and a person */
export function readDraft(key: string): Entries {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}") as Entries;
  } catch {
    return {};
  }
}

/** What is secret is not kept. @param entries - null: there is nothing left to keep */
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
    // A courtesy.
  }
}
