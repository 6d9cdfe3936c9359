import { build, type Schema } from "fast-json-stringify";
import type { FastifyReply } from "fastify";
import type { FastifySerializerCompiler } from "fastify/types/schema.js";
import { onFirstUse } from "../lib/on-first-use.ts";
import type { JsonText } from "../lib/json.ts";

/**
 * Returns a compiler of serializers. The schema of a successful answer is a whitelist: fields that it does not name are
 * never sent. Errors have one form and are written in one place, so no code is generated for their hundreds of schemas.
 * Code for a route is generated at its first answer, because some routes never need it, and the start is faster without
 * it. Equal schemas share it, for all routes and all apps that use this compiler.
 *
 * @param shapes - schemas that others refer to by their `$id`
 */
export function createSerializerCompiler(shapes: readonly object[]): FastifySerializerCompiler<Schema> {
  const known = new Map(shapes.map((shape) => ["$id" in shape ? String(shape.$id) : "", shape as Schema]));
  const built = new Map<string, ReturnType<typeof build>>();
  const serializerOf = (response: Schema) => {
    const key = JSON.stringify(response);
    const serialize = built.get(key) ?? build(response, { schema: Object.fromEntries(referred(key, known)) });
    built.set(key, serialize);
    return serialize;
  };
  return ({ schema: response, httpStatus }) =>
    Number(httpStatus) >= 400 ? JSON.stringify : onFirstUse(() => serializerOf(response));
}

/** Returns the shapes that a schema refers to, and those that these refer to. Each one that is passed to `build` takes time. */
function referred(schema: JsonText, known: ReadonlyMap<string, Schema>): Map<string, Schema> {
  const found = new Map<string, Schema>();
  const texts = [schema];
  for (let text = texts.pop(); text !== undefined; text = texts.pop())
    for (const [, id = ""] of text.matchAll(/"\$ref":"([^"#]+)/g)) {
      const shape = known.get(id);
      if (shape === undefined || found.has(id)) continue;
      found.set(id, shape);
      texts.push(JSON.stringify(shape));
    }
  return found;
}

/** Characters from which a text is sent as bytes: the platform measures and copies long texts slowly. */
const LONG = 16 * 1024;

/** Answers with JSON text. The code that wrote it decides which fields are sent. */
export function sendJson<R>(reply: FastifyReply, json: JsonText): R {
  void reply.type("application/json; charset=utf-8");
  return (json.length < LONG ? json : Buffer.from(json)) as R;
}
