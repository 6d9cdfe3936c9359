import { isSame } from "./same.ts";
import type { FieldHints, Tone } from "./hints.ts";
import type { Option } from "./nodes.ts";
import { first, firstText, fits, placeOf } from "./schema-view.ts";
import type { Place, SchemaSource } from "./schema-view.ts";
import { labelOf } from "../titles.ts";

/** No one reads a list with more options. Then a text is entered and checked instead. */
const MAX_OPTIONS = 1_000;

const YES = /^(?:approve|accept|allow|publish|release|grant)(?:d|ed)?\b/i;
const NO = /^(?:reject|decline|deny|denied|refuse|block|forbid)(?:d|ed)?\b/i;

/**
 * Returns the values to choose from: those of an enum, a const, or a union of them. Returns null if other values are
 * allowed too. If several may be chosen, null is one of the options, because an empty box does not mean null.
 */
export function optionsOf(
  source: SchemaSource,
  place: Place,
  hints: FieldHints,
  several = false,
): readonly Option[] | null {
  const listed = listedValues(source, place);
  if (listed === null || listed.length > MAX_OPTIONS) return null;
  if (several && place.mayBeNull && listed.every(({ value }) => value !== null)) listed.push(unnamed(null));
  const values = listed.filter((option) => fits(source, place.roots, option.value));
  return values.map((option, index) => {
    const label = hints.enumNames?.[index] ?? option.title ?? labelOf(option.value);
    return { label, description: option.description, tone: toneOf(option.value, label, hints), value: option.value };
  });
}

interface Listed {
  readonly value: unknown;
  readonly title: string | null;
  readonly description: string | null;
}

function unnamed(value: unknown): Listed {
  return { value, title: null, description: null };
}

function listedValues(source: SchemaSource, place: Place): Listed[] | null {
  const constant = first(place, "const");
  if (constant !== undefined) return [unnamed(constant)];
  const values = first(place, "enum");
  if (Array.isArray(values)) return values.map(unnamed);
  const branches = place.unions[0]?.branches;
  if (place.unions.length !== 1 || branches === undefined || branches.length > MAX_OPTIONS) return null;
  const all: Listed[] = [];
  const seen = new Set<unknown>();
  for (const branch of branches) {
    const inner = placeOf(source, [branch]);
    const listed = listedValues(source, inner);
    if (listed === null) return null;
    const isOne = listed.length === 1;
    for (const option of listed) {
      const { value } = option;
      if (seen.has(value) || (typeof value === "object" && all.some((known) => isSame(known.value, value)))) continue;
      seen.add(value);
      all.push({
        value,
        title: option.title ?? (isOne ? firstText(inner, "title") : null),
        description: option.description ?? (isOne ? firstText(inner, "description") : null),
      });
    }
  }
  return all;
}

/** Returns a tone only if the words themselves judge, or a hint gives it. "Yes" and "No" have none. */
export function toneOf(value: unknown, label: string, hints: FieldHints): Tone | null {
  const given = hints.tone.get(typeof value === "string" ? value : JSON.stringify(value));
  if (given !== undefined) return given;
  return YES.test(label) ? "positive" : NO.test(label) ? "negative" : null;
}
