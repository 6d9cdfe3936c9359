/** Runs Ajv in a thread that can be stopped at any moment: some schemas keep it busy forever. */
import { parentPort } from "node:worker_threads";
import { Ajv, type AnySchema } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isJsonObject } from "../../src/lib/json.ts";

export interface AjvAnswer {
  /** Null if the schema does not compile; `reason` says why. */
  verdicts: boolean[] | null;
  reason: string;
}

const OPTIONS = { strict: false, validateFormats: false, ownProperties: true, logger: false } as const;
const old = new Ajv(OPTIONS);
const recent = new Ajv2020(OPTIONS);
// Load the meta-schemas before the time is measured: that takes longer than a check.
for (const ajv of [old, recent]) ajv.compile({ type: "object" });

parentPort!.on("message", ({ schema, values }: { schema: string; values: string[] }) => {
  parentPort!.postMessage(answer(JSON.parse(schema) as AnySchema, values));
});
parentPort!.postMessage("ready");

function answer(schema: AnySchema, values: string[]): AjvAnswer {
  const dialect = isJsonObject(schema) ? schema["$schema"] : undefined;
  // The value may be an object that cannot become a string, such as {"toString": 1}.
  const isOld = typeof dialect === "string" && dialect.includes("draft-07");
  // Ajv must not remember the `$id` of one schema for the next.
  const named = { ...OPTIONS, validateSchema: false, meta: false };
  const hasNames = JSON.stringify(schema).includes('"$id"');
  const ajv = isOld ? (hasNames ? new Ajv(named) : old) : hasNames ? new Ajv2020(named) : recent;
  try {
    const check = ajv.compile(schema);
    return { verdicts: values.map((value) => check(JSON.parse(value)) as boolean), reason: "" };
  } catch (error) {
    return { verdicts: null, reason: (error as Error).message };
  } finally {
    if (isJsonObject(schema) && !hasNames) ajv.removeSchema(schema);
  }
}
