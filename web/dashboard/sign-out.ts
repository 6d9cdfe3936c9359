import { post } from "./api.ts";
import { stopNotices } from "./notified.ts";
import { dropPersonalOfOthers } from "./personal.ts";
import { queryClient } from "./queries.ts";
import { sendHeld } from "./task/held.ts";

/** Ends the session, and deletes what this browser kept for its people. What they chose for the browser stays. */
export async function signOut(): Promise<void> {
  await sendHeld();
  // What is for this person must not appear here for the next one.
  await stopNotices().catch(() => {});
  const before = stored();
  // With https, the response makes the browser delete everything that pages stored, the theme among it.
  await post("/api/auth/logout");
  queryClient.clear();
  restore(before);
  dropPersonalOfOthers(null);
}

function stored(): [string, string][] {
  try {
    return Object.entries(localStorage) as [string, string][];
  } catch {
    return [];
  }
}

function restore(entries: readonly [string, string][]): void {
  try {
    for (const [key, text] of entries) localStorage.setItem(key, text);
  } catch {
    // Then the defaults hold.
  }
}
