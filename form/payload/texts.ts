import { plural, t } from "../../languages/text.ts";
import { anyDate, dateShown } from "./dates.ts";
import { isDateTimeText } from "./date-format.ts";
import type { Hints } from "./hints.ts";
import { jsonText } from "./json.ts";
import { count, MAX_CHIP, rest, takeStart } from "./limits.ts";
import { isImageData, safeImage, safeLink } from "./links.ts";
import type { Rest, Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import { choiceShown } from "./scalars.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { isUnifiedDiff } from "./unified-diff.ts";

export function planText(planning: Planning, subject: Subject, value: string, layers: Layers): Shown {
  if (value === "") return { kind: "empty", what: "text" };
  return (
    choiceShown(planning, value, layers, subject.hints) ??
    byMediaType(planning, value, layers) ??
    byFormat(planning, value, schema.textOf(layers, "format")) ??
    byShape(planning, value) ??
    limited(planning, "text", value)
  );
}

function byMediaType(planning: Planning, value: string, layers: Layers): Shown | null {
  const type = schema.textOf(layers, "contentMediaType")?.toLowerCase().split(";")[0]?.trim();
  if (type === undefined) return null;
  const isBase64 = schema.textOf(layers, "contentEncoding")?.toLowerCase() === "base64";
  if (type.startsWith("image/")) {
    const image = safeImage(isBase64 ? `data:${type};base64,${value.replaceAll(/\s/g, "")}` : value);
    if (image !== null) return { kind: "image", ...image };
    return isBase64 ? fileShown(planning, type, base64Size(value)) : null;
  }
  if (isBase64) return value.length > MAX_CHIP ? fileShown(planning, type, base64Size(value)) : null;
  if (type === "text/markdown" || type === "text/x-markdown") return limited(planning, "markdown", value);
  if (type === "text/html" || type === "application/xhtml+xml") return limited(planning, "html", value);
  if (type === "application/json" || type.endsWith("+json")) return jsonSource(planning, value);
  if (type === "text/plain") return limited(planning, "text", value);
  return source(planning, value, languageOfType(type));
}

function byFormat(planning: Planning, value: string, format: string | null): Shown | null {
  switch (format) {
    case "markdown":
      return limited(planning, "markdown", value);
    case "html":
      return limited(planning, "html", value);
    case "json":
      return jsonSource(planning, value);
    case "code":
      return source(planning, value, null);
    case "date":
      return dateShown("date", value, planning.formats.date(value));
    case "time":
      return dateShown("time", value, planning.formats.time(value));
    case "date-time":
      return anyDate(planning, value);
    case "email":
    case "idn-email":
      return mailLink(value);
    case "uri":
    case "iri":
    case "url": {
      const link = safeLink(value, value);
      return link === null ? null : { kind: "link", text: value, ...link };
    }
    case "image":
    case "image-url": {
      const image = safeImage(value);
      return image === null ? null : { kind: "image", ...image };
    }
    default:
      return null;
  }
}

/** Recognizes a text that is only a link, an address, a picture or a date, even without a schema. */
function byShape(planning: Planning, value: string): Shown | null {
  if (isUnifiedDiff(value)) return source(planning, value, "diff");
  if (isImageData(value)) return { kind: "image", src: value, host: null };
  const data = DATA_URI.exec(value);
  if (data !== null) {
    const [start, type = "", isBase64] = data;
    const content = value.slice(start.length);
    // A short one is easy to read.
    if (content.length <= MAX_CHIP && !type.startsWith("image/")) return null;
    const size = isBase64 === undefined ? content.replaceAll(/%[0-9a-f]{2}/gi, "x").length : base64Size(content);
    return fileShown(planning, type.toLowerCase(), size);
  }
  if (/^https?:\/\/\S+$/i.test(value)) {
    const link = safeLink(value, value);
    return link === null ? null : { kind: "link", text: value, ...link };
  }
  if (value.length > 254) return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return dateShown("date", value, planning.formats.date(value));
  if (isDateTimeText(value)) return anyDate(planning, value);
  return mailLink(value);
}

/** Matches an address that contains a file. */
const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)(?:;(?!base64,)[^;,]*)*(;base64)?,/i;

function base64Size(text: string): number {
  return Math.floor((text.replaceAll(/[\s=]/g, "").length * 3) / 4);
}

/** "SVG image, 12 kB, not shown" */
function fileShown(planning: Planning, type: string, bytes: number): Shown {
  const [kind, name = ""] = type.split("/");
  const short = name.replace(/^x-|\+.*$/g, "").slice(0, 30);
  const what =
    kind === "image"
      ? t("{format} image", { format: short.toUpperCase() })
      : name === "pdf"
        ? t("PDF file")
        : t("File ({type})", { type: type.slice(0, MAX_CHIP) });
  const size =
    bytes < 1_000 ? plural(bytes, "{n} byte", "{n} bytes") : `${count(planning, Math.round(bytes / 1_000))} kB`;
  return { kind: "file", text: t("{what}, {size}, not shown", { what, size }) };
}

function mailLink(value: string): Shown | null {
  if (!/^[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(value)) return null;
  const link = safeLink(`mailto:${value}`, value);
  return link === null ? null : { kind: "link", text: value, ...link };
}

export function limited(planning: Planning, kind: "text" | "markdown" | "html", text: string): Shown {
  if (text === "") return { kind: "empty", what: "text" };
  return { kind, ...takeText(planning, text) };
}

export function source(planning: Planning, text: string, language: string | null): Shown {
  return { kind: "code", language, ...takeText(planning, text) };
}

/** Shows JSON in a text: indented if it is valid. */
function jsonSource(planning: Planning, text: string): Shown {
  try {
    return json(planning, JSON.parse(text));
  } catch {
    return source(planning, text, "json");
  }
}

export function json(planning: Planning, value: unknown): Shown {
  const start = takeStart(planning);
  const { text, left_out } = jsonText(value, start + Math.min(planning.textLength, planning.characters));
  planning.characters -= text.length - start;
  return { kind: "json", text: text.slice(start), language: "json", ...rest(left_out, text.length) };
}

function takeText(planning: Planning, text: string): { text: string } & Rest {
  const start = takeStart(planning);
  let end = Math.min(text.length, start + Math.min(planning.textLength, planning.characters));
  // Do not cut a surrogate pair in half.
  if (end < text.length && end > start && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
  planning.characters -= end - start;
  return { text: text.slice(start, end), ...rest(text.length - end, end) };
}

export function languageOf(hints: Hints, layers: Layers): string | null {
  const language = hints.options.get("language");
  if (typeof language === "string" && language !== "") return language.slice(0, 30);
  const type = schema.textOf(layers, "contentMediaType");
  return type === null ? null : languageOfType(type);
}

function languageOfType(type: string): string {
  return type.replace(/^(?:text|application)\/(?:x-)?/, "").slice(0, 30);
}
