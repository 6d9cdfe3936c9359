/**
 * `node bench/schemas.ts` prints the longest time that each hostile case blocks the event loop, and the cost of a
 * typical pair of schemas at first sight. It asserts nothing.
 */
import { DEFAULT_STEPS } from "../json-schema/budget.ts";
import { HOSTILE_CASES } from "../json-schema/fixtures/hostile.ts";
import type { HostileCase } from "../json-schema/fixtures/hostile.ts";
import { parseSchema } from "../json-schema/parse-schema.ts";
import { PYDANTIC_SCHEMA, ZOD_SCHEMA } from "../json-schema/fixtures/samples.ts";
import { validate } from "../json-schema/validate.ts";

const { log } = console;

/**
 * Measures parsing and validating without a pause, in milliseconds. `node --expose-gc` excludes garbage of other cases.
 */
function measure(each: HostileCase): { ms: number; end: string; steps: number } {
  const schema = each.schema();
  const value = each.value();
  globalThis.gc?.();
  const start = performance.now();
  const parsed = parseSchema(schema);
  if (!parsed.ok) return { ms: performance.now() - start, end: parsed.problems[0]?.code ?? "", steps: 0 };
  const budget = { left: DEFAULT_STEPS };
  const verdict = validate(parsed.schema, value, { formats: "assert", budget });
  const ms = performance.now() - start;
  return {
    ms,
    end: verdict.status === "refused" ? verdict.code : verdict.status,
    steps: DEFAULT_STEPS - budget.left,
  };
}

let longestFirst = 0;
let longestLater = 0;
log("hostile case                                                      first run  later, ms     steps  end");
for (const each of HOSTILE_CASES) {
  const first = measure(each);
  const later = [measure(each), measure(each), measure(each)].reduce((a, b) => (a.ms > b.ms ? a : b));
  longestFirst = Math.max(longestFirst, first.ms);
  longestLater = Math.max(longestLater, later.ms);
  const warning = first.end === each.ends ? "" : `  expected ${each.ends}`;
  const figures = `${first.ms.toFixed(1).padStart(8)} ${later.ms.toFixed(1).padStart(10)} ${String(first.steps).padStart(9)}`;
  log(`${each.name.slice(0, 66).padEnd(66)} ${figures}  ${first.end}${warning}`);
}
log(`longest: ${longestFirst.toFixed(1)} ms while the code is cold, ${longestLater.toFixed(1)} ms later\n`);

/**
 * Returns the schema as a client would send it: with new objects and new texts each time, so that nothing is shared.
 */
function fresh(text: string, round: number): unknown {
  return JSON.parse(text.replaceAll("Review", `Review${round}`));
}

const ROUNDS = 2_000;
for (const [name, schema, value] of [
  ["zod 4", ZOD_SCHEMA.schema, ZOD_SCHEMA.value],
  ["pydantic 2", PYDANTIC_SCHEMA.schema, PYDANTIC_SCHEMA.value],
] as const) {
  const text = JSON.stringify(schema);
  const copies = Array.from({ length: ROUNDS }, (_, round) => fresh(text, round));
  const took: number[] = [];
  for (const copy of copies) {
    const start = performance.now();
    const parsed = parseSchema(copy);
    if (parsed.ok) validate(parsed.schema, value, { formats: "assert" });
    took.push(performance.now() - start);
  }
  const sorted = took.toSorted((a, b) => a - b);
  const parsed = parseSchema(schema);
  const at = (share: number): string => ((sorted[Math.floor(ROUNDS * share)] ?? 0) * 1_000).toFixed(0);
  const status = parsed.ok ? validate(parsed.schema, value, { formats: "assert" }).status : "no schema";
  log(
    `${name}: ${text.length} characters, check and validate an unseen schema: median ${at(0.5)} us, p99 ${at(0.99)} us, the very first ${((took[0] ?? 0) * 1_000).toFixed(0)} us (${status})`,
  );
}
