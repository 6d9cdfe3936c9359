import { randomFillSync } from "node:crypto";
import { SECOND } from "./time.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export type IdPrefix =
  | "tsk"
  | "aud"
  | "dlv"
  | "atm"
  | "usr"
  | "key"
  | "sec"
  | "agt"
  | "atk"
  | "prj"
  | "psk"
  | "ptk"
  | "con"
  | "dky"
  | "sub"
  | "cmt"
  | "viw";

/** Ids of these end with the home of their task (db/home.ts). */
type HomedPrefix = Extract<IdPrefix, "tsk" | "dlv">;

/** If the clock was set back further than this, ids follow it. Otherwise they never go back. */
const SET_BACK_MS = 1 * SECOND;

const random = new Uint8Array(10);
let lastTime = 0;
/** Asking the system for ten random bytes costs as much as for thousands. */
const pool = new Uint8Array(4000);
let used = pool.length;

/**
 * Returns a new id: a prefix, then 128 bits in 26 characters of lower-case base32 (no i, l, o, u). The first 48 bits
 * are milliseconds, so that ids sort by time. Within one process, ids strictly increase unless the clock is set back:
 * in the same millisecond, the random part above the last 10 bits is incremented. The time in an id is at most a second
 * later than `now`.
 *
 * @param now - epoch milliseconds
 * @param home - the last 10 bits, which are two characters
 */
export function newId(prefix: HomedPrefix, now: number, home: number): string;
export function newId(prefix: Exclude<IdPrefix, HomedPrefix>, now: number): string;
export function newId(prefix: IdPrefix, now: number, home?: number): string {
  if (now > lastTime || now < lastTime - SET_BACK_MS) {
    lastTime = now;
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    random.set(pool.subarray(used, used + random.length));
    used += random.length;
    random[0]! &= 0x7f; // room to count up without an overflow
  } else {
    // The last 10 bits are left out: all of the last byte, and two bits of the one before.
    let step = 4;
    for (let i = 8; i >= 0; i--) {
      const next = random[i]! + step;
      random[i] = next;
      if (next <= 0xff) break;
      step = 1;
    }
  }
  let text = encodeTime(lastTime);
  for (let half = 0; half < 10; half += 5) {
    const high = (random[half]! << 12) | (random[half + 1]! << 4) | (random[half + 2]! >> 4);
    let low = ((random[half + 2]! & 0x0f) << 16) | (random[half + 3]! << 8) | random[half + 4]!;
    if (half === 5 && home !== undefined) low = (low & ~LAST_BITS) | home;
    for (const word of [high, low]) {
      for (let shift = 15; shift >= 0; shift -= 5) text += ALPHABET[(word >> shift) & 31];
    }
  }
  return `${prefix}_${text}`;
}

const LAST_BITS = 0x3ff;

/** Returns the last 10 bits of an id. */
export function lastBitsOf(id: string): number {
  return ALPHABET.indexOf(id.at(-2) ?? "") * 32 + ALPHABET.indexOf(id.at(-1) ?? "");
}

/** Returns the lowest id of this moment. All earlier ids are lower. @param time - epoch milliseconds */
export function lowestId(prefix: IdPrefix, time: number): string {
  return `${prefix}_${encodeTime(time)}${"0".repeat(16)}`;
}

/** Returns when an id was made, in epoch milliseconds. */
export function timeOfId(id: string): number {
  let time = 0;
  for (const character of id.slice(4, 14)) time = time * 32 + ALPHABET.indexOf(character);
  return time;
}

function encodeTime(time: number): string {
  let text = "";
  for (let i = 0, rest = time; i < 10; i++) {
    text = ALPHABET[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Returns whether `text` has the form of an id with this prefix. The object may not exist. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]+$/.test(text.slice(prefix.length + 1))
  );
}
