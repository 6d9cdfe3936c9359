/** The interpreter in a thread of its own, so that one that never ends ends nothing else. */
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

/** JSON as text: the same objects are never seen twice. */
export interface InterpreterQuestion {
  schema: string;
  values: string[];
}

export interface InterpreterAnswer {
  /** Codes of what is wrong with the schema; empty when nothing is. */
  problems: string[];
  /** For each value: "valid", "invalid", or the code of a refusal; formats are annotations, and asserted. */
  verdicts: { annotate: string; assert: string }[];
  /** The longest call's CPU time, of two calls the shorter, in milliseconds. */
  cpu: number;
  /** What must never be. */
  faults: string[];
}

const host = createPatternHost();
/**
 * Errors are collected with a quarter of the budget, when the verdict stands already. What ends that is counted as well, and not
 * done: at most a match of a pattern.
 */
const STEPS_MAX = DEFAULT_STEPS * 1.25 + MAX_MATCH_STEPS;
/** Depends on the time that a pattern took, and so on the machine. */
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
      found.faults.push(`${spent} steps were spent and the verdict is ${verdict.status}`);
    return verdict;
  });
  if (verdict === null) return "threw";
  const settled = verdict.status === "pending" ? await host.validate(schema, JSON.parse(text), { formats }) : verdict;
  return settled.status === "refused" ? settled.code : settled.status;
}

/** What `act` gives, the same both times. */
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
      found.faults.push(`${name} says something else the second time`);
    return second.result;
  } catch (error) {
    found.faults.push(`${name} threw ${(error as Error).stack}`);
    return null;
  }
}

/** What a caller sees: a schema that was read is a graph, and equal when it was accepted. */
function comparable(result: object): unknown {
  if ("schema" in result) return "accepted";
  return "code" in result && BY_TIME.has(String(result.code)) ? "by time" : result;
}
