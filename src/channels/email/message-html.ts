import { currentLanguage } from "../../../languages/text.ts";
import { escapeHtml } from "../../http/page.ts";
import type { Content, Link } from "./message-content.ts";
import { COLOURS, look, STYLE_SHEETS } from "./message-style.ts";
import type { Look } from "./message-style.ts";

/** In pixels. */
const WIDTH = 560;
const GAP = 8;
/** Least width of an option, and about what one character takes. */
const OPTION = 136;
const CHARACTER = 9;
/** Options that fit side by side into this many pixels do so, where there is room. */
const ROW = 500;

/** Returns the email as HTML. It uses tables and inline styles, because many clients support nothing else. */
export function htmlOf(content: Content): string {
  const { sentBack, details, settings } = content;
  const start = content.direction === "rtl" ? "right" : "left";
  const card = [
    ...(sentBack === null
      ? []
      : [table(`<tr><td ${look("back")}>${sentBackOf(sentBack)}</td></tr>`, 'width="100%"'), space(20)]),
    table(
      `<tr><td ${look(content.isSoon ? "soon" : "due")}>${escapeHtml(content.deadline)}</td></tr>`,
      `align="${start}"`,
    ),
    // What follows stands below, not beside.
    `<div style="clear:both;height:12px;line-height:12px;font-size:12px">&nbsp;</div>`,
    `<h1 dir="auto" ${look("heading")}>${escapeHtml(content.heading)}</h1>`,
    ...(content.asker === null ? [] : [space(4), block("note", content.asker)]),
    ...(content.delegated === null ? [] : [space(4), block("note", content.delegated)]),
    ...(details === null ? [] : [space(12), block("details", details.text), ...noteOf(details.note)]),
    space(16),
    ...factsOf(content),
    space(content.facts.length > 0 || content.more !== null ? 24 : 4),
    ...actsOf(content),
  ];
  const footer = [
    ...content.footer.map((line) => `<div dir="auto" ${look("footer")}>${escapeHtml(line)}</div>`),
    ...(settings === null ? [] : [`<div ${look("footer")}>${anchor("footerLink", settings)}</div>`]),
  ];
  const column = table(
    `<tr><td ${look("lead", "padding:0 4px 10px")}>${escapeHtml(content.lead)}</td></tr>
<tr><td bgcolor="${COLOURS.raised.light}" ${look("card")}>
${card.join("\n")}
</td></tr>
<tr><td class="foot" style="padding:14px 4px 0">
${footer.join("\n")}
</td></tr>`,
    `width="${WIDTH}" align="center"`,
    `width:100%;max-width:${WIDTH}px;table-layout:fixed`,
  );
  return page(
    content,
    table(
      `<tr><td class="around" align="center" style="padding:24px 12px 32px">
${column}
</td></tr>`,
      `width="100%" bgcolor="${COLOURS.page.light}"`,
      `background-color:${COLOURS.page.light}`,
      "page",
    ),
  );
}

function page({ direction, subject, preheader }: Content, body: string): string {
  return `<!doctype html>
<html lang="${currentLanguage()}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="x-apple-disable-message-reformatting">
<title>${escapeHtml(subject)}</title>
${STYLE_SHEETS.map(
  (sheet) => `<style>
${sheet}
</style>`,
).join("\n")}
</head>
<body ${look("page")}>
<div class="preheader" style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(preheader)}</div>
<div lang="${currentLanguage()}" dir="${direction}">
${body}
</div>
</body>
</html>
`;
}

/** For the eye only: what it holds is read as if there were no table. */
function table(rows: string, attributes: string, style = "", name = ""): string {
  const named = name === "" ? "" : ` class="${name}"`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" ${attributes}${named} style="border-collapse:separate;${style}"><tbody>
${rows}
</tbody></table>`;
}

function space(pixels: number): string {
  return `<div style="height:${pixels}px;line-height:${pixels}px;font-size:1px">&nbsp;</div>`;
}

/** Lines of a text, in the direction in which it is written. */
function block(name: Look, text: string): string {
  return `<div dir="auto" ${look(name)}>${escapeHtml(text).replaceAll("\n", "<br>\n")}</div>`;
}

function noteOf(note: string | null): string[] {
  return note === null ? [] : [space(4), block("note", note)];
}

function anchor(name: Look, { label, address }: Link): string {
  return `<a href="${escapeHtml(address)}" ${look(name)}>${escapeHtml(label)}</a>`;
}

function sentBackOf({ title, reason, advice }: NonNullable<Content["sentBack"]>): string {
  return [
    block("backTitle", title),
    ...(reason.text === "" ? [] : [space(4), block("backText", reason.text)]),
    ...(reason.note === null ? [] : [space(4), block("backText", reason.note)]),
    space(8),
    block("backText", advice),
  ].join("\n");
}

function factsOf({ facts, more }: Content): string[] {
  if (facts.length === 0 && more === null) return [];
  const rows = facts.map(
    ({ title, text }) =>
      `<tr><td dir="auto" width="32%" valign="top" ${look("title")}>${escapeHtml(title)}</td>` +
      `<td dir="auto" valign="top" ${look("value")}>${escapeHtml(text)}</td></tr>`,
  );
  const last = more === null ? [] : [`<tr><td colspan="2" ${look("more")}>${escapeHtml(more)}</td></tr>`];
  return [table([...rows, ...last].join("\n"), 'width="100%"', "width:100%;table-layout:fixed")];
}

/** Returns the buttons, or a statement instead. */
function actsOf({ decision, statement, promise, review }: Content): string[] {
  const further = review === null ? "" : ` ${anchor("link", review)}`;
  if (statement !== null)
    return [block("question", statement), `<div ${look("note")}>${escapeHtml(promise)}${further}</div>`];
  if (decision === null) return [...(review === null ? [] : [mainButton(review), space(12)]), block("note", promise)];
  return [
    block("question", decision.question),
    ...(decision.description === null ? [] : [block("note", decision.description)]),
    space(8),
    optionsOf(decision.options),
    space(12),
    `<div ${look("note")}>${escapeHtml(promise)}${further}</div>`,
  ];
}

/** All alike: as wide as the longest, side by side if they fit, and one below the other on a phone. */
function optionsOf(options: readonly Link[]): string {
  const cells = options.map(
    (option) =>
      `<td dir="auto" bgcolor="${COLOURS.raised.light}" ${look("option")}>${anchor("optionLink", option)}</td>`,
  );
  const longest = Math.max(...options.map(({ label }) => Array.from(label).length));
  const each = Math.max(OPTION, longest * CHARACTER + 40);
  const width = cells.length * each + (cells.length - 1) * GAP;
  if (width > ROW) {
    const gap = `<tr class="gap"><td style="height:${GAP}px;line-height:${GAP}px;font-size:1px">&nbsp;</td></tr>`;
    const rows = cells.map((cell) => `<tr>${cell}</tr>`);
    return table(rows.join(`\n${gap}\n`), 'width="100%"', "width:100%;table-layout:fixed", "rows");
  }
  const gap = `<td class="gap" width="${GAP}" style="width:${GAP}px;font-size:1px">&nbsp;</td>`;
  return table(
    `<tr>${cells.join(`\n${gap}\n`)}</tr>`,
    `width="${width}"`,
    `width:${width}px;max-width:100%;table-layout:fixed`,
    "columns",
  );
}

function mainButton(link: Link): string {
  return table(
    `<tr><td bgcolor="${COLOURS.accent.light}" ${look("main")}>${anchor("mainLink", link)}</td></tr>`,
    "",
    "",
    "wide",
  );
}
