import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual, promisify } from "node:util";
import { invalid, ServiceError } from "../errors.ts";
import { isCommonPassword, isGuessedWord } from "./common-passwords.ts";

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 256;

const derive = promisify(argon2);
/** Of argon2: KiB, passes, lanes. */
interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}
/** argon2id with 19 MiB, two passes, one lane: what OWASP asks for at least, about 50 ms. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Each hash takes 19 MiB and a thread of the pool that also serves files and DNS. */
const AT_ONCE = 2;
const WAITING_MAX = 40;

/** Hashes and checks passwords, a few at once. Rejects calls when too many are waiting. */
export interface Passwords {
  /** @throws ServiceError OVERLOADED */
  hash(password: string): Promise<string>;
  /**
   * Returns whether `password` matches the hash `stored`. Takes the same time if `stored` is null.
   * @throws ServiceError OVERLOADED
   */
  matches(password: string, stored: string | null): Promise<boolean>;
  /** Returns whether the hash `stored` was made with the parameters of new hashes. */
  isCurrent(stored: string): boolean;
}

/** @param cost - for new hashes; a stored hash contains its own */
export function createPasswords(cost: Cost = COST): Passwords {
  const waiting: (() => void)[] = [];
  let atWork = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (atWork < AT_ONCE) atWork++;
    else {
      if (waiting.length >= WAITING_MAX) throw new ServiceError("OVERLOADED", { retryAfter: 2 });
      // A caller that leaves releases its slot to the next waiter.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else atWork--;
    }
  }

  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(SALT_BYTES);
        return encode(salt, await tag(password, salt, cost), cost);
      }),
    matches: (password, stored) =>
      inTurn(async () => {
        const known = stored === null ? null : decode(stored);
        const found = await tag(password, known?.salt ?? randomBytes(SALT_BYTES), known?.cost ?? cost);
        return known !== null && timingSafeEqual(found, known.tag);
      }),
    isCurrent: (stored) => isDeepStrictEqual(decode(stored)?.cost, cost),
  };
}

async function tag(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  // The same letters may be made of different code points; people type what their keyboard makes of it.
  const message = Buffer.from(password.normalize("NFKC"));
  return derive("argon2id", { message, nonce, tagLength: TAG_BYTES, ...cost });
}

/** In the form that other programs read as well. */
function encode(salt: Buffer, hash: Buffer, { memory, passes, parallelism }: Cost): string {
  const plain = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain(salt)}$${plain(hash)}`;
}

function decode(stored: string): { salt: Buffer; tag: Buffer; cost: Cost } | null {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored);
  if (!match) return null;
  const [, memory, passes, parallelism, salt, hash] = match;
  const known = Buffer.from(hash!, "base64");
  if (known.length !== TAG_BYTES) return null;
  return {
    salt: Buffer.from(salt!, "base64"),
    tag: known,
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  };
}

/**
 * Refuses what is guessed first: the commonest passwords, one piece over and over, a row of the keyboard or the alphabet,
 * and the person's own address. Length is the route's to check. (wire: Users)
 *
 * @param path - JSON Pointer of the password
 * @throws ServiceError VALIDATION_FAILED
 */
export function requireGoodPassword(password: string, path: string, email: string | null): void {
  const plain = password.normalize("NFKC").toLowerCase();
  const letters = plain.replace(/[\d\s!?.,_@#$*+-]+$/u, "");
  if (isCommonPassword(plain) || isGuessedWord(letters) || isRepeated(plain) || isRow(plain))
    throw invalid(path, "This is one of the passwords that are guessed first. Take a longer one, such as four words.");
  if (email !== null && [email.toLowerCase(), email.toLowerCase().split("@", 1)[0]!].includes(letters || plain))
    throw invalid(path, "Must not be your email address.");
}

/** A wrong password of a signed-in person. The field shows it, and the security log says what it is. @param path - JSON Pointer */
export function wrongPassword(path: string): ServiceError {
  return new ServiceError("VALIDATION_FAILED", {
    details: [{ path, message: "This is not your password." }],
    security: { reason: "INVALID_CREDENTIALS" },
  });
}

function isRepeated(text: string): boolean {
  return /^(.{1,4}?)\1+$/su.test(text);
}

const ROWS = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "1q2w3e4r5t6z7u8i9o0p",
];

function isRow(text: string): boolean {
  const backwards = Array.from(text).toReversed().join("");
  return ROWS.some((row) => row.includes(text) || row.includes(backwards));
}
