import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { serveBuilt } from "../http/built.ts";
import { csp, ICON } from "../http/page.ts";

/** The addresses of the dashboard's own pages; which of them there is, the script decides. */
const PAGES = [
  "/",
  "/setup",
  "/login",
  "/passkey",
  "/inbox",
  "/batch",
  "/tasks/:id",
  "/stats",
  "/deliveries",
  "/agents",
  "/audit",
  "/users",
  "/playground",
  "/settings",
  "/settings/:part",
];

/** The dashboard: one page, and the files it loads. Everything it knows it asks of the API, as whoever is signed in. */
export const dashboardRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const head = await serveBuilt(app, "dashboard", "/assets/");
  if (head === null) app.log.warn("The pages are not built: run `npm run build` and start the service again");
  const html = page(head);
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
  for (const path of PAGES)
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      reply.headers(headers).type("text/html; charset=utf-8").send(html),
    );
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
