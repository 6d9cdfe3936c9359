import { locale } from "../../../languages/text.ts";
import { at, isList, isObject } from "../../../form/payload/json.ts";
import { numericOf } from "../../../form/payload/scalars.ts";

export interface Sorting {
  /** Of the column. */
  readonly key: string;
  readonly isDescending: boolean;
}

const WORDS = new Intl.Collator(locale(), { numeric: true, sensitivity: "base" });

/** Returns the places of rows in the order of one of their columns. Rows without a value come last, in both directions. */
export function orderBy(rows: readonly unknown[], { key, isDescending }: Sorting): number[] {
  const values = rows.map((row) => comparable(at(row, key)));
  const places = values.map((_, place) => place);
  return places.toSorted((a, b) => {
    const [one, other] = [values[a]!, values[b]!];
    if (one.kind !== other.kind && (one.kind === "none" || other.kind === "none")) return one.kind === "none" ? 1 : -1;
    const found = compare(one, other);
    return (isDescending ? -found : found) || a - b;
  });
}

type Comparable =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "none" };

function comparable(value: unknown): Comparable {
  if (value === null || value === undefined || value === "") return { kind: "none" };
  const number = numericOf(value);
  if (number !== null) return { kind: "number", value: Number(number) };
  if (typeof value === "string") return { kind: "text", value };
  if (typeof value === "boolean") return { kind: "number", value: Number(value) };
  // A file is known by its name.
  const name = at(value, "name");
  return { kind: "text", value: typeof name === "string" ? name : JSON.stringify(value) };
}

function compare(a: Comparable, b: Comparable): number {
  if (a.kind === "number" && b.kind === "number") return a.value - b.value;
  if (a.kind === "text" && b.kind === "text") return WORDS.compare(a.value, b.value);
  // Numbers come before texts.
  return a.kind === b.kind ? 0 : a.kind === "number" ? -1 : 1;
}

/** Returns a value in which the list at a pointer has another order. All else is shared with the value. */
export function inOrder(value: unknown, pointer: string, order: readonly number[]): unknown {
  if (pointer === "") return isList(value) ? order.map((place) => value[place]) : value;
  const [part = "", ...rest] = pointer.slice(1).split("/");
  const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
  const below = rest.length === 0 ? "" : `/${rest.join("/")}`;
  const inner = inOrder(at(value, isList(value) ? Number(key) : key), below, order);
  if (isList(value)) return value.with(Number(key), inner);
  // Whatever its name is, it is a property of its own.
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, own]) => [name, name === key ? inner : own]))
    : value;
}
