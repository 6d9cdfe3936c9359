import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { UsageError } from "./options.ts";

/** @throws UsageError */
export async function readObject(given: string, name: string): Promise<JsonObject> {
  return requireObject(await readJson(given, name), name);
}

/** @throws UsageError */
export function requireObject(value: unknown, name: string): JsonObject {
  if (!isJsonObject(value)) throw new UsageError(`${name} is not a JSON object, such as {"approved": true}.`);
  return value;
}

/** JSON as it is, from a file (`@file`), or from standard input (`-`). @throws UsageError */
export async function readJson(given: string, name: string): Promise<unknown> {
  const source = given.startsWith("@") ? fileText(given.slice(1)) : given === "-" ? await text(process.stdin) : given;
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${(error as Error).message}`);
  }
}

function fileText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
