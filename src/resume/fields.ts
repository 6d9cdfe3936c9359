import type { TObject } from "typebox";
import { shapeCheck } from "../http/validation.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ConnectionForm, Fields } from "./kind.ts";

const checks = new WeakMap<object, ReturnType<typeof shapeCheck>>();

/** Checks fields against the schema of a kind. @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED */
export function requireShape(schema: TObject, given: JsonObject, path: string): void {
  const check = checks.get(schema) ?? shapeCheck(schema);
  checks.set(schema, check);
  const problem = check(withoutNulls(given), path);
  if (problem !== null) throw problem;
}

/** Returns the fields that a schema names. Others are ignored, as in every body, and null is as good as absent. */
export function keptFields({ properties }: TObject, given: JsonObject): Fields {
  const names = Object.keys(properties).filter((name) => given[name] != null);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

function withoutNulls(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** Returns where requests of a connection go. A form whose `url` may be left out has a default. */
export function urlOf(form: ConnectionForm, address: Fields): string {
  return (address["url"] as string | undefined) ?? form.defaultUrl!(address);
}
