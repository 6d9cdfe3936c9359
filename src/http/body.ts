import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { ServiceError } from "../errors.ts";

/** The maximum depth of arrays and objects in a request body. */
const JSON_DEPTH_MAX = 64;

/**
 * Bodies of this length are parsed by a thread. Here, such a body takes 0.7 ms of the event loop, and one of a megabyte 10 ms;
 * by the thread 0.1 and 1 ms, and arrives 0.3 and 4 ms later.
 */
const LARGE_BYTES = 64 * 1024;

/**
 * Reads JSON bodies: UTF-8, at most 64 levels deep, without the key `__proto__`, and without numbers beyond doubles. An
 * empty body is an empty object, so that a route with only optional fields can be called without a body.
 *
 * @param parseLarge - does what `parseJsonBody` does, elsewhere
 */
export function acceptJson(app: FastifyInstance, parseLarge: (bytes: Buffer) => Promise<unknown>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    // A promise only where it is needed: it costs each request more than parsing a small body.
    if (body.length >= LARGE_BYTES) return parseLarge(body as Buffer);
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
    return undefined;
  });
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.body == null && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}

/** @throws ServiceError MALFORMED_REQUEST */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  // The bytes are checked first, because parsing something very deep takes longer than rejecting it.
  const { isTooDeep, mayBeUnfit } = survey(bytes);
  if (isTooDeep) throw malformed(`The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  if (!isUtf8(bytes)) throw malformed("The body is not UTF-8.");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}.`);
  }
  if (mayBeUnfit) refuseUnfit(value);
  return value;
}

/** The meaning of each byte in the survey; most have none. */
const KIND = new Uint8Array(256);
const [OTHER, QUOTE, BACKSLASH, OPENING, CLOSING, UNDERSCORE, DIGIT] = [0, 1, 2, 3, 4, 5, 6];
for (const [characters, kind] of [
  ['"', QUOTE],
  ["\\", BACKSLASH],
  ["[{", OPENING],
  ["]}", CLOSING],
  ["_", UNDERSCORE],
  ["0123456789", DIGIT],
] as const)
  for (const character of characters) KIND[character.charCodeAt(0)] = kind;

/** The number of digits of an exponent, or of a number, that may exceed a double. */
const EXPONENT_DIGITS = 3;
const NUMBER_DIGITS = 300;

/**
 * Scans the bytes once before they are parsed. It does not check whether they are JSON.
 *
 * @returns `isTooDeep`: brackets outside of strings are nested too deep; `mayBeUnfit`: there is a text with two
 *   underscores in a row or an escape, or a number with many digits or a large exponent, so that the values must be
 *   checked
 */
function survey(bytes: Buffer): { isTooDeep: boolean; mayBeUnfit: boolean } {
  let depth = 0;
  let digits = 0;
  let isString = false;
  let mayBeUnfit = false;
  for (let i = 0; i < bytes.length; i++) {
    const kind = KIND[bytes[i]!];
    if (kind === OTHER) continue;
    if (kind === QUOTE) isString = !isString;
    else if (isString) {
      if (kind === BACKSLASH) {
        i++;
        mayBeUnfit ||= bytes[i] === 0x75; // \u
      } else if (kind === UNDERSCORE) mayBeUnfit ||= bytes[i + 1] === 0x5f;
    } else if (kind === OPENING) {
      if (++depth > JSON_DEPTH_MAX) return { isTooDeep: true, mayBeUnfit };
    } else if (kind === CLOSING) depth--;
    else if (kind === DIGIT) {
      // Every digit of a number or an exponent, except the first, follows another digit.
      digits = isDigit(bytes[i - 1]) ? digits + 1 : 1;
      mayBeUnfit ||= digits >= (isExponent(bytes, i - digits) ? EXPONENT_DIGITS : NUMBER_DIGITS);
    }
  }
  return { isTooDeep: false, mayBeUnfit };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && KIND[byte] === DIGIT;
}

/** Returns whether the byte at `at`, or the one before its sign, begins an exponent. */
function isExponent(bytes: Buffer, at: number): boolean {
  const byte = bytes[at] === 0x2b ? bytes[at - 1] : bytes[at];
  return byte !== undefined && (byte | 0x20) === 0x65;
}

/**
 * Rejects values that would be stored differently: `1e400` is Infinity in memory and null in JSON, and some code treats
 * `__proto__` specially.
 */
function refuseUnfit(root: unknown): void {
  const left: unknown[] = [root];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === "number" && !Number.isFinite(value))
      throw malformed("The body has a number that is too large to be represented.");
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value) && Object.hasOwn(value, "__proto__"))
      throw malformed("The body has the key `__proto__`, which is not accepted.");
    // Values from `JSON.parse` have only own enumerable properties.
    for (const key in value) left.push((value as Record<string, unknown>)[key]);
  }
}

function malformed(message: string): ServiceError {
  return new ServiceError("MALFORMED_REQUEST", { message });
}
