/**
 * Shows that what the service promises holds: `npm run prove -- [--short] [--count N] [--seed N] [suite ...]`.
 *
 * Each suite prints its seed and the command that repeats it. Ends with 1 when anything was violated.
 */
import { parseArgs } from "node:util";
import { SUITES } from "./suites.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean", default: false },
    count: { type: "string" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  console.log("npm run prove -- [--short] [--count N] [--seed N] [suite ...]\n");
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

const violated: string[] = [];
for (const suite of SUITES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const times = count ?? (values.short ? suite.counts.short : suite.counts.long);
  const again = `npm run prove -- ${suite.name} --count ${times} --seed ${seed}`;
  console.log(`\n${suite.name}: ${times} ${suite.counts.unit}, seed ${seed}`);
  const started = performance.now();
  try {
    await suite.run({ seed, count: times, say: (line) => console.log(`  ${line}`) });
    console.log(`  held, ${((performance.now() - started) / 1000).toFixed(0)} s: ${suite.promise}`);
  } catch (error) {
    violated.push(suite.name);
    console.error(error instanceof Error ? error.stack : error);
    console.error(`  VIOLATED: ${suite.promise}\n  Again with: ${again}`);
  }
}
console.log(violated.length === 0 ? "\nEverything held." : `\nViolated: ${violated.join(", ")}.`);
process.exit(violated.length === 0 ? 0 : 1);

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) fail(`--${name} takes a whole number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
