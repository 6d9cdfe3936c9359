import { createHash } from "node:crypto";
import { fastifySwagger } from "@fastify/swagger";
import { fastifySwaggerUi } from "@fastify/swagger-ui";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { ServiceError } from "../errors.ts";
import { serveBuiltScript } from "./built.ts";
import { tidyDescription } from "./openapi.ts";
import { csp, escapeHtml, ICON } from "./page.ts";
import { troubleshootingRoutes } from "./troubleshooting.ts";

const TITLE = "Human Task Service";

const DESCRIPTION = `
The waiting room between software and people. An agent hands over a decision or a piece of work with a JSON Schema for the
answer, a person answers, and the agent gets a result that fits the schema.

**In three calls.** Create a task with \`POST /api/tasks\`, wait for its end with \`GET /api/tasks/{id}/poll\`, answer it with
\`POST /api/tasks/{id}/complete\`. A task ends once: as \`completed\`, \`timed_out\`, \`cancelled\` or \`verification_exhausted\`.

**Authentication.** Agents send \`Authorization: Bearer <admin API token>\`; people sign in and carry the cookie \`service_session\`. 401 means that we do not know you, 403 that we do and
that you may not do this.

**Creating is idempotent.** Choose one \`idempotency_key\` for one event on your side: the same key gives the same task again,
marked \`Idempotent-Replayed: true\`, for as long as the task is stored. Treat 200 and 201 alike as success.

**Errors** are JSON with a stable \`error_code\`, a \`message\` for people, a \`docs\` link that explains the code, and the
\`request_id\`, which every answer also carries as \`X-Request-Id\`. 400 is a request that the route does not take, 422 one that
is well-formed and refused; both name the places in \`details\`. Besides what each operation lists, any address may answer 404
\`NOT_FOUND\`, 405 \`METHOD_NOT_ALLOWED\` (with \`Allow\`), 408 \`REQUEST_TIMEOUT\` and 431 \`REQUEST_HEADERS_TOO_LARGE\`.

**JSON** means what JavaScript makes of it: numbers are doubles, the last of duplicate keys counts, keys that look like whole
numbers sort first. Otherwise the order of keys is kept. Bodies are UTF-8, at most 1 MiB by default and 64 levels deep. Unknown
fields are ignored, \`null\` equals absent for optional fields, and text may not hold U+0000 or half of a surrogate pair. Times
are ISO 8601 in UTC with milliseconds.

**Versions.** The shape of \`/api/tasks\` and its error codes are stable; new fields may appear in answers at any time.
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
        { name: "tasks", description: "Hand over a decision or a piece of work, wait for it, answer it." },
        { name: "webhook deliveries", description: "What became of callbacks, and sending them again." },
        { name: "setup", description: "The first operator, once." },
        { name: "auth", description: "Signing in and out, and who is signed in." },
        { name: "users", description: "The directory: who may do what, and whom tasks are routed to." },
        { name: "service keys", description: "For products that embed the form." },
        { name: "embed", description: "Showing the form of a task in the page of another product." },
        { name: "channels", description: "Whom mail is from, and how it is sent." },
        { name: "operations", description: "Is the service up, which version is it, how is it doing." },
      ],
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "The admin API token: `SERVICE_ADMIN_API_TOKEN`, or the one printed at the first start.",
          },
          service_key: {
            type: "http",
            scheme: "bearer",
            description: "A service key, `hsk_...`: it makes embed tokens, and nothing else.",
          },
          embed_token: {
            type: "http",
            scheme: "bearer",
            description: "An embed token: it opens one task, for a short time.",
          },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "service_session",
            description: "A person who is signed in. Unsafe methods must come from a page of this service.",
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

/** The description of the API and the pages that show it. Everything they load comes from here. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  app.get("/api/openapi.json", { schema: { hide: true } }, async () => app.swagger());

  await app.register(fastifySwaggerUi, {
    routePrefix: "/api/docs",
    uiHooks: {
      // Nobody asked for YAML, and making it holds up everybody else for half a second.
      onRequest: (request, _reply, done) =>
        done(/\/yaml\b/.test(request.url) ? new ServiceError("NOT_FOUND") : undefined),
    },
    staticCSP: csp({ script: "'self'", style: "'self'" }),
    uiConfig: { layout: "BaseLayout", docExpansion: "list", defaultModelsExpandDepth: 0, displayRequestDuration: true },
    theme: {
      title: `${TITLE} API`,
      js: [{ filename: "page.js", content: SWAGGER_UI_PAGE }],
    },
  });

  const redoc = redocPage(await serveBuiltScript(app, "redoc", "/api/redoc/"));
  app.get("/api/redoc", { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ "content-security-policy": REDOC_CSP, "cache-control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(redoc),
  );

  await app.register(troubleshootingRoutes);
};

/** What Swagger UI's own page leaves out: a width for phones, and the dark theme that its style sheet has. */
const SWAGGER_UI_PAGE = `
document.head.append(Object.assign(document.createElement("meta"), { name: "viewport", content: "width=device-width, initial-scale=1" }));
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
`;

const REDOC_STYLE = "body { margin: 0; }";
/** Style elements that Redoc adds: empty ones, which it fills through the CSSOM, and that of its scroll bars. */
const REDOC_OWN_STYLES = [sha256(""), "QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc="];
const REDOC_THEME = {
  colors: { primary: { main: "#4C45D6" }, text: { primary: "#14171F", secondary: "#545C6B" } },
  typography: {
    fontFamily: "system-ui, sans-serif",
    headings: { fontFamily: "system-ui, sans-serif" },
    code: { fontFamily: "ui-monospace, monospace" },
  },
};

const REDOC_CSP = csp({
  script: "'self'",
  style: [sha256(REDOC_STYLE), ...REDOC_OWN_STYLES].map((hash) => `'sha256-${hash}'`).join(" "),
  // Its search, which runs beside the page.
  worker: "blob:",
});

/** @param script - the element that loads Redoc; null: the pages were not built */
function redocPage(script: string | null): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLE} API reference</title>
<link rel="icon" href="${ICON}">
<style>${REDOC_STYLE}</style>
</head>
<body>
<redoc spec-url="/api/openapi.json" theme="${escapeHtml(JSON.stringify(REDOC_THEME))}"></redoc>
${script ?? "<p>The pages are not built. Run <code>npm run build</code> and start the service again.</p>"}
</body>
</html>
`;
}

function sha256(content: string): string {
  return createHash("sha256").update(content).digest("base64");
}
