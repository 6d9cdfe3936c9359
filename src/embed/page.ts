import { createHash } from "node:crypto";
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import { currentLanguage, t } from "../../languages/text.ts";
import type { Config } from "../config.ts";
import { textsElement } from "../../languages/server.ts";
import { forReader } from "../http/language.ts";
import { serveBuilt } from "../http/built.ts";
import { csp, escapeHtml, ICON } from "../http/page.ts";
import { richHtml } from "../http/rich-html.ts";
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

  app.get<{ Querystring: Record<string, unknown> }>(PATH, { schema: { hide: true } }, async (request, reply) => {
    const { query } = request;
    const style = accentStyle(query["accent"]);
    const policy = csp({
      script: "'self'",
      style: style === "" ? "'self'" : `'self' 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      image: "'self' data: https:",
      ancestors,
    });
    void reply.headers({
      "content-security-policy": policy,
      "cache-control": "no-cache",
      "x-robots-tag": "noindex",
      vary: "accept-language",
    });
    const theme = query["theme"] === "light" || query["theme"] === "dark" ? query["theme"] : null;
    const chosen = typeof query["locale"] === "string" ? query["locale"] : null;
    return forReader(request, { chosen }, () => {
      if (embed === null) return send(reply, 404, html({ head: head ?? "", theme, style, parts: offPart() }));
      if (head === null) return send(reply, 503, html({ head: "", theme, style, parts: notBuiltPart() }));
      return send(reply, 200, html({ head, theme, style, parts: partsOf() }));
    });
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
function codeOf(name: string): string {
  return `<p class="about">${richHtml("Code {code}", { code: `<code>${name}</code>` })}</p>`;
}

function panels(): Panel[] {
  return [
    {
      id: "exhausted",
      title: t("The answer didn't pass the check"),
      says: t("No attempts are left. The agent has been told."),
      more: `<p data-message></p>`,
    },
    {
      id: "TASK_ALREADY_TERMINAL",
      title: t("This task is already closed"),
      says: t("There's nothing more to do."),
      more: `<p data-message></p>`,
    },
    {
      id: "INVALID_EMBED_TOKEN",
      title: t("This form has expired"),
      says: t("Nothing was sent. Reload the page to continue."),
    },
    {
      id: "EMBED_ORIGIN_NOT_ALLOWED",
      title: t("This form was made for a different website"),
      says: t("It cannot be opened here. Nothing was sent."),
    },
    {
      id: "TASK_NOT_FOUND",
      title: t("Task not found"),
      says: t("The task was deleted. Nothing was sent."),
    },
    {
      id: "NEEDS_A_PERSON",
      title: t("This cannot be answered here"),
      says: t(
        "Only people of the directory can decide this, and this form cannot tell who you are. Nothing was sent. Use the dashboard, your email or Slack.",
      ),
    },
    {
      id: "internal",
      title: t("The form could not be loaded"),
      says: t("Nothing was sent. Check your connection and try again."),
      more: `<p><button type="button" id="retry">${escapeHtml(t("Try again"))}</button></p>`,
    },
  ];
}

/** A tick, and the letter i. */
const DONE = `<svg class="icon done" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path d="M5 8.2l2.1 2.1L11 6"/></svg>`;
const INFO = `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path d="M8 7.3v4M8 4.7v.1"/></svg>`;

function panel({ id, title, says, more = "" }: Panel, icon = INFO): string {
  const isCode = id !== "exhausted" && id !== "sent";
  const text = `<p>${escapeHtml(says)}</p>`;
  return `<section class="sheet over" id="${id}" role="status" tabindex="-1" hidden>
${icon}
<h1>${escapeHtml(title)}</h1>
<div>${more.includes("data-message") ? `${more}${text}` : `${text}${more}`}</div>
${isCode ? codeOf(id) : ""}
</section>`;
}

/** Returns all panels of the page. Its script shows one at a time. */
function partsOf(): string {
  const sent = { id: "sent", title: t("Submitted"), says: t("Thank you. Your answer was sent to the agent.") };
  const expired = t("This form has expired. Your answers are kept: reload the page before you submit.");
  return `
<div id="loading" role="status"><span class="unseen">${escapeHtml(t("Loading the form"))}</span></div>
<div id="open" hidden>
<div id="task"></div>
<p class="note warn" id="expired" role="status" hidden>${escapeHtml(expired)}</p>
<section aria-labelledby="reply"><h2 id="reply">${escapeHtml(t("Your answer"))}</h2><div class="sheet" id="form"></div></section>
<section id="talk" class="talk" aria-label="${escapeHtml(t("Conversation"))}"><div class="answer"><button type="button" class="quiet">${escapeHtml(t("Ask or comment"))}</button><p class="error" role="alert"></p></div></section>
</div>
${panel(sent, DONE)}
${panels()
  .map((each) => panel(each))
  .join("\n")}
<noscript><p>${escapeHtml(t("This form needs JavaScript."))}</p></noscript>`;
}

function offPart(): string {
  const says = richHtml("Embedding is not set up: the service has no {variable}.", {
    variable: "<code>SERVICE_EMBED_SIGNING_SECRET</code>",
  });
  return `<p>${says}</p>${codeOf("EMBED_NOT_CONFIGURED")}`;
}

function notBuiltPart(): string {
  const says = richHtml("The service was started without its web pages ({command}). Nothing was sent.", {
    command: "<code>npm run build</code>",
  });
  return `<p>${escapeHtml(t("This page isn't available."))} ${says}</p>`;
}

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
<html lang="${currentLanguage()}"${theme === null ? "" : ` data-theme="${escapeHtml(theme)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(t("Task form"))}</title>
<link rel="icon" href="${ICON}">
${head}${style === "" ? "" : `\n<style>${style}</style>`}
</head>
<body>
<main class="page">${parts}
</main>
${textsElement(currentLanguage())}</body>
</html>
`;
}
