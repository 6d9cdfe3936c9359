/**
 * Compares the speed of the service with the least that a program could do. docs/benchmarks.md describes each
 * measurement.
 *
 * Floor and service take turns in one run on the same machine, because ratios are comparable between machines and times
 * are not.
 */
import { agentTokens } from "./scenarios/agent-tokens.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { blackHoles } from "./scenarios/black-holes.ts";
import { callbacks } from "./scenarios/callbacks.ts";
import { citus } from "./scenarios/citus.ts";
import { createLatency } from "./scenarios/create-latency.ts";
import { creates } from "./scenarios/creates.ts";
import { deadEngines } from "./scenarios/dead-engines.ts";
import { drain } from "./scenarios/drain.ts";
import { growth } from "./scenarios/growth.ts";
import { halfLoad } from "./scenarios/half-load.ts";
import { hungVerifier } from "./scenarios/hung-verifier.ts";
import { idlePolls } from "./scenarios/idle-polls.ts";
import { inbox } from "./scenarios/inbox.ts";
import { inboxInBrowser } from "./scenarios/inbox-in-browser.ts";
import { large } from "./scenarios/large.ts";
import { lives } from "./scenarios/lives.ts";
import { lostListen } from "./scenarios/lost-listen.ts";
import { reads } from "./scenarios/reads.ts";
import { replicas } from "./scenarios/replicas.ts";
import { start } from "./scenarios/start.ts";
import { steps } from "./scenarios/steps.ts";
import { timeouts } from "./scenarios/timeouts.ts";
import { upgrade } from "./scenarios/upgrade.ts";
import { restartAmidDead, unknownReceiver } from "./scenarios/unknown-receivers.ts";
import { wake } from "./scenarios/wake.ts";
import { compareWith, comparison } from "./support/compare.ts";
import { compareWithFloor, type Bench, type Dialect, type Figure } from "./support/bench.ts";
import { line, replaceTable, table, writeJson } from "./support/report.ts";
import { clearAway } from "./support/target.ts";

const SCENARIOS: Record<string, (bench: Bench) => Promise<void>> = {
  creates,
  "create-latency": createLatency,
  "half-load": halfLoad,
  reads,
  "agent-tokens": agentTokens,
  lives,
  replicas,
  large,
  wake,
  "lost-listen": lostListen,
  "idle-polls": idlePolls,
  callbacks,
  drain,
  "black-holes": blackHoles,
  "dead-engines": deadEngines,
  "unknown-receiver": unknownReceiver,
  "restart-amid-dead": restartAmidDead,
  "hung-verifier": hungVerifier,
  timeouts,
  steps,
  start,
  growth,
  inbox,
  "inbox-in-browser": inboxInBrowser,
  upgrade,
  citus,
};
/** Scenarios whose results depend on the disk. */
const WITH_SLOW_FSYNC = ["creates", "create-latency", "wake"];

const HELP = `npm run bench -- [--seconds N] [--fsync-ms N] [--sqlite|--postgres] [--json FILE] [--markdown FILE] [scenario ...]
npm run bench -- --before FOLDER [--rounds N] [--seconds N] [--sqlite|--postgres] [scenario ...]

  --seconds N       how long one turn takes (3); some scenarios need a multiple of it
  --fsync-ms N      every fsync takes N ms longer, by strace; then only: ${WITH_SLOW_FSYNC.join(", ")}
  --sqlite, --postgres   this database only
  --json FILE       writes all figures there
  --markdown FILE   replaces the table of figures in that page
  --before FOLDER   compares with another checkout of the service, installed there: both take turns
  --rounds N        how many turns each of both takes (5)
Scenarios: ${Object.keys(SCENARIOS).join(", ")}.
CITUS_URL: the address of a coordinator of Citus, for the scenario citus. BENCH_DIR: the folder for data. BENCH_PROFILES: a folder for profiles of the service's processor time.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "3" },
    "fsync-ms": { type: "string", default: "0" },
    sqlite: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    json: { type: "string" },
    markdown: { type: "string" },
    before: { type: "string" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const seconds = Number(values.seconds);
const fsyncMs = Number(values["fsync-ms"]);
const isKnown = positionals.every((name) => name in SCENARIOS);
const rounds = Number(values.rounds);
if (values.help || !isKnown || !(seconds > 0) || !(fsyncMs >= 0) || !(rounds >= 1)) {
  console.error(HELP);
  process.exit(values.help ? 0 : 1);
}
const both: readonly Dialect[] = ["sqlite", "postgres"];
const dialects = values.sqlite === values.postgres ? both : both.filter((dialect) => values[dialect]);
const chosen = Object.keys(SCENARIOS).filter((name) =>
  positionals.length > 0 ? positionals.includes(name) : fsyncMs === 0 || WITH_SLOW_FSYNC.includes(name),
);

if (values.before !== undefined) {
  const only = dialects.length === 1 ? [`--${dialects[0]}`] : [];
  const args = ["--seconds", values.seconds, "--fsync-ms", values["fsync-ms"], ...only, ...chosen];
  console.log(`\n${comparison(compareWith(values.before, rounds, args))}`);
  process.exit(0);
}

// A request may fail before any code awaits it. The code that awaits it later gets the error.
process.on("unhandledRejection", (error) => console.error(error));

const figures: Figure[] = [];
const failed: string[] = [];
for (const name of chosen) {
  const began = performance.now();
  console.log(`\n${name}`);
  const bench: Bench = {
    seconds,
    fsyncMs,
    dialects,
    say: (text) => console.log(`    ${text}`),
    figure: (measured) => {
      const figure = compareWithFloor(name, measured);
      figures.push(figure);
      console.log(`  ${line(figure)}`);
    },
  };
  try {
    await SCENARIOS[name]!(bench);
  } catch (error) {
    // Continue with the other scenarios.
    console.error(error);
    failed.push(name);
    clearAway();
  }
  // Written after each scenario, so that an aborted run keeps its figures.
  if (values.json !== undefined) writeJson(values.json, figures);
  console.log(`  (${((performance.now() - began) / 1000).toFixed(0)} s)`);
}

console.log(`\n${table(figures)}`);
if (values.markdown !== undefined)
  writeFileSync(values.markdown, replaceTable(readFileSync(values.markdown, "utf8"), figures));
if (failed.length > 0) console.error(`\nFailed: ${failed.join(", ")}.`);
process.exit(failed.length === 0 ? 0 : 1);
