import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { readBuilt, serveBuilt } from "../http/built.ts";
import { csp, ICON, iconFile } from "../http/page.ts";

/** The addresses of the dashboard's own pages; which of them there is, the script decides. */
const PAGES = [
  "/",
  "/inbox",
  "/batch",
  "/tasks/:id",
  "/stats",
  "/deliveries",
  "/agents",
  "/audit",
  "/users",
  "/groups",
  "/playground",
  "/settings",
  "/settings/:part",
];
/** Those that do not ask first who is signed in. */
const PAGES_BEFORE_SIGN_IN = ["/setup", "/login", "/passkey", "/invitation"];
/** The answer is then on its way while the scripts are loaded. The script's request takes it over. */
const ASK_WHO_IT_IS = `<link rel="preload" href="/api/auth/me" as="fetch" crossorigin>`;

/** The dashboard: one page, and the files it loads. Everything it knows it asks of the API, as whoever is signed in. */
export const dashboardRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const head = await serveBuilt(app, "dashboard", "/assets/");
  if (head === null) app.log.warn("The pages are not built: run `npm run build` and start the service again");
  const headers = {
    "content-security-policy": csp({
      script: "'self'",
      style: "'self'",
      font: "'self'",
      // A file that a task names is loaded by the page, and shown from its memory.
      image: "'self' data: https: blob:",
      frame: "blob:",
      form: "'self'",
    }),
    "cache-control": "no-cache",
  };
  const worker = readBuilt("worker/worker.js");
  if (worker !== null)
    // Browsers look for a new one from time to time; what it does is what its page could do.
    app.get("/worker.js", { schema: { hide: true } }, async (_request, reply) =>
      reply
        .headers({ "content-security-policy": "default-src 'none'; connect-src 'self'", "cache-control": "no-cache" })
        .type("text/javascript; charset=utf-8")
        .send(worker),
    );
  // The icon of notifications; a tab has it in its page.
  app.get("/icon.svg", { schema: { hide: true } }, async (_request, reply) =>
    reply.header("cache-control", "max-age=86400").type("image/svg+xml").send(iconFile()),
  );
  const serve = (paths: readonly string[], html: string) => {
    for (const path of paths)
      app.get(path, { schema: { hide: true } }, async (_request, reply) =>
        reply.headers(headers).type("text/html; charset=utf-8").send(html),
      );
  };
  serve(PAGES, page(head === null ? null : `${ASK_WHO_IT_IS}\n${head}`));
  serve(PAGES_BEFORE_SIGN_IN, page(head));
};

function page(head: string | null): string {
  const body =
    head === null
      ? "<p>The pages are not built. Run <code>npm run build</code> and start the service again.</p>"
      : "<noscript><p>The dashboard needs JavaScript. Answers can also be given through the API.</p></noscript>";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Human Task Service</title>
<link rel="icon" href="${ICON}">
${head ?? ""}
</head>
<body>
<div id="root">${body}</div>
</body>
</html>
`;
}
