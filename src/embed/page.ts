import { createHash } from "node:crypto";
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import type { Config } from "../config.ts";
import { serveBuilt } from "../http/built.ts";
import { csp, escapeHtml, ICON } from "../http/page.ts";
import { accentStyle } from "./accent.ts";

/** Path of the page and its files. */
const PATH = "/embed";

/**
 * The page that other products show in a frame, and the files it loads. It contains nothing about a task: the token is in
 * the fragment, which is never sent, and the page's script calls the API. `?theme=light|dark` and `?accent=<hex>` set its look.
 * Only the listed origins may frame it. (spec: Embed server configuration)
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

/** Shows the error code, for support. */
const code = (name: string) => `<p class="about">Code <code>${name}</code></p>`;

const PANELS: readonly Panel[] = [
  {
    id: "exhausted",
    title: "The answer didn't pass the check",
    says: "No attempts are left. The agent has been told.",
    more: `<p data-message></p>`,
  },
  {
    id: "TASK_ALREADY_TERMINAL",
    title: "This task is already closed",
    says: "There's nothing more to do.",
    more: `<p data-message></p>`,
  },
  {
    id: "INVALID_EMBED_TOKEN",
    title: "This form has expired",
    says: "Nothing was sent. Reload the page to continue.",
  },
  {
    id: "EMBED_ORIGIN_NOT_ALLOWED",
    title: "This form was made for a different website",
    says: "It cannot be opened here. Nothing was sent.",
  },
  {
    id: "TASK_NOT_FOUND",
    title: "Task not found",
    says: "The task was deleted. Nothing was sent.",
  },
  {
    id: "NEEDS_A_PERSON",
    title: "This cannot be answered here",
    says: "Only people of the directory can decide this, and this form cannot tell who you are. Nothing was sent. Use the dashboard, your email or Slack.",
  },
  {
    id: "internal",
    title: "The form could not be loaded",
    says: "Nothing was sent. Check your connection and try again.",
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

/** All panels of the page. Its script shows one at a time. */
const PARTS = `
<div id="loading" role="status"><span class="unseen">Loading the form</span></div>
<div id="open" hidden>
<div id="task"></div>
<p class="note warn" id="expired" role="status" hidden>This form has expired. Your answers are kept: reload the page before you submit.</p>
<section aria-labelledby="reply"><h2 id="reply">Your answer</h2><div class="sheet" id="form"></div></section>
<section id="talk" class="talk" aria-label="Conversation"><div class="answer"><button type="button" class="quiet">Ask or comment</button><p class="error" role="alert"></p></div></section>
</div>
${panel({ id: "sent", title: "Submitted", says: "Thank you. Your answer was sent to the agent." }, DONE)}
${PANELS.map((each) => panel(each)).join("\n")}
<noscript><p>This form needs JavaScript.</p></noscript>`;

const OFF = `<p>Embedding is not set up: the service has no <code>SERVICE_EMBED_SIGNING_SECRET</code>.</p>${code("EMBED_NOT_CONFIGURED")}`;
const NOT_BUILT =
  "<p>This page isn't available. The service was started without its web pages (<code>npm run build</code>). Nothing was sent.</p>";

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
