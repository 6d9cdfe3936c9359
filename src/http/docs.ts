import { fastifySwagger } from "@fastify/swagger";
import { fastifySwaggerUi } from "@fastify/swagger-ui";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { ServiceError } from "../errors.ts";
import { tidyDescription } from "./openapi.ts";
import type { JsonObject } from "../lib/json.ts";
import { csp, iconFile, PAGE_CSP } from "./page.ts";
import { renderReference } from "./reference.ts";
import { SWAGGER_UI_PAGE, SWAGGER_UI_STYLE } from "./swagger-ui.ts";
import { troubleshootingRoutes } from "./troubleshooting.ts";

const TITLE = "Human Task Service";

const DESCRIPTION = `
The waiting room between software and people. An agent hands over a decision or a piece of work with a JSON Schema for the
answer, a person answers, and the agent gets a result that fits the schema.

**In three calls.** Create a task with \`POST /api/tasks\`, wait until it closes with \`GET /api/tasks/{id}/poll\`, answer it with
\`POST /api/tasks/{id}/complete\`. A task closes once: as \`completed\`, \`timed_out\`, \`cancelled\` or \`verification_exhausted\`.

**Authentication.** Agents send \`Authorization: Bearer <token>\`. People sign in and send the cookie \`service_session\`. 401 means missing or
invalid credentials, 403 means no permission.

**Creating is idempotent.** Choose one \`idempotency_key\` for each event on your side. The same key returns the same task,
marked \`Idempotent-Replayed: true\`, as long as the task is stored. Treat 200 and 201 both as success.

**Errors** are JSON with a stable \`error_code\`, a \`message\` for people, a \`docs\` link that explains the code, and the
\`request_id\`, which every response also has as \`X-Request-Id\`. 400 means an invalid request, 422 an invalid value in a valid
request. Both list the places in \`details\`. In addition to the errors of each operation, any route can return 404
\`NOT_FOUND\`, 405 \`METHOD_NOT_ALLOWED\` (with \`Allow\`), 408 \`REQUEST_TIMEOUT\` and 431 \`REQUEST_HEADERS_TOO_LARGE\`.

**JSON** is parsed like JavaScript does: numbers are doubles, the last of duplicate keys wins, and keys that look like whole
numbers come first. Otherwise the order of keys is kept. Bodies are UTF-8, at most 1 MiB by default and 64 levels deep. Unknown
fields are ignored. \`null\` is the same as an omitted optional field. Text must not contain NUL characters or unpaired
surrogates. Times are ISO 8601 in UTC with milliseconds.

**Versions.** The schema of \`/api/tasks\` and its error codes are stable. Responses may get new fields at any time.
`.trim();

/** Derives the OpenAPI description from the routes registered after this. */
export async function describeApi(app: FastifyInstance, { version }: { version: string }): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: TITLE,
        version,
        description: DESCRIPTION,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/", description: "This service" }],
      tags: [
        { name: "Tasks", description: "Create a task, wait for its answer, answer it." },
        { name: "Views", description: "Lists of tasks that people save under a name." },
        {
          name: "Deliveries",
          description: "Callbacks, resumes and events: their status, attempts, and sending them again.",
        },
        { name: "Setup", description: "Create the first operator." },
        { name: "Sign-in", description: "Sign in, sign out, and the current user." },
        { name: "Users", description: "The directory: permissions and routing." },
        { name: "Projects", description: "Tasks, agents, keys and senders of one group of people, and who is in it." },
        { name: "Agents", description: "Programs that ask, with their tokens and limits." },
        { name: "Connections", description: "Engines that are resumed when a task ends." },
        { name: "Events", description: "What happens to tasks, for other programs." },
        { name: "Hooks", description: "Calls of tools that coding agents ask about." },
        { name: "Escalation", description: "Templates: what happens while no one answers, chosen by a name." },
        { name: "Calendars", description: "The hours when teams work, for steps that count open time only." },
        { name: "Embed keys", description: "Keys of products that embed the form." },
        { name: "Embed", description: "Embed the form of a task in another product." },
        { name: "Channels", description: "Email senders and Slack workspaces." },
        { name: "Operations", description: "Health, version, metrics and configuration." },
      ],
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description:
              "The token of an agent, `hts_agent_...`, or the admin token. An operator creates agents and their tokens.",
          },
          service_key: {
            type: "http",
            scheme: "bearer",
            description: "An embed key, `hsk_...`. It can only create embed tokens.",
          },
          embed_token: {
            type: "http",
            scheme: "bearer",
            description: "An embed token. It opens one task for a short time.",
          },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "service_session",
            description: "The session of a signed-in user. Unsafe methods must come from a page of this service.",
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, i) =>
        typeof json["$id"] === "string" ? json["$id"] : `shape-${i}`,
    },
    transformObject: (described) => tidyDescription("openapiObject" in described ? described.openapiObject : {}),
  });
}

/** Calls that Slack, GitHub, workers of browsers and pages of the dashboard make, and files that it links to. */
const NOT_TO_TRY: ReadonlySet<string> = new Set([
  "/api/tasks/batch",
  "/api/tasks/export",
  "/api/auth/me/notifications",
  "/api/auth/me/browsers/{id}/news",
  "/api/auth/me/browsers/{id}/test",
  "/api/auth/me/browsers/{id}",
  "/api/auth/me/browsers",
  "/api/stats/groups",
  "/api/admin/webhook-deliveries/summary",
  "/api/users/activity",
  "/api/users/groups",
  "/api/users/{id}/invitation",
  "/api/invitation",
  "/api/invitation/accept",
  "/api/audit",
  "/api/audit/export",
  "/api/channels/slack/interactions",
  "/api/channels/slack/events",
  "/api/connections/{id}/github",
  "/api/tasks/{id}/snooze",
  "/api/views",
  "/api/views/{id}",
]);

/** The description of the API and the pages that show it. Everything they load comes from here. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  app.get("/api/openapi.json", { schema: { hide: true } }, async () => app.swagger());

  await app.register(fastifySwaggerUi, {
    routePrefix: "/api/docs",
    uiHooks: {
      // YAML is refused: no client needs it, and making it blocks the process for half a second.
      onRequest: (request, _reply, done) =>
        done(/\/yaml\b/.test(request.url) ? new ServiceError("NOT_FOUND") : undefined),
    },
    staticCSP: csp({ script: "'self'", style: "'self'" }),
    // With 134 calls, Swagger UI draws three of them and stops; with 132 it draws all. These are in the description alone.
    transformSpecification: (description) => {
      const { paths, ...rest } = description as { paths: Record<string, unknown> };
      return {
        ...rest,
        paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !NOT_TO_TRY.has(path))),
      };
    },
    // Links to calls would be links inside buttons, which assistive technology cannot reach.
    uiConfig: {
      layout: "BaseLayout",
      deepLinking: false,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
    },
    theme: {
      title: `API docs - ${TITLE}`,
      favicon: [{ filename: "icon.svg", rel: "icon", type: "image/svg+xml", sizes: "any", content: iconFile() }],
      css: [{ filename: "page.css", content: SWAGGER_UI_STYLE }],
      js: [{ filename: "page.js", content: SWAGGER_UI_PAGE }],
    },
  });

  let reference: ((host: string) => string) | null = null;
  app.get("/api/redoc", { schema: { hide: true } }, async (request, reply) => {
    // Every route is registered by the time of the first request.
    reference ??= renderReference(app.swagger() as object as JsonObject);
    return reply
      .headers({ "content-security-policy": PAGE_CSP, "cache-control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(reference(request.host));
  });

  await app.register(troubleshootingRoutes);
};
