import { anyDate, dateShown } from "./dates.ts";
import { isDateTimeText } from "./date-format.ts";
import type { Hints } from "./hints.ts";
import { jsonText } from "./json.ts";
import { isImageData, safeImage, safeLink } from "./links.ts";
import type { Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import { choiceShown } from "./scalars.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";

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
    return image === null ? null : { kind: "image", ...image };
  }
  if (isBase64) return null;
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

/** What is nothing else than a link, an address, a picture or a date, even if no schema says so. */
function byShape(planning: Planning, value: string): Shown | null {
  if (isImageData(value)) return { kind: "image", src: value, host: null };
  if (/^https?:\/\/\S+$/i.test(value)) {
    const link = safeLink(value, value);
    return link === null ? null : { kind: "link", text: value, ...link };
  }
  if (value.length > 254) return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return dateShown("date", value, planning.formats.date(value));
  if (isDateTimeText(value)) return anyDate(planning, value);
  return mailLink(value);
}

function mailLink(value: string): Shown | null {
  if (!/^[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(value)) return null;
  const link = safeLink(`mailto:${value}`, value);
  return link === null ? null : { kind: "link", text: value, ...link };
}

export function limited(planning: Planning, kind: "text" | "markdown" | "html", text: string): Shown {
  if (text === "") return { kind: "empty", what: "text" };
  const shown = takeText(planning, text);
  return { kind, text: shown, left_out: text.length - shown.length };
}

export function source(planning: Planning, text: string, language: string | null): Shown {
  const shown = takeText(planning, text);
  return { kind: "code", text: shown, language, left_out: text.length - shown.length };
}

/** JSON that came as a text: indented when it is what it says. */
function jsonSource(planning: Planning, text: string): Shown {
  try {
    return json(planning, JSON.parse(text));
  } catch {
    return source(planning, text, "json");
  }
}

export function json(planning: Planning, value: unknown): Shown {
  const { text, left_out } = jsonText(value, Math.min(MAX_TEXT, planning.characters));
  planning.characters -= text.length;
  return { kind: "json", text, language: "json", left_out };
}

const MAX_TEXT = 100_000;

function takeText(planning: Planning, text: string): string {
  let length = Math.min(text.length, MAX_TEXT, planning.characters);
  // No half of a pair of surrogates at the end.
  if (length < text.length && /[\uD800-\uDBFF]/.test(text.charAt(length - 1))) length -= 1;
  planning.characters -= length;
  return text.slice(0, length);
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
