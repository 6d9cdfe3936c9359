import { createHash } from "node:crypto";

/** The icon in the browser tab: a ticked box. */
export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%234C45D6'/%3E%3Cpath d='M4.5 8.2l2.4 2.4 4.6-5' fill='none' stroke='%23fff' stroke-width='1.75' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E";

/** Returns the icon of the product as an SVG file. */
export function iconFile(): string {
  return decodeURIComponent(ICON.slice(ICON.indexOf(",") + 1));
}

const STYLE = `
:root { color-scheme: light dark; --page: #F7F8FA; --raised: #FFFFFF; --line: #E3E6EC; --text: #14171F; --text-2: #545C6B;
  --accent: #4C45D6; --accent-soft: #EEEDFC; --code: #EEF0F4; --shadow: 0 1px 2px rgb(16 24 40/.05); }
@media (prefers-color-scheme: dark) {
  :root { --page: #161922; --raised: #1B1F2A; --line: #2B313F; --text: #ECEFF5; --text-2: #A9B1C1;
    --accent: #9C97FF; --accent-soft: #262450; --code: #232835; --shadow: none; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/24px system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: 3px; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
pre { font: 13px/20px ui-monospace, monospace; background: var(--code); border-radius: 6px; padding: 12px; margin: 8px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
code { font: 0.9em/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px; padding: 1px 5px; overflow-wrap: anywhere; }
h1 { font-size: 26px; line-height: 34px; font-weight: 600; letter-spacing: -0.01em; margin: 0 0 12px; }
h2 { font-size: 18px; line-height: 26px; font-weight: 600; margin: 32px 0 12px; }
h3 { font-size: 15px; line-height: 24px; font-weight: 600; margin: 0; }
h4 { font-size: 13px; line-height: 20px; font-weight: 600; margin: 16px 0 0; }
p { margin: 8px 0 0; max-width: 68ch; }
.page { max-width: 1080px; margin: 0 auto; padding: 0 20px 48px; }
.top { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; padding: 20px 0; margin-bottom: 24px; border-bottom: 1px solid var(--line); font-size: 14px; line-height: 20px; }
.top a { color: var(--text-2); text-decoration: none; padding: 4px 0; }
.top a:hover { color: var(--text); text-decoration: underline; }
.top .name { color: var(--text); font-weight: 600; margin-right: auto; }
.muted { color: var(--text-2); }
.panel { background: var(--raised); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); padding: 16px 20px; margin: 0 0 12px; }
.panel:target { border-color: var(--accent); background: var(--accent-soft); outline: 1px solid var(--accent); }
.panel h3 a, .doors h2 a { color: inherit; text-decoration: none; }
.panel h3 a:hover, .doors h2 a:hover { text-decoration: underline; }
.panel h3 code { background: none; padding: 0; }
.fields { margin: 0; }
.fields > div { padding: 8px 0; border-top: 1px solid var(--line); }
.fields > div:first-child { border-top: 0; }
.fields dd { margin: 0; overflow-wrap: anywhere; }
.fields .fields { margin: 8px 0 0; padding-left: 12px; border-left: 2px solid var(--line); }
.beside { margin-top: 32px; }
.index h2 { font-size: 13px; line-height: 20px; margin: 16px 0 0; }
.index h2:first-child { margin-top: 0; }
.index ul { list-style: none; margin: 0; padding: 0; }
.index { font-size: 13px; line-height: 20px; }
.index a { display: block; padding: 4px 0; text-decoration: none; }
.index a:hover { text-decoration: underline; }
.index code { background: none; padding: 0; font-size: 12px; }
.doors { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 260px), 1fr)); margin-top: 24px; }
.doors .panel { margin: 0; }
.doors h2 { font-size: 15px; line-height: 24px; margin: 0; }
.doors + p { margin-top: 24px; }
@media (max-width: 559px) { .top .name { flex-basis: 100%; } }
@media (max-width: 959px) { .index ul { columns: 15em; column-gap: 20px; } .index { margin-top: 24px; } }
@media (min-width: 960px) {
  .beside { display: grid; grid-template-columns: 264px minmax(0, 1fr); gap: 48px; align-items: start; }
  .index { position: sticky; top: 16px; max-height: calc(100vh - 32px); overflow-y: auto; }
  .beside h2:first-child { margin-top: 0; }
}
`;

/** The name of the product and the pages besides the dashboard. */
export const HEADER = `<a class="name" href="/">Human Task Service</a><a href="/api/docs">API docs</a><a href="/api/redoc">API reference</a><a href="/docs/troubleshooting">Troubleshooting</a>`;

/** For pages made with `renderPage`: it allows their style sheet and their icon only. */
export const PAGE_CSP = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * Returns a page without scripts, in light and dark, for phones and desktops.
 *
 * @param body - HTML with all untrusted text escaped
 */
export function renderPage({ title, body }: { title: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<div class="page">
<header class="top">${HEADER}</header>
<main>
${body}
</main>
</div>
</body>
</html>
`;
}

/** Returns text as HTML. Backticks mark code, and two asterisks mark important text. */
export function formatText(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

interface PolicyParts {
  script: string;
  style: string;
  worker?: string;
  /** Default: this service and images inside the page. */
  image?: string;
  font?: string;
  /** What it may show in frames. */
  frame?: string;
  form?: string;
  /** The sites that may show the page in a frame. */
  ancestors?: string;
}

/**
 * Returns the policy of a page with scripts. It allows the given sources, calls to this service, and images of this
 * service and inside the page. It forbids everything else.
 */
export function csp({
  script,
  style,
  worker,
  image = "'self' data:",
  font,
  frame,
  form = "'none'",
  ancestors = "'none'",
}: PolicyParts): string {
  return [
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${style}`,
    ...(worker === undefined ? [] : [`worker-src ${worker}`]),
    ...(font === undefined ? [] : [`font-src ${font}`]),
    ...(frame === undefined ? [] : [`frame-src ${frame}`]),
    `img-src ${image}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${form}`,
    `frame-ancestors ${ancestors}`,
  ].join("; ");
}
