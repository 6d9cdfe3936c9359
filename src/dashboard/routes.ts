import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fastifyStatic } from "@fastify/static";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { csp, escapeHtml, ICON } from "../http/page.ts";

/** The addresses of the dashboard's own pages; which of them there is, the script decides. */
const PAGES = [
  "/",
  "/setup",
  "/login",
  "/inbox",
  "/tasks/:id",
  "/stats",
  "/deliveries",
  "/users",
  "/playground",
  "/settings",
  "/settings/:part",
];

/** What `npm run build` has made; the names carry a hash of what is in the files. */
const BUILT = fileURLToPath(new URL("../../web/dist/dashboard", import.meta.url));

interface Manifest {
  readonly script: string;
  /** What the script imports. */
  readonly imports: readonly string[];
  readonly style: string;
}

/** The dashboard: one page, and the files it loads. Everything it knows it asks of the API, as whoever is signed in. */
export const dashboardRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const manifest = readManifest();
  const headers = {
    "content-security-policy": csp({
      script: "'self'",
      style: "'self'",
      font: "'self'",
      image: "'self' data: https:",
      form: "'self'",
    }),
    "cache-control": "no-cache",
  };
  for (const path of PAGES)
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply.headers(headers).type("text/html; charset=utf-8").send(page(manifest)),
    );
  if (manifest !== null)
    await app.register(fastifyStatic, {
      root: BUILT,
      prefix: "/assets/",
      schemaHide: true,
      index: false,
      // Files of that folder, by name.
      allowedPath: (path) => /^\/[\w-]+\.\w+$/.test(path),
      decorateReply: false,
      preCompressed: true,
      immutable: true,
      maxAge: "365d",
    });
};

/** @returns null: the pages were not built */
function readManifest(): Manifest | null {
  try {
    return JSON.parse(readFileSync(`${BUILT}.json`, "utf8")) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function page(manifest: Manifest | null): string {
  const parts =
    manifest === null
      ? {
          head: "",
          body: "<p>The pages are not built. Run <code>npm run build</code> and start the service again.</p>",
        }
      : {
          head: `<link rel="stylesheet" href="/assets/${escapeHtml(manifest.style)}">
${manifest.imports.map((name) => `<link rel="modulepreload" href="/assets/${escapeHtml(name)}">\n`).join("")}<script type="module" src="/assets/${escapeHtml(manifest.script)}"></script>`,
          body: "<noscript><p>The dashboard needs JavaScript. Answers can also be given through the API.</p></noscript>",
        };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Human Task Service</title>
<link rel="icon" href="${ICON}">
${parts.head}
</head>
<body>
<div id="root">${parts.body}</div>
</body>
</html>
`;
}
