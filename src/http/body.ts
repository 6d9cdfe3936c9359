import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { ServiceError } from "../errors.ts";
import { isDeeperThan, isJsonObject } from "../lib/json.ts";

/** Levels of arrays and objects in a request body. (wire limits) */
const JSON_DEPTH_MAX = 64;

/**
 * Reads JSON bodies: UTF-8, no deeper than 64 levels, without the key `__proto__`. An empty body is an empty object, so
 * that a route whose fields are all optional can be called without one.
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
  app.addHook("preValidation", async (request) => {
    if (request.body == null && request.routeOptions.schema?.body !== undefined) request.body = {};
  });
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw malformed("The body is not UTF-8.");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}.`);
  }
  if (isDeeperThan(value, JSON_DEPTH_MAX)) throw malformed(`The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  if (MAY_NAME_PROTO.test(text) && hasKey(value, "__proto__"))
    throw malformed("The body has the key `__proto__`, which is not accepted.");
  return value;
}

/** The key as it stands, or with an underscore written as an escape; whether it is a key at all is looked up then. */
const MAY_NAME_PROTO = /__proto__|\\u005f/i;

function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasKey(item, key));
  if (!isJsonObject(value)) return false;
  return Object.hasOwn(value, key) || Object.values(value).some((item) => hasKey(item, key));
}

function malformed(message: string): ServiceError {
  return new ServiceError("MALFORMED_REQUEST", { message });
}
