import { currencyOf } from "./currency.ts";
import { childHints } from "./hints.ts";
import type { Hints } from "./hints.ts";
import { at } from "./json.ts";
import type { Planning } from "./planning.ts";
import { numericOf } from "./scalars.ts";

/** Keys of numbers that can be added: amounts and quantities. */
const ADDED =
  /(?:^|[_\-.\s])(?:amount|total|subtotal|sum|cost|price|fee|refund|payment|tax|vat|net|gross|budget|salary|expense|discount|debit|credit|qty|quantity|count|hours|minutes|days|items|pieces|units)s?$/i;
/** Keys of numbers whose sum says nothing: rates, averages, and what is left at a moment. */
const NOT_ADDED =
  /(?:^|[_\-.\s])(?:unit|each|per|rate|ratio|share|percent|percentage|average|avg|mean|median|min|max|limit|balance|running)(?:$|[_\-.\s])/i;
const PRICE = /(?:^|[_\-.\s])(?:price|cost|fee|rate)s?$/i;
const QUANTITY = /(?:^|[_\-.\s])(?:qty|quantity|count|units|pieces)$/i;

/** The longest decimals that are added, in digits. */
const MAX_DIGITS = 40;

/**
 * Returns the sum of a column, over all rows of the list, as people write it. Returns null if a sum has no meaning, or
 * if a value is not a number.
 *
 * @param kinds - what the shown values of the column are
 */
export function sumOf(
  planning: Planning,
  rows: readonly unknown[],
  keys: readonly string[],
  { key, kinds, hints }: { key: string; kinds: ReadonlySet<string>; hints: Hints | null },
): string | null {
  if (rows.length < 2 || kinds.size !== 1 || !(kinds.has("currency") || kinds.has("number"))) return null;
  if (!canAdd(key, keys, kinds.has("currency"))) return null;
  const currencies = new Set<string | null>();
  const numbers: string[] = [];
  const own = childHints(hints, key);
  for (const row of rows) {
    const value = at(row, key);
    if (value === null || value === undefined) continue;
    const number = kinds.has("number") && typeof value === "string" ? null : numericOf(value);
    if (number === null) return null;
    numbers.push(String(number));
    currencies.add(currencyOf(planning, own, row));
  }
  if (numbers.length < 2 || currencies.size !== 1) return null;
  const sum = addDecimals(numbers);
  if (sum === null) return null;
  const [currency = null] = currencies;
  return kinds.has("number") ? planning.formats.number(sum) : currency && planning.formats.currency(sum, currency);
}

function canAdd(key: string, keys: readonly string[], isMoney: boolean): boolean {
  const words = key.replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  if (NOT_ADDED.test(words) || !(isMoney || ADDED.test(words))) return false;
  // Beside a quantity, a price is that of one piece.
  return !(PRICE.test(words) && keys.some((other) => QUANTITY.test(other.replaceAll(/([a-z])([A-Z])/g, "$1_$2"))));
}

/** Returns the exact sum of decimals; null if one of them is very large, very small, or no decimal. */
function addDecimals(texts: readonly string[]): Intl.StringNumericLiteral | null {
  const parts = texts.map((text) => /^(-?)(\d+)(?:\.(\d+))?$/.exec(text));
  const scale = Math.max(...parts.map((part) => part?.[3]?.length ?? 0));
  let sum = 0n;
  for (const part of parts) {
    if (part === null) return null;
    const [text, sign, whole = "", decimals = ""] = part;
    if (text.length > MAX_DIGITS) return null;
    const scaled = BigInt(whole + decimals.padEnd(scale, "0"));
    sum += sign === "-" ? -scaled : scaled;
  }
  const digits = String(sum < 0n ? -sum : sum).padStart(scale + 1, "0");
  const decimals = scale === 0 ? "" : `.${digits.slice(-scale)}`;
  return `${sum < 0n ? "-" : ""}${digits.slice(0, digits.length - scale)}${decimals}` as Intl.StringNumericLiteral;
}
