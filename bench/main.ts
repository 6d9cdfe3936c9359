/**
 * How fast the service is, beside the least that a program could do: `npm run bench -- [--seconds N] [scenario ...]`.
 *
 * Floor and service take turns in one run on the same machine, so that the ratio means something where the times do not.
 */
import { parseArgs } from "node:util";
import { creates } from "./scenarios/creates.ts";

const SCENARIOS = { creates };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "3" }, help: { type: "boolean", short: "h", default: false } },
});
const names = Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[];
const unknown = positionals.filter((name) => !names.some((known) => known === name));
const seconds = Number(values.seconds);
if (values.help || unknown.length > 0 || !(seconds > 0)) {
  console.error(`npm run bench -- [--seconds N] [scenario ...]\nScenarios: ${names.join(", ")}.`);
  process.exit(values.help ? 0 : 1);
}

for (const name of names.filter((known) => positionals.length === 0 || positionals.includes(known))) {
  console.log(`\n${name}`);
  await SCENARIOS[name]({ seconds, say: (line) => console.log(`  ${line}`) });
}
process.exit(0);
