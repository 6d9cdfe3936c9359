import { directionFor } from "../../../languages/languages.ts";
import { textsElement } from "../../../languages/server.ts";
import { formatsFor } from "../../../form/payload/format.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import { currentLanguage, t } from "../../../languages/text.ts";
import { csp, escapeHtml, ICON } from "../../http/page.ts";
import { drawHeading, reviewSection } from "../../http/task-drawing.ts";

/** Links can leak, so the pages are not cached, indexed or framed. */
export const PAGE_HEADERS = {
  "content-security-policy": csp({ script: "'self'", style: "'self'", image: "'self' data: https:", form: "'self'" }),
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
};

/** HTML parts of the page with the form. */
export interface OpenPage {
  task: string;
  /** Who asks, in one line; null if nothing is said of it. */
  asker: string | null;
  /** Epoch milliseconds. */
  timeout_at: number;
  is_urgent: boolean;
  /** What counts if no one answers; "" if nothing does. */
  otherwise: string;
  time_zone: string | null;
  now: Date;
  direction: "ltr" | "rtl";
  /** HTML. */
  revision: string;
  payload: string;
  form: string;
  /** Data for the form's script: JSON that is safe in a script element. */
  data: string;
  /** HTML. */
  conversation: string;
  /** Something to be said before all else. */
  notice: { text: string; is_bad: boolean } | null;
  footer: string;
}

/** A page with the form of a task. @param head - what loads its style and script */
export function openPage(head: string, page: OpenPage): string {
  const notice =
    page.notice === null
      ? ""
      : `<p class="note${page.notice.is_bad ? " bad" : ""}" role="status">${escapeHtml(page.notice.text)}</p>`;
  return html({
    title: headingOf(page.task)[0],
    head,
    main: `
${drawHeading({ ...page, time_zone: page.time_zone ?? undefined })}
${notice}
${page.revision}${reviewSection(page.payload)}
<section aria-labelledby="reply"><h2 id="reply">${escapeHtml(t("Your answer"))}</h2><div class="sheet" id="form">${page.form}</div></section>
<section id="talk" class="talk" aria-labelledby="conversation">${page.conversation}</section>
<footer>${escapeHtml(page.footer)}</footer>`,
    data: page.data,
    direction: page.direction,
  });
}

/** @param ms - epoch milliseconds @param time_zone - null for UTC */
export function momentText(ms: number, time_zone: string | null): string {
  return formatsFor(undefined, time_zone ?? undefined, new Date(ms)).instant(ms)?.full_text ?? "";
}

/** A page that only says something. */
export interface MessagePage {
  title: string;
  /** What happened, whether anything was sent, and what to do. */
  says: readonly string[];
  /** The task it is about. */
  task?: string;
  /** Something was sent from here. */
  is_done?: boolean;
  /** A button that posts something. */
  act?: Posted;
  /** HTML below it, with a heading of its own. */
  more?: { title: string; html: string } | null;
  /** HTML of a conversation, and the form that what is written there is posted with. */
  talk?: { html: string; form: { id: string } & Omit<Posted, "label"> } | null;
}

/** Something that a button posts. */
interface Posted {
  label: string;
  action: string;
  hidden: Readonly<Record<string, string>>;
}

/** A tick, and the letter i. */
const DONE =
  '<svg class="icon done" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path d="M5 8.2l2.1 2.1L11 6"/></svg>';
const INFO =
  '<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path d="M8 7.3v4M8 4.7v.1"/></svg>';

export function messagePage(
  head: string,
  { title, says, task, more, act, talk, is_done = false }: MessagePage,
): string {
  return html({
    title,
    head,
    direction: directionFor(null, task ?? ""),
    main: `
<div class="sheet over">
${is_done ? DONE : INFO}
<h1>${escapeHtml(title)}</h1>
${task === undefined ? "" : `<p class="about" dir="auto">${escapeHtml(headingOf(task)[0])}</p>`}
${says.map((sentence) => `<p dir="auto">${escapeHtml(sentence)}</p>`).join("\n")}
${act === undefined ? "" : buttonOf(act)}
</div>
${more == null ? "" : `<section aria-labelledby="more"><h2 id="more">${escapeHtml(more.title)}</h2>${more.html}</section>`}
${talk == null ? "" : talkSection(talk)}`,
  });
}

function talkSection({ html: conversation, form }: NonNullable<MessagePage["talk"]>): string {
  const { id, action, hidden } = form;
  return `<section class="talk" aria-labelledby="conversation">${conversation}<form id="${id}" method="post" action="${escapeHtml(action)}">${inputsOf(hidden)}</form></section>`;
}

function buttonOf({ label, action, hidden }: Posted): string {
  return `<form class="answer" method="post" action="${escapeHtml(action)}">${inputsOf(hidden)}<button type="submit" class="quiet">${escapeHtml(label)}</button></form>`;
}

function inputsOf(hidden: Posted["hidden"]): string {
  return Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("");
}

interface Parts {
  title: string;
  head: string;
  main: string;
  data?: string;
  direction?: "ltr" | "rtl";
}

function html({ title, head, main, data, direction = "ltr" }: Parts): string {
  const texts = textsElement(currentLanguage());
  const script = data === undefined ? "" : `<script type="application/json">${data}</script>\n${texts}`;
  return `<!doctype html>
<html lang="${currentLanguage()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
${head}
</head>
<body>
<main class="page" dir="${direction}">${main}
</main>
${script}</body>
</html>
`;
}
