/**
 * Runs the proofs of the service's promises: `npm run prove -- [--short] [--count N] [--seed N] [--jobs N] [suite ...]`.
 *
 * Each suite prints its seed and the command that repeats it. Exits with 1 after a violation, and with 2 when a suite
 * cannot run on this machine. A suite of something that is no part of this project, such as Citus, may be left out. docs/reliability.md says which suite shows what.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { processorSeconds } from "../test/support/processor-time.ts";
import { NotRun, type Suite } from "./suite.ts";
import { SUITES } from "./suites.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean", default: false },
    count: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  console.log("npm run prove -- [--short] [--count N] [--seed N] [--jobs N] [suite ...]\n");
  for (const { name, promise, counts } of SUITES)
    console.log(
      `  ${name.padEnd(18)}${promise}\n${" ".repeat(20)}${counts.long} ${counts.unit}, ${counts.short} with --short`,
    );
  process.exit(0);
}

const unknown = positionals.filter((name) => !SUITES.some((suite) => suite.name === name));
if (unknown.length > 0)
  fail(`No suite is called ${unknown.join(", ")}. There are: ${SUITES.map(({ name }) => name).join(", ")}.`);
const seed = wholeNumber("seed", values.seed) ?? Math.floor(Math.random() * 2 ** 31);
const count = wholeNumber("count", values.count);
const jobs = wholeNumber("jobs", values.jobs) ?? 1;

const waiting = SUITES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
type Verdict = "held" | "violated" | "not run" | "not shown here";
const EXIT_CODES: Record<Verdict, number> = { held: 0, violated: 1, "not run": 2, "not shown here": 0 };
const suites: Record<Verdict, string[]> = { held: [], violated: [], "not run": [], "not shown here": [] };
const work = async (prove: (suite: Suite) => Promise<Verdict>) => {
  for (let suite = waiting.shift(); suite; suite = waiting.shift())
    suites[saysWhatIsLacking(suite) ? "not shown here" : await prove(suite)].push(suite.name);
};
await (jobs > 1 ? Promise.all(Array.from({ length: jobs }, async () => work(proveApart))) : work(proveHere));
const { violated, "not run": missing, "not shown here": notShown } = suites;
const last = [
  ...(violated.length > 0 ? [`Violated: ${violated.join(", ")}.`] : []),
  ...(missing.length > 0 ? [`Not run: ${missing.join(", ")}.`] : []),
  ...(violated.length + missing.length === 0 && suites.held.length > 0 ? ["Everything held."] : []),
  ...(notShown.length > 0 ? [`Not shown here: ${notShown.join(", ")}.`] : []),
];
console.log(`\n${last.join(" ")}`);
process.exit(EXIT_CODES[violated.length > 0 ? "violated" : missing.length > 0 ? "not run" : "held"]);

function saysWhatIsLacking({ name, lacking }: Suite): boolean {
  const words = lacking?.() ?? null;
  if (words !== null) console.log(`\n${name}: NOT SHOWN HERE\n  ${words}`);
  return words !== null;
}

async function proveHere({ name, promise, counts, run }: Suite): Promise<Verdict> {
  const times = count ?? (values.short ? counts.short : counts.long);
  console.log(`\n${name}: ${times} ${counts.unit}, seed ${seed}`);
  const started = performance.now();
  const usedBefore = processorSeconds()?.all ?? 0;
  try {
    await run({ seed, count: times, say: (line) => console.log(`  ${line}`) });
    const used = processorSeconds();
    const spent = used === null ? "" : ` (${(used.all - usedBefore).toFixed(0)} s of processors)`;
    console.log(`  held, ${((performance.now() - started) / 1000).toFixed(0)} s${spent}: ${promise}`);
    return "held";
  } catch (error) {
    if (error instanceof NotRun) {
      console.log(`  NOT RUN: ${error.message}`);
      return "not run";
    }
    console.log(error instanceof Error ? error.stack : error);
    console.log(`  VIOLATED: ${promise}\n  Repeat with: npm run prove -- ${name} --count ${times} --seed ${seed}`);
    return "violated";
  }
}

/** Runs a suite in a separate process, and prints its output at the end. */
async function proveApart({ name, counts }: Suite): Promise<Verdict> {
  const times = count ?? (values.short ? counts.short : counts.long);
  const args = [...process.execArgv, import.meta.filename, name, "--count", String(times), "--seed", String(seed)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  // The last two lines are about the run as a whole.
  console.log(output.trimEnd().split("\n").slice(0, -2).join("\n").trimEnd());
  return status === 0 ? "held" : status === EXIT_CODES["not run"] ? "not run" : "violated";
}

function wholeNumber(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,10}$/.test(given)) fail(`--${name} takes a whole number, not ${JSON.stringify(given)}.`);
  return Number(given);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
