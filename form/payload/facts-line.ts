import { cutText, oneLine } from "../plain-text.ts";
import { formatsFor, type Formats } from "./format.ts";
import { IgnoredHints, readHints } from "./hints.ts";
import { at, isObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Shown } from "./node.ts";
import { planningOf, planUntitled, rootOf, type PayloadInput } from "./payload.ts";
import type { Planning, Subject } from "./planning.ts";
import { numericOf } from "./scalars.ts";
import * as schema from "./schema.ts";
import { childOf } from "./subjects.ts";

/** Characters of the line. */
export const FACTS_MAX = 160;
/** Characters of one fact. */
const FACT_MAX = 60;
/** Facts that are chosen without a hint, and with one. */
const CHOSEN_MAX = 4;
const ASKED_MAX = 8;

// A line is made for each new task, so its work is small whatever the payload is.

/** Fields that are read. */
const FIELDS_MAX = 20;
/** Keys of one object that are looked at; some of them are lists or are empty. */
const KEYS_MAX = 60;
/** Characters of a text that are read. Longer ones are no facts. */
const TEXT_MAX = 200;
const DEPTH_MAX = 2;
const LIMITS = { nodes: FIELDS_MAX, items: 1, textLength: TEXT_MAX, characters: 8_000, missing: 0 };
const SCHEMA_STEPS = 4_000;
const HINTED_PLACES = 100;

const MONEY = /(?:amount|total|price|cost|sum|fee|refund|budget|salary|payment)s?$/i;
const NAME =
  /(?:^|[_\-.\s])(?:name|customer|client|person|employee|patient|applicant|candidate|vendor|supplier|merchant|company|account|user|owner|recipient|subject|title|product|author)$/i;

interface Fact {
  /** In one line, not yet cut. */
  readonly line: string;
  /** The lower, the earlier in the line. null: it is a fact only where a hint names it. */
  readonly rank: number | null;
}

type RankedFact = Fact & { readonly rank: number };

let formats: Formats | null = null;

/**
 * Returns the most telling values of a payload in one line, such as "€2,637.00 · Lucía Fernández · High": those that the hint
 * `ui:summary` names, or else the first amount of money, then names, choices and short texts in the order of the payload.
 * Masked and hidden values are left out, as in messages. null: there are none.
 */
export function factsLine({ payload, payload_schema, hints }: Omit<PayloadInput, "now">): string | null {
  if (!isObject(payload)) return null;
  formats ??= formatsFor(undefined, undefined, new Date(0));
  const ignored = new IgnoredHints();
  const read = readHints(hints, ignored, { left: HINTED_PLACES });
  const now = new Date(0);
  const planning = planningOf({ payload, payload_schema, now, only_facts: true }, null, ignored, {
    ...LIMITS,
    formats,
    reader: { root: payload_schema, steps: SCHEMA_STEPS, positions: new Map() },
  });
  const root = rootOf({ payload, payload_schema, now }, read);
  const asked = read?.summary ?? [];
  const facts = asked.length > 0 ? factsAt(planning, root, asked) : chosenFacts(planning, root);
  const texts = [...new Set(facts.map(({ line }) => cut(line, FACT_MAX)))];
  return texts.length === 0 ? null : cut(texts.join(" · "), FACTS_MAX);
}

/** Returns the facts at the named places, in this order. */
function factsAt(planning: Planning, root: Subject, wanted: readonly string[]): Fact[] {
  return wanted.slice(0, ASKED_MAX).flatMap((name) => {
    let subject: Subject | null = root;
    const keys = name.startsWith("/") ? name.slice(1, TEXT_MAX).split("/").slice(0, FIELDS_MAX) : [name];
    for (const key of keys) {
      const { value, starts }: Subject = subject;
      const plain = name.startsWith("/") ? key.replaceAll("~1", "/").replaceAll("~0", "~") : key;
      if (!isObject(value) || !Object.hasOwn(value, plain) || subject.hints?.widget === "hidden") return [];
      subject = childOf(subject, value, schema.layersOf(planning.reader, starts, value), plain);
    }
    const fact = factOf(planning, subject);
    return fact === null ? [] : [fact];
  });
}

function chosenFacts(planning: Planning, root: Subject): RankedFact[] {
  const found: RankedFact[] = [];
  collect(planning, root, found);
  const money = found.find(({ rank }) => rank === 0);
  const others = found.filter(({ rank }) => rank > 0).toSorted((a, b) => a.rank - b.rank);
  return [...(money === undefined ? [] : [money]), ...others].slice(0, CHOSEN_MAX);
}

/** Reads fields one after another, and those of objects in them, until enough are read. */
function collect(planning: Planning, subject: Subject, found: RankedFact[]): void {
  const value = subject.value as JsonObject;
  const layers = schema.layersOf(planning.reader, subject.starts, value);
  const inner: Subject[] = [];
  for (const key of Object.keys(value).slice(0, KEYS_MAX)) {
    if (planning.nodes <= 0) return;
    const child = childOf(subject, value, layers, key);
    if (isObject(child.value) && child.hints?.widget !== "hidden") inner.push(child);
    const fact = isDate(child.value) ? null : factOf(planning, child);
    if (fact !== null && isRanked(fact)) found.push(fact);
  }
  if (subject.depth + 1 < DEPTH_MAX) for (const child of inner) collect(planning, child, found);
}

/** Dates are facts only where a hint names them. */
function isDate(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value);
}

function isRanked(fact: Fact): fact is RankedFact {
  return fact.rank !== null;
}

/** Returns a value as a fact; null if it is none. */
function factOf(planning: Planning, subject: Subject): Fact | null {
  const { value, key } = subject;
  const isShort = typeof value === "string" && value !== "" && value.length <= TEXT_MAX;
  if (!isShort && typeof value !== "number" && typeof value !== "boolean") return null;
  const node = planUntitled(planning, subject);
  if (node === null || !("text" in node)) return null;
  const words = key.slice(-FACT_MAX).replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  const text = (MONEY.test(words) ? moneyOf(planning, subject, node) : null) ?? shownText(node);
  if (text === null) return null;
  const line = oneLine(text);
  return line === "" ? null : { line, rank: rankOf(node, words, text) };
}

/** Returns an amount that no hint calls money, with the currency beside it if there is one. */
function moneyOf({ formats: { currency } }: Planning, { value, parent }: Subject, node: Shown): string | null {
  const number = node.kind === "number" || node.kind === "text" ? numericOf(value) : null;
  const code = at(parent, "currency");
  return number !== null && typeof code === "string" ? currency(number, code) : null;
}

function shownText(node: Shown & { text: string }): string | null {
  if (node.kind === "date" || node.kind === "date-time" || node.kind === "time") return node.full_text;
  return node.kind === "code" || node.kind === "json" || node.kind === "html" ? null : node.text;
}

function rankOf({ kind }: Shown, words: string, text: string): number | null {
  switch (kind) {
    case "currency":
      return 0;
    case "number":
      return MONEY.test(words) ? 0 : null;
    case "text":
    case "link":
      if (MONEY.test(words) && /\d/.test(text)) return 0;
      if (text.length > FACT_MAX || /^https?:|\n/.test(text) || /currency$/i.test(words)) return null;
      return NAME.test(words) ? 1 : 3;
    case "choice":
      return NAME.test(words) ? 1 : 2;
    case "unit":
    case "percent":
      return 4;
    default:
      return null;
  }
}

/** Most lines are short, and cutting takes much longer than a look at the length. */
function cut(line: string, max: number): string {
  return line.length <= max ? line : cutText(line, max);
}
