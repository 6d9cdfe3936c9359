import { build, type Schema } from "fast-json-stringify";
import type { FastifyReply } from "fastify";
import type { FastifySerializerCompiler } from "fastify/types/schema.js";
import { onFirstUse } from "../lib/on-first-use.ts";
import type { JsonText } from "../lib/json.ts";

/**
 * The schema of a successful answer is the whitelist on the way out: a column that it does not name never leaves.
 * Errors have one form and are written in one place, so no code is made for their schemas, of which there are hundreds.
 * Code is made when a route first answers: a start makes none of it, and some routes never need it.
 *
 * @param shapes - schemas that others refer to by their `$id`
 */
export function createSerializerCompiler(shapes: readonly object[]): FastifySerializerCompiler<Schema> {
  const schema = Object.fromEntries(shapes.map((shape) => ["$id" in shape ? shape.$id : "", shape]));
  return ({ schema: response, httpStatus }) =>
    Number(httpStatus) >= 400 ? JSON.stringify : onFirstUse(() => build(response, { schema }));
}

/** Answers with JSON that is written already; whoever wrote it chose what may leave. */
export function sendJson<R>(reply: FastifyReply, json: JsonText): R {
  void reply.type("application/json; charset=utf-8");
  return json as R;
}
