/** Runs the interpreter in its own thread, so that an endless check stops nothing else. */
import { parentPort } from "node:worker_threads";
import { isDeepStrictEqual } from "node:util";
import { DEFAULT_STEPS } from "../../json-schema/budget.ts";
import { MAX_MATCH_STEPS } from "../../json-schema/patterns.ts";
import { parseSchema, type ParsedSchema } from "../../json-schema/parse-schema.ts";
import { createPatternHost } from "../../json-schema/pattern-worker-host.ts";
import type { Schema } from "../../json-schema/schema.ts";
import type { VerdictInWords } from "../../json-schema/sentences.ts";
import { validate } from "../../json-schema/validate.ts";
import type { ValidateOptions } from "../../json-schema/validate.ts";

/** JSON text, so that no object is used twice. */
export interface InterpreterQuestion {
  schema: string;
  values: string[];
}

export interface InterpreterAnswer {
  /** Codes of the schema's problems; empty for a valid schema. */
  problems: string[];
  /** For each value: "valid", "invalid", or the code of a refusal; with formats as annotations, and asserted. */
  verdicts: { annotate: string; assert: string }[];
  /** CPU time of the slowest call in milliseconds. Each call is measured twice, and the shorter time counts. */
  cpu: number;
  /** Violations. */
  faults: string[];
}

const host = createPatternHost();
/**
 * The most steps of a call. Collecting errors after the verdict gets a quarter of the budget; the step that exceeds it
 * is counted but not run, and is at most one match of a pattern.
 */
const STEPS_MAX = DEFAULT_STEPS * 1.25 + MAX_MATCH_STEPS;
/** Refusals that depend on the time a pattern took, and so on the machine. */
const BY_TIME = new Set(["pattern_too_slow", "pattern_busy"]);

parentPort!.on("message", (question: InterpreterQuestion) => {
  void answer(question).then((found) => parentPort!.postMessage(found));
});
parentPort!.postMessage("ready");

async function answer({ schema, values }: InterpreterQuestion): Promise<InterpreterAnswer> {
  const found: InterpreterAnswer = { problems: [], verdicts: [], cpu: 0, faults: [] };
  try {
    const parsed = twice<ParsedSchema>(found, "parseSchema", () => parseSchema(JSON.parse(schema)));
    if (parsed === null) return found;
    if (!parsed.ok) {
      found.problems = parsed.problems.map(({ code }) => code);
      return found;
    }
    for (const value of values)
      found.verdicts.push({
        annotate: await verdictOf(found, parsed.schema, value, "annotate"),
        assert: await verdictOf(found, parsed.schema, value, "assert"),
      });
  } catch (error) {
    found.faults.push(`threw ${(error as Error).stack}`);
  }
  return found;
}

async function verdictOf(
  found: InterpreterAnswer,
  schema: Schema,
  text: string,
  formats: "annotate" | "assert",
): Promise<string> {
  const verdict = twice<VerdictInWords>(found, `validate, ${formats}`, () => {
    const options: ValidateOptions = { formats, budget: { left: DEFAULT_STEPS } };
    const verdict = validate(schema, JSON.parse(text), options);
    const spent = DEFAULT_STEPS - options.budget!.left;
    if (spent > STEPS_MAX && !(verdict.status === "refused" && verdict.code === "too_expensive"))
      found.faults.push(`${spent} steps were used, but the verdict is ${verdict.status}`);
    return verdict;
  });
  if (verdict === null) return "threw";
  const settled = verdict.status === "pending" ? await host.validate(schema, JSON.parse(text), { formats }) : verdict;
  return settled.status === "refused" ? settled.code : settled.status;
}

/** Calls `act` twice and returns its result; the two results must be equal. */
function twice<T extends object>(found: InterpreterAnswer, name: string, act: () => T): T | null {
  const once = () => {
    const before = process.threadCpuUsage();
    const result = act();
    const { user, system } = process.threadCpuUsage(before);
    return { result, ms: (user + system) / 1000 };
  };
  try {
    const [first, second] = [once(), once()];
    found.cpu = Math.max(found.cpu, Math.min(first.ms, second.ms));
    if (!isDeepStrictEqual(comparable(first.result), comparable(second.result)))
      found.faults.push(`${name} returns something else the second time`);
    return second.result;
  } catch (error) {
    found.faults.push(`${name} threw ${(error as Error).stack}`);
    return null;
  }
}

/** Returns the part that a caller sees: an accepted schema is a graph, and all accepted schemas count as equal. */
function comparable(result: object): unknown {
  if ("schema" in result) return "accepted";
  return "code" in result && BY_TIME.has(String(result.code)) ? "by time" : result;
}
