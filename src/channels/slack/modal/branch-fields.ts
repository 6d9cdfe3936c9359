import { isRaw } from "../../../../form/plan/hints.ts";

/**
 * Returns the names of fields that other questions depend on, at any depth: fields in an `if`, and fields whose presence
 * adds others. A name too many costs a round trip; a name too few shows the form a second time.
 *
 * @param schema - accepted by the service, so neither deep nor large
 */
export function branchFieldNames(schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const lookForConditions = (raw: unknown): void => {
    if (Array.isArray(raw)) for (const inner of raw) lookForConditions(inner);
    if (!isRaw(raw)) return;
    addNames(raw["if"]);
    for (const dependent of [raw["dependentSchemas"], raw["dependencies"]])
      for (const name of Object.keys(isRaw(dependent) ? dependent : {})) names.add(name);
    for (const inner of Object.values(raw)) lookForConditions(inner);
  };
  const addNames = (raw: unknown): void => {
    if (Array.isArray(raw)) for (const inner of raw) addNames(inner);
    if (!isRaw(raw)) return;
    for (const name of Object.keys(isRaw(raw["properties"]) ? raw["properties"] : {})) names.add(name);
    for (const name of Array.isArray(raw["required"]) ? (raw["required"] as unknown[]) : [])
      if (typeof name === "string") names.add(name);
    for (const inner of Object.values(raw)) addNames(inner);
  };
  lookForConditions(schema);
  return names;
}
