import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import type { Run, Suite } from "../suite.ts";
import type { AjvAnswer } from "./ajv-thread.ts";
import { askedIn } from "./asking.ts";
import { differenceOf } from "./differences.ts";
import type { InterpreterAnswer, InterpreterQuestion } from "./interpreter-thread.ts";
import { paceNow, preparePace } from "./pace.ts";
import { cases, type Case } from "./schemas.ts";

/**
 * The most CPU time of one check on a quiet machine, for any schema. The budget counts steps, and the slowest checks
 * take up to 40 ms.
 */
const CPU_MS = 100;
/** Larger values exceed `SERVICE_BODY_LIMIT_BYTES`, and take longer to build than to check. */
const VALUE_CHARACTERS = 1024 * 1024;
/** Ajv's time to compile and check; a slower case is not compared. */
const AJV_MS = 200;
/** After this time without an answer, the interpreter counts as endless. A busy machine needs a minute to build the largest value four times. */
const ENDLESS_MS = 300_000;
/** One schema in this many also goes through the service. */
const THROUGH_HTTP = 20;
const VIOLATIONS_SHOWN = 20;

export const fuzzSchemas: Suite = {
  name: "fuzz-schemas",
  promise:
    "every client schema gets a verdict or a refusal within its budget, the same each time and the one that Ajv gives",
  counts: { short: 2000, long: 20_000, unit: "schemas" },
  run: async (run) => {
    preparePace();
    const interpreter = askedIn<InterpreterQuestion, InterpreterAnswer>(
      new URL("./interpreter-thread.ts", import.meta.url),
      ENDLESS_MS,
    );
    const ajv = askedIn<InterpreterQuestion, AjvAnswer>(new URL("./ajv-thread.ts", import.meta.url), AJV_MS);
    const dataDir = mkdtempSync(join(tmpdir(), "fuzz-"));
    const service = await startProcess({ SERVICE_DATA_DIR: dataDir });
    try {
      await judgeAll(run, interpreter.ask, ajv.ask, service);
    } finally {
      await service.kill();
      await Promise.all([interpreter.close(), ajv.close()]);
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

async function judgeAll(
  { seed, count, say }: Run,
  interpret: (question: InterpreterQuestion) => Promise<InterpreterAnswer | null>,
  askAjv: (question: InterpreterQuestion) => Promise<AjvAnswer | null>,
  service: ServiceProcess,
): Promise<void> {
  const violations: string[] = [];
  const figures = new Map<string, number>();
  const note = (name: string, more = 1) => void figures.set(name, (figures.get(name) ?? 0) + more);
  let longest = 0;
  let index = 0;
  for (const each of cases(seed)) {
    if (index++ >= count || violations.length >= VIOLATIONS_SHOWN) break;
    const { schema, values, kind, ends } = each;
    const violate = (problem: string) => {
      say(`schema ${index}: ${problem.slice(0, 200)}`);
      violations.push(
        `schema ${index} (${kind}): ${problem}\n  schema ${short(schema)}\n  values ${values.map(short).join("\n         ")}`,
      );
    };
    const [first, other] = await Promise.all([interpret(each), each.isCompared ? askAjv(each) : null]);
    let found = first;
    // The machine may have been busy: measure again.
    if (found !== null && found.cpu > CPU_MS) {
      const again = await interpret(each);
      if (again !== null && again.cpu < found.cpu) found = again;
    }
    if (found === null) {
      violate("the interpreter never ends");
      continue;
    }
    const isJudged = values.every((value) => JSON.stringify(value).length <= VALUE_CHARACTERS);
    if (isJudged) longest = Math.max(longest, found.cpu);
    if (isJudged && found.cpu > CPU_MS && found.cpu > CPU_MS * paceNow())
      violate(`one call takes ${found.cpu.toFixed(0)} ms of CPU time`);
    for (const fault of found.faults) violate(fault);
    note(found.problems.length > 0 ? "schemas refused" : "schemas accepted");
    for (const { annotate } of found.verdicts) note(`values ${annotate}`);

    const end = found.problems[0] ?? found.verdicts[0]?.assert;
    // A pending pattern is decided here, and the result depends on the machine.
    if (ends !== null && ends !== "pending" && end !== ends) violate(`it ends as ${end} instead of ${ends}`);
    if (!each.isCompared) note("not compared: hostile");
    else if (other === null) note("not compared: Ajv took too long");
    else if (other.verdicts === null)
      note(found.problems.length > 0 ? "refused by both" : "not compared: refused only by Ajv");
    else if (found.problems.length > 0) note("not compared: refused only by the interpreter");
    else
      for (const [i, { annotate }] of found.verdicts.entries()) {
        if (annotate !== "valid" && annotate !== "invalid") note("values without a verdict");
        else if ((annotate === "valid") === other.verdicts[i]) note("values with the same verdict");
        else {
          const difference = differenceOf(schema, values[i]!);
          if (difference === null) violate(`${short(values[i]!)} is ${annotate}, but Ajv says ${other.verdicts[i]}`);
          else note(`different by design: ${difference}`);
        }
      }

    if (index % THROUGH_HTTP === 0)
      for (const problem of await throughHttp(service, each, found, index, note)) violate(problem);
  }
  for (const [name, times] of [...figures].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    say(`${String(times).padStart(7)} ${name}`);
  say(`the longest call took ${longest.toFixed(1)} ms of CPU time`);
  const failures = service.log.filter((line) => /"level":[56]0/.test(line));
  if (failures.length > 0)
    violations.push(`the service's log has errors:\n${failures.slice(0, 5).join("\n").slice(0, 4000)}`);
  if (violations.length > 0) throw new Error(violations.join("\n\n"));
}

/** Sends the same schema and values to the service, which must agree with the interpreter. */
async function throughHttp(
  { call }: ServiceProcess,
  { schema, values }: Case,
  { problems, verdicts }: InterpreterAnswer,
  index: number,
  note: (name: string) => void,
): Promise<string[]> {
  const wrong: string[] = [];
  const raw: unknown = JSON.parse(schema);
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return wrong;
  for (const [i, text] of values.entries()) {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    const creation = {
      task: "Fuzz",
      payload: value,
      payload_schema: raw,
      response_schema: raw,
      timeout_seconds: 60,
      idempotency_key: `${index}-${i}`,
    };
    // Request bodies have their own limits.
    const isRefusedBefore = JSON.stringify(creation).includes('"__proto__":') || depthOf(creation) > 64;
    const annotate = verdicts[i]?.annotate ?? "";
    const isByTime = annotate === "pattern_too_slow" || annotate === "pattern_busy";
    const created = await call<{ id: string }>("POST", "/api/tasks", creation);
    note("creations through HTTP");
    const expected = isRefusedBefore ? 400 : problems.length === 0 && annotate === "valid" ? 201 : 422;
    const isBusy = created.status === 503 && isByTime;
    if (created.status !== expected && created.status !== 413 && !isBusy && !(isByTime && created.status === 201))
      wrong.push(
        `creating with value ${i} gives ${created.status} instead of ${expected}: ${JSON.stringify(created.body).slice(0, 500)}`,
      );
    if (created.status !== 201) continue;
    const completed = await call("POST", `/api/tasks/${created.body.id}/complete`, { response: value });
    note("completions through HTTP");
    const answer = verdicts[i]!.assert === "valid" ? 200 : 422;
    if (completed.status !== answer)
      wrong.push(
        `completing with value ${i} gives ${completed.status} instead of ${answer}: ${JSON.stringify(completed.body).slice(0, 500)}`,
      );
  }
  return wrong;
}

/** Returns the nesting depth of the value as JSON. */
function depthOf(value: unknown): number {
  let depth = 0;
  const isNested = (item: unknown): item is object => typeof item === "object" && item !== null;
  for (let level = [value].filter(isNested); level.length > 0; depth++)
    level = level.flatMap((item) => Object.values(item).filter(isNested));
  return depth;
}

function short(text: string): string {
  return text.length > 1500 ? `${text.slice(0, 1500)}... (${text.length} characters)` : text;
}
