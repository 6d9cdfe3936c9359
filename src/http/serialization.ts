import { build, type Schema } from "fast-json-stringify";
import type { FastifyReply } from "fastify";
import type { FastifySerializerCompiler } from "fastify/types/schema.js";
import { onFirstUse } from "../lib/on-first-use.ts";
import type { JsonText } from "../lib/json.ts";

/**
 * Returns a compiler of serializers. The schema of a successful answer is a whitelist: fields that it does not name are
 * never sent. Errors have one form and are written in one place, so no code is generated for their hundreds of schemas.
 * Code for a route is generated at its first answer, because some routes never need it, and the start is faster without
 * it.
 *
 * @param shapes - schemas that others refer to by their `$id`
 */
export function createSerializerCompiler(shapes: readonly object[]): FastifySerializerCompiler<Schema> {
  const schema = Object.fromEntries(shapes.map((shape) => ["$id" in shape ? shape.$id : "", shape]));
  return ({ schema: response, httpStatus }) =>
    Number(httpStatus) >= 400 ? JSON.stringify : onFirstUse(() => build(response, { schema }));
}

/** Answers with JSON text. The code that wrote it decides which fields are sent. */
export function sendJson<R>(reply: FastifyReply, json: JsonText): R {
  void reply.type("application/json; charset=utf-8");
  return json as R;
}
