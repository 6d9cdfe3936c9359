import { fastifySwagger } from "@fastify/swagger";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { Context } from "../context.ts";

/** Derives the OpenAPI description from the routes registered after this. */
export async function describeApi(app: FastifyInstance, { version }: Pick<Context, "version">): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Human Task Service", version },
      components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, i) =>
        typeof json["$id"] === "string" ? json["$id"] : `shape-${i}`,
    },
  });
}

export const docsRoutes: FastifyPluginAsync<{ ctx: Context }> = async (app) => {
  app.get("/api/openapi.json", { schema: { hide: true } }, async () => app.swagger());
};
