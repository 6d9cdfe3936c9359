import { createHash } from "node:crypto";
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import type { Config } from "../config.ts";
import { serveBuilt } from "../http/built.ts";
import { csp, escapeHtml, ICON } from "../http/page.ts";
import { accentStyle } from "./accent.ts";

/** Where the page and its files lie. */
const PATH = "/embed";

/**
 * The page that other products hold in a frame, and the files it loads. It knows nothing of any task: the token stands in
 * the fragment, which is never sent, and its script asks the API. `?theme=light|dark` and `?accent=<hex>` say how it looks.
 * Everything here may be framed by the listed origins, and by nobody else. (spec: Embed server configuration)
 */
export const embedPage: FastifyPluginAsync<{ ctx: { config: Config } }> = async (app, { ctx }) => {
  const { embed } = ctx.config;
  const ancestors = embed === null || embed.parentOrigins.length === 0 ? "'none'" : embed.parentOrigins.join(" ");
  app.addHook("onRequest", (_request, reply, done) => {
    void reply.header("content-security-policy", `default-src 'none'; frame-ancestors ${ancestors}`);
    done();
  });
  const head = await serveBuilt(app, "embed", `${PATH}/`);

  app.get<{ Querystring: Record<string, unknown> }>(PATH, { schema: { hide: true } }, async ({ query }, reply) => {
    const style = accentStyle(query["accent"]);
    const policy = csp({
      script: "'self'",
      style: style === "" ? "'self'" : `'self' 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      image: "'self' data: https:",
      ancestors,
    });
    void reply.headers({ "content-security-policy": policy, "cache-control": "no-cache", "x-robots-tag": "noindex" });
    const theme = query["theme"] === "light" || query["theme"] === "dark" ? query["theme"] : null;
    if (embed === null) return send(reply, 404, html({ head: head ?? "", theme, style, parts: OFF }));
    if (head === null) return send(reply, 503, html({ head: "", theme, style, parts: NOT_BUILT }));
    return send(reply, 200, html({ head, theme, style, parts: PARTS }));
  });
};

function send(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).type("text/html; charset=utf-8").send(page);
}

interface Panel {
  id: string;
  title: string;
  /** What happened, whether anything was sent, and what to do. */
  says: string;
  /** HTML below. */
  more?: string;
}

/** Which code it is, for whoever is asked for help. */
const code = (name: string) => `<p class="about">Code <code>${name}</code></p>`;

const PANELS: readonly Panel[] = [
  {
    id: "exhausted",
    title: "The answer did not pass the checks",
    says: "It was checked, and it was the last try. Whoever asked knows.",
    more: `<p data-message></p>`,
  },
  {
    id: "TASK_ALREADY_TERMINAL",
    title: "No answer is needed any more",
    says: "Nothing is left to do here.",
    more: `<p data-message></p>`,
  },
  {
    id: "INVALID_EMBED_TOKEN",
    title: "This form cannot be opened any more",
    says: "It may have been open for too long. Nothing was sent. Reload the page to open it anew.",
  },
  {
    id: "EMBED_ORIGIN_NOT_ALLOWED",
    title: "This form belongs on another page",
    says: "It was opened for a page of another address, and does not open here. Nothing was sent.",
  },
  {
    id: "TASK_NOT_FOUND",
    title: "There is nothing to answer here",
    says: "The task is gone. Nothing was sent.",
  },
  {
    id: "internal",
    title: "The form could not be loaded",
    says: "Nothing was sent. Look at the connection, and try again in a moment.",
    more: `<p><button type="button" id="retry">Try again</button></p>`,
  },
];

/** A tick, and the letter i. */
const DONE = `<svg class="icon done" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path d="M5 8.2l2.1 2.1L11 6"/></svg>`;
const INFO = `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path d="M8 7.3v4M8 4.7v.1"/></svg>`;

function panel({ id, title, says, more = "" }: Panel, icon = INFO): string {
  const isCode = id !== "exhausted" && id !== "sent";
  return `<section class="sheet over" id="${id}" role="status" tabindex="-1" hidden>
${icon}
<h1>${title}</h1>
<div>${more.includes("data-message") ? `${more}<p>${says}</p>` : `<p>${says}</p>${more}`}</div>
${isCode ? code(id) : ""}
</section>`;
}

/** Everything that the page may say; its script shows one part at a time. */
const PARTS = `
<div id="loading" role="status"><span class="unseen">Loading the form</span></div>
<div id="open" hidden>
<div id="task"></div>
<p class="note warn" id="expired" role="status" hidden>This form has been open for too long. What you entered is kept: ask the page to reload it before you send.</p>
<section aria-labelledby="reply"><h2 id="reply">Your answer</h2><div class="sheet" id="form"></div></section>
</div>
${panel({ id: "sent", title: "Submitted", says: "Thank you. Whoever asked has your answer now." }, DONE)}
${PANELS.map((each) => panel(each)).join("\n")}
<noscript><p>This form needs JavaScript.</p></noscript>`;

const OFF = `<p>Forms cannot be embedded here: the server has no <code>SERVICE_EMBED_SIGNING_SECRET</code>.</p>${code("EMBED_NOT_CONFIGURED")}`;
const NOT_BUILT =
  "<p>The server's pages are not built: its operator runs <code>npm run build</code>. Nothing was sent.</p>";

interface Parts {
  head: string;
  theme: "light" | "dark" | null;
  /** CSS that the policy knows by its hash. */
  style: string;
  /** HTML. */
  parts: string;
}

function html({ head, theme, style, parts }: Parts): string {
  return `<!doctype html>
<html lang="en"${theme === null ? "" : ` data-theme="${escapeHtml(theme)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Task form</title>
<link rel="icon" href="${ICON}">
${head}${style === "" ? "" : `\n<style>${style}</style>`}
</head>
<body>
<main class="page">${parts}
</main>
</body>
</html>
`;
}
