export { escapeToken as token } from "../../json-schema/schema.ts";

/**
 * The entries of a person so far: texts by name, exactly as a browser posts a form. An open form keeps its state in
 * this shape, a draft stores it, and a page without JavaScript posts it, so the same code reads them all.
 *
 * The name of a field is the JSON Pointer of its value (`/items/0/sku`). An entry that belongs to a field but is not
 * its value has the field's name, `~` and a word. No pointer can contain that:
 *
 * | name         | holds                                                           |
 * | ------------ | --------------------------------------------------------------- |
 * | `/a`         | text; the index of an option; several of them; `true` or `false`|
 * | `/a~json`    | the text of a JSON box (`~json` if the whole answer is one)     |
 * | `/a~rows`    | how many rows a list or record has                              |
 * | `/a/0~key`   | the name in row 0 of a record, whose value is `/a/0`            |
 * | `/a~form`    | the index of the chosen form among several                      |
 * | `/a~of`      | which question `/a` answers (nodes.ts); absent, the one asked   |
 * | `/a~open`    | `1` or `0`: an optional group was added or removed              |
 * | `~mode`     | `json`: the answer is written as JSON although there is a form  |
 */
export type Entries = Readonly<Record<string, readonly string[]>>;

/** An action on a form other than an entry. The text is the value of a submit button. */
export type Press =
  | { readonly act: "add" | "open" | "close" | "clear" | "json" | "form" | "update"; readonly name: string }
  | { readonly act: "remove"; readonly name: string; readonly row: number };

/** The name of the buttons that change a form instead of sending it. */
export const PRESS = "~press";

/** Returns the last key of a JSON Pointer. */
export function keyOf(pointer: string): string {
  return pointer
    .slice(pointer.lastIndexOf("/") + 1)
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
}

/** Reads a posted form. Names that do not belong to a field are kept, and a plan ignores them. */
export function entriesOfPost(body: string): Entries {
  const entries = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of new URLSearchParams(body)) {
    // Browsers post line ends as CRLF.
    const text = value.replaceAll("\r\n", "\n");
    const known = entries[name];
    if (known === undefined) entries[name] = [text];
    else known.push(text);
  }
  return entries;
}

export function withEntry(entries: Entries, name: string, ...texts: string[]): Entries {
  return Object.assign(Object.create(null) as Record<string, readonly string[]>, entries, { [name]: texts });
}

export function textOfPress(press: Press): string {
  return press.act === "remove" ? `remove:${press.row}:${press.name}` : `${press.act}:${press.name}`;
}

const ACTS = ["add", "open", "close", "clear", "json", "form", "update"] as const;

/** Returns null if the text is not one of these actions. */
export function parsePress(text: string): Press | null {
  const remove = /^remove:(0|[1-9][0-9]{0,3}):/.exec(text);
  if (remove !== null) return { act: "remove", row: Number(remove[1]), name: text.slice(remove[0].length) };
  const act = ACTS.find((known) => text.startsWith(`${known}:`));
  return act === undefined ? null : { act, name: text.slice(act.length + 1) };
}

/** @param rows - the current number of rows of the list or record, for `add` and `remove` */
export function applyPress(entries: Entries, press: Press, rows = 0): Entries {
  switch (press.act) {
    case "add":
      return withEntry(entries, `${press.name}~rows`, String(rows + 1));
    case "open":
      return withEntry(entries, `${press.name}~open`, "1");
    case "close":
      return withEntry(withoutBelow(entries, press.name), `${press.name}~open`, "0");
    case "clear":
      return withEntry(withoutBelow(entries, press.name), press.name);
    case "update":
      return entries;
    case "json":
      return withEntry(entries, "~mode", "json");
    case "form":
      return keep(entries, (key) => key !== "~mode" && key !== "~json");
    case "remove":
      return removeRow(entries, press.name, press.row, rows);
  }
}

function keep(entries: Entries, isKept: (name: string) => boolean): Entries {
  const kept = Object.create(null) as Record<string, readonly string[]>;
  for (const [name, texts] of Object.entries(entries)) if (isKept(name)) kept[name] = texts;
  return kept;
}

/** Removes the entries of `name` and below it. `/a~1b` is not below `/a`: `~1` encodes a `/` in a name. */
function withoutBelow(entries: Entries, name: string): Entries {
  const isBelow = (rest: string): boolean => rest === "" || /^(?:\/|~[a-z])/.test(rest);
  return keep(entries, (key) => !key.startsWith(name) || !isBelow(key.slice(name.length)));
}

/** Removes a row. The rows behind it move up. */
function removeRow(entries: Entries, list: string, row: number, rows: number): Entries {
  const kept = Object.create(null) as Record<string, readonly string[]>;
  const below = `${list}/`;
  for (const [key, texts] of Object.entries(entries)) {
    const place = key.startsWith(below) ? /^([0-9]+)(.*)$/s.exec(key.slice(below.length)) : null;
    const index = Number(place?.[1] ?? -1);
    if (place === null || index < row) kept[key] = texts;
    else if (index > row) kept[`${below}${index - 1}${place[2] ?? ""}`] = texts;
  }
  kept[`${list}~rows`] = [String(Math.max(0, rows - 1))];
  return kept;
}
