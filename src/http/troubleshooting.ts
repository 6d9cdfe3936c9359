import type { FastifyPluginAsync } from "fastify";
import { ERRORS } from "../errors.ts";
import { STATUS_CODES } from "../lib/node-http.ts";
import { escapeHtml, formatText, PAGE_CSP, renderPage } from "./page.ts";

const TITLE = "Troubleshooting";
const INTRODUCTION = [
  "Every error is JSON with `error_code`, `message`, `docs` and `request_id`. In your program, compare `error_code` and not `message`: codes are stable across versions, messages may change.",
  "The `X-Request-Id` header of a response has the value of its `request_id`. The operator finds this id in the log. Errors with status 503 have a `Retry-After` header: wait that many seconds, then send the request again.",
];

interface Entry {
  code: string;
  message: string;
  help: string;
}

/** The page behind the `docs` link of an error body, with one anchor for each code. */
export const troubleshootingRoutes: FastifyPluginAsync = async (app) => {
  const html = renderPage({ title: `${TITLE} - Human Task Service`, body: body() });
  app.get("/docs/troubleshooting", { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ "content-security-policy": PAGE_CSP, "cache-control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(html),
  );
};

/** Returns the same entries as a file, for readers of the repository. */
export function troubleshootingMarkdown(): string {
  const sections = byStatus().flatMap(({ heading, entries }) => [
    `## ${heading}`,
    ...entries.flatMap(({ code, message, help }) => [`### \`${code}\``, message, help]),
  ]);
  return `${[`# ${TITLE}`, ...INTRODUCTION, ...sections].join("\n\n")}\n`;
}

function body(): string {
  const groups = byStatus();
  const index = groups.flatMap(({ entries }) => entries.map(({ code }) => `<li>${linkTo(code)}</li>`));
  const sections = groups.map(
    ({ heading, entries }) => `<h2>${escapeHtml(heading)}</h2>\n${entries.map(section).join("\n")}`,
  );
  return `<h1>${TITLE}</h1>
${INTRODUCTION.map((text) => `<p class="muted">${formatText(text)}</p>`).join("\n")}
<div class="beside">
<nav class="index" aria-labelledby="codes">
<h2 id="codes">Codes</h2>
<ul>${index.join("")}</ul>
</nav>
<div>
${sections.join("\n")}
</div>
</div>`;
}

function section({ code, message, help }: Entry): string {
  return `<section class="panel" id="${code}"><h3>${linkTo(code)}</h3><p>${formatText(message)}</p><p class="muted">${formatText(help)}</p></section>`;
}

function linkTo(code: string): string {
  return `<a href="#${code}"><code>${code}</code></a>`;
}

/** Returns the catalogue, grouped by status in ascending order. */
function byStatus(): { heading: string; entries: Entry[] }[] {
  const groups = Map.groupBy(Object.entries(ERRORS), ([, { status }]) => status);
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([status, errors]) => ({
      heading: `${status} ${STATUS_CODES[status] ?? ""}`.trim(),
      entries: errors.map(([code, { message, help }]) => ({ code, message, help })),
    }));
}
