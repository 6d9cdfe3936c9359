import type { Me } from "./api.ts";
import { meQuery, queryClient } from "./queries.ts";

/*
 * What this browser keeps for a person, such as answers that were not sent. It is deleted when they sign out, or when another
 * person signs in. After a session has expired it stays, so that they can continue.
 */

const START = "of:";
/** Names that were used before they had the id of a person. */
const WITHOUT_ID = /^(draft:|checking:|playground$)/;

function keyOf(name: string): string | null {
  const id = queryClient.getQueryData<Me>(meQuery.queryKey)?.user_id ?? null;
  return id === null ? null : `${START}${id}:${name}`;
}

/** Returns what is kept for the person who is signed in, or null. */
export function readPersonal(name: string): string | null {
  const key = keyOf(name);
  try {
    return key === null ? null : localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Storage that is full or forbidden keeps nothing: pages work without it. */
export function keepPersonal(name: string, text: string): void {
  const key = keyOf(name);
  try {
    if (key !== null) localStorage.setItem(key, text);
  } catch {
    // As above.
  }
}

export function dropPersonal(name: string): void {
  const key = keyOf(name);
  try {
    if (key !== null) localStorage.removeItem(key);
  } catch {
    // As above.
  }
}

/** Deletes what is kept for all people but one. @param id - null: for everyone */
export function dropPersonalOfOthers(id: string | null): void {
  try {
    for (const key of Object.keys(localStorage)) {
      const isOwn = id !== null && key.startsWith(`${START}${id}:`);
      if (!isOwn && (key.startsWith(START) || WITHOUT_ID.test(key))) localStorage.removeItem(key);
    }
  } catch {
    // As above.
  }
}
