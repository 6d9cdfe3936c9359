import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { ServiceError } from "../errors.ts";

/** Levels of arrays and objects in a request body. */
const JSON_DEPTH_MAX = 64;

/**
 * Reads JSON bodies: UTF-8, no deeper than 64 levels, without the key `__proto__` and without numbers that no double
 * holds. An empty body is an empty object, so that a route whose fields are all optional can be called without one.
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.body == null && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  // Asked of the bytes: parsing something very deep takes longer than refusing it.
  if (isNestedDeeper(bytes, JSON_DEPTH_MAX))
    throw malformed(`The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  if (!isUtf8(bytes)) throw malformed("The body is not UTF-8.");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}.`);
  }
  if (MAY_BE_UNFIT.test(text)) refuseUnfit(value);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in one bit. */
const OPENING = 0x5b;
const CLOSING = 0x5d;

/** Whether brackets outside of strings are nested deeper than `limit`. Says nothing of whether this is JSON. */
function isNestedDeeper(bytes: Buffer, limit: number): boolean {
  let depth = 0;
  let isString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (isString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isString = false;
    } else if (byte === QUOTE) isString = true;
    else if ((byte & 0xdf) === OPENING && ++depth > limit) return true;
    else if ((byte & 0xdf) === CLOSING) depth--;
  }
  return false;
}

/**
 * A key as it stands or with an underscore written as an escape, a large exponent, a very long number: only then the
 * values are looked through.
 */
const MAY_BE_UNFIT = /__proto__|\\u005f|[eE]\+?\d{3}|\d{300}/i;

/**
 * Refuses what would not be stored as it was checked: `1e400` is Infinity in memory and null in JSON, and a `__proto__`
 * is not a member like others everywhere.
 */
function refuseUnfit(root: unknown): void {
  const left: unknown[] = [root];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === "number" && !Number.isFinite(value))
      throw malformed("The body has a number that is too large to be represented.");
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value) && Object.hasOwn(value, "__proto__"))
      throw malformed("The body has the key `__proto__`, which is not accepted.");
    // What `JSON.parse` made has no enumerable properties but its own.
    for (const key in value) left.push((value as Record<string, unknown>)[key]);
  }
}

function malformed(message: string): ServiceError {
  return new ServiceError("MALFORMED_REQUEST", { message });
}
