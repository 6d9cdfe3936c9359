/** Untrusted JSON values: any depth, any size, any key. Functions here recurse no deeper than they document. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isScalar(value: unknown): boolean {
  return !isCompound(value);
}

/** Returns the value of an own key. `__proto__` and `constructor` are keys like any other. */
export function at(value: unknown, key: string | number): unknown {
  return isCompound(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Returns one reference token of a JSON Pointer, with its slash. (RFC 6901) */
export function token(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the value at a JSON Pointer; undefined if there is none. */
export function resolve(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  if (!pointer.startsWith("/")) return undefined;
  let found = value;
  for (const part of pointer.slice(1).split("/")) {
    if (found === undefined) return undefined;
    found = at(found, part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return found;
}

/** Pictures inside a payload do not make it harder to read. */
const PICTURE = /^data:image\//;

/**
 * Returns whether the value is longer than `limit` characters of JSON, without pictures. It reads no more than that.
 */
export function isLongerThan(limit: number, value: unknown): boolean {
  let left = limit;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") left -= PICTURE.test(next) ? 2 : next.length + 2;
    else if (isList(next)) {
      left -= next.length + 1;
      if (left < 0) return true;
      for (const item of next) open.push(item);
    } else if (isObject(next)) {
      for (const key of Object.keys(next)) {
        left -= key.length + 4;
        if (left < 0) return true;
        open.push(next[key]);
      }
      left -= 1;
    } else left -= String(next).length;
    if (left < 0) return true;
  }
  return false;
}

/** Returns indented JSON of up to `limit` characters. This limit also ends deep values. */
export function jsonText(value: unknown, limit: number): { text: string; left_out: number } {
  const writing: Writing = { parts: [], left: limit, left_out: 0 };
  write(writing, value, 0);
  return { text: writing.parts.join(""), left_out: writing.left_out };
}

interface Writing {
  readonly parts: string[];
  left: number;
  left_out: number;
}

function put(writing: Writing, text: string): void {
  if (text.length > writing.left) {
    writing.left_out += text.length - writing.left;
    text = text.slice(0, writing.left);
  }
  writing.left -= text.length;
  if (text !== "") writing.parts.push(text);
}

function write(writing: Writing, value: unknown, depth: number): void {
  if (!isCompound(value)) return put(writing, JSON.stringify(value) ?? "null");
  const keys = isList(value) ? null : Object.keys(value);
  const count = keys?.length ?? (value as readonly unknown[]).length;
  const [open, close] = keys === null ? ["[", "]"] : ["{", "}"];
  if (count === 0) return put(writing, open + close);
  const indent = "  ".repeat(depth);
  for (let i = 0; i < count; i++) {
    if (writing.left === 0) {
      writing.left_out += count - i;
      return;
    }
    put(writing, `${i === 0 ? open : ","}\n${indent}  `);
    if (keys !== null) put(writing, `${JSON.stringify(keys[i])}: `);
    write(writing, keys === null ? at(value, i) : at(value, keys[i]!), depth + 1);
  }
  put(writing, `\n${indent}${close}`);
}

/** Returns whether two JSON values are equal up to `depth` levels. Deeper values count as different. */
export function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (!isCompound(a) || !isCompound(b) || depth === 0 || isList(a) !== isList(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(at(a, key), at(b, key), depth - 1));
}
