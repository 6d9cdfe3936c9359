import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { ServiceError } from "../errors.ts";
import { csp, escapeHtml, ICON } from "../http/page.ts";
import { readBuiltPage, type BuiltPage } from "./files.ts";

/** The addresses of the dashboard's own pages; which of them there is, the script decides. */
const PAGES = ["/setup", "/login", "/inbox", "/tasks/:id"];

/** The dashboard: one page, and the files it loads. Everything it knows it asks of the API, as whoever is signed in. */
export const dashboardRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const built = await readBuiltPage("dashboard");
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
      reply.headers(headers).type("text/html; charset=utf-8").send(page(built)),
    );

  app.get(
    "/assets/:file",
    { schema: { hide: true, params: Type.Object({ file: Type.String() }) } },
    async (request, reply) => {
      const file = built?.files.get(request.params.file);
      if (file === undefined) throw new ServiceError("NOT_FOUND");
      void reply
        .headers({ "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" })
        .type(file.type);
      const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "") && file.compressed !== file.source;
      return takesGzip ? reply.header("content-encoding", "gzip").send(file.compressed) : reply.send(file.source);
    },
  );
};

function page(built: BuiltPage | null): string {
  const parts =
    built === null
      ? {
          head: "",
          body: "<p>The pages are not built. Run <code>npm run build</code> and start the service again.</p>",
        }
      : {
          head: `<link rel="stylesheet" href="/assets/${escapeHtml(built.style)}">
<script type="module" src="/assets/${escapeHtml(built.script)}"></script>`,
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
