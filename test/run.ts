import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ensureInstalled } from "../pack/installed.ts";
import { SETS, setOf, touchedBy } from "./sets.ts";
import { bundleService } from "./support/bundled-service.ts";
import { CITUS } from "./support/citus.ts";
import { findStale, judge } from "./support/home-rules.ts";
import { PROCESSOR_FOLDER, processorSeconds, readProcessorTimes } from "./support/processor-time.ts";
import { sharePostgres } from "./support/postgres.ts";
import { SEED } from "./support/seed.ts";
import { readStatements, RECORDING, STATEMENTS_FOLDER } from "./support/statements.ts";

const HELP = `npm test -- [what to run] [--jobs N]

  (nothing)         every test file
  <part of a name>  the files with this in their path; several may be named
  --set <name>      the files of a set: ${Object.keys(SETS).join(", ")}
  --changed <base>  the sets of what has changed since <base>, committed or not, with the proofs of what writes
  --full            every test file, then every proof in its short form: what CI runs
  --long            every test file, then every proof at length: hours

  --jobs N          so many files at a time; one more than there are processors, 4 at most, when it is left out
`;

const { values, positionals } = options();
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const all = globSync("**/*.test.ts", { exclude: ["**/node_modules/**", "**/dist/**", "vendor/**"] });
const { files, proofs } = chosen();
const jobs = values.jobs === undefined ? Math.min(availableParallelism() + 1, 4) : Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) fail(`--jobs takes a whole number from 1 on, not ${values.jobs}.`);

// Each file, which runs in a process of its own, and each proof draws by the same.
process.env["TEST_SEED"] = String(SEED);
process.stdout.write(`Drawn by lot from TEST_SEED=${SEED}.\n`);
// What files share, and what is the same whenever it is made.
const shared = mkdtempSync(join(tmpdir(), "service-tests-"));
process.once("exit", () => rmSync(shared, { recursive: true, force: true }));
process.env["TEST_SHARED"] = shared;
process.env["NODE_COMPILE_CACHE"] = join(shared, "compiled");
const processor = join(shared, "processor");
mkdirSync(processor);
process.env[PROCESSOR_FOLDER] = processor;
// The rules are about the statements for one PostgreSQL.
const statements = process.env[CITUS] === undefined ? join(shared, "statements") : null;
if (statements !== null) {
  mkdirSync(statements);
  process.env[STATEMENTS_FOLDER] = statements;
}
/** The folders with packages of their own, and the tests that need them. */
const PACKAGES = {
  adapters: ["adapters/", "test/frameworks/"],
  "test/browser": ["test/browser/", "test/frameworks/"],
  "test/inspector": ["test/inspector/"],
};
const isNeeded = (folder: keyof typeof PACKAGES) =>
  files.some((file) => PACKAGES[folder].some((start) => file.startsWith(start)));
for (const folder of Object.keys(PACKAGES) as (keyof typeof PACKAGES)[]) if (isNeeded(folder)) ensureInstalled(folder);
// Adapters import the client as it is built.
if (isNeeded("adapters")) execFileSync(process.execPath, ["sdk/build.ts"], { stdio: "inherit" });
if (files.length > 1) await Promise.all([sharePostgres(), bundleService()]);

/** What the system says that ended processes have used, when the tests are over. */
let endedWithTests = 0;
const passed =
  files.length === 0 || [await runTests(), statements === null || judgeStatements(statements)].every(Boolean);
// The proofs send statements that no test sends.
const held =
  passed && (proofs === null || ((await prove(proofs)) && (statements === null || judgeStatements(statements))));
sayProcessorTime();
process.exit(held ? 0 : 1);

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        set: { type: "string", multiple: true },
        changed: { type: "string" },
        full: { type: "boolean" },
        long: { type: "boolean" },
        jobs: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${HELP}`);
  }
}

/** The test files that were asked for, those of slow sets first, and how the proofs are to be run. */
function chosen(): { files: string[]; proofs: readonly string[] | null } {
  const { set: sets, changed: base, full, long } = values;
  const ways = [positionals.length > 0, sets, base, full, long].filter((way) => way !== undefined && way !== false);
  if (ways.length > 1) fail(`Only one of names, --set, --changed, --full and --long can be given.\n\n${HELP}`);
  const ordered = Object.keys(SETS).flatMap((name) => all.filter((file) => setOf(file) === name).toSorted());
  const proofs = full ? ["--short"] : long ? [] : null;

  if (positionals.length > 0) {
    const missed = positionals.filter((part) => !all.some((file) => file.includes(part)));
    if (missed.length > 0) fail(`No test file has this in its name: ${missed.join(", ")}.`);
    return { files: ordered.filter((file) => positionals.some((part) => file.includes(part))), proofs };
  }
  if (sets !== undefined) {
    const unknown = sets.filter((name) => !(name in SETS));
    if (unknown.length > 0) fail(`No set is called ${unknown.join(", ")}. There are: ${Object.keys(SETS).join(", ")}.`);
    return { files: ordered.filter((file) => sets.includes(setOf(file)!)), proofs };
  }
  if (base !== undefined) {
    const touched = touchedBy(changedSince(base));
    process.stdout.write(
      `Sets touched since ${base}: ${touched.sets.join(", ") || "none"}${touched.proofs ? ", and the proofs" : ""}.\n`,
    );
    return {
      files: ordered.filter((file) => touched.sets.includes(setOf(file)!)),
      proofs: touched.proofs ? ["--short"] : null,
    };
  }
  return { files: ordered, proofs };
}

/** Paths of files that differ from those of a commit's and this branch's common past, or are new. */
function changedSince(base: string): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);
  try {
    return [
      ...git("diff", "--name-only", "--no-renames", "--merge-base", base),
      ...git("ls-files", "--others", "--exclude-standard"),
    ];
  } catch {
    return fail(`git knows no commit ${base} to compare with.`);
  }
}

/** @returns whether all of them passed */
async function runTests(): Promise<boolean> {
  const seconds = new Map<string, number>();
  let isGood = true;
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const stream = run({
    files: processesOf(files),
    concurrency: jobs,
    execArgv: [
      ...RECORDING,
      ...["seed", "hangs", "processor-time"].flatMap((name) => ["--import", `./test/support/${name}.ts`]),
    ],
    signal: stop.signal,
  });
  const known = new Set(files);
  for (const end of ["test:pass", "test:fail"] as const)
    stream.on(end, ({ name, nesting, details }) => {
      if (nesting === 0 && known.has(name)) seconds.set(name, details.duration_ms / 1000);
    });
  stream.on("test:summary", ({ file, success, duration_ms }) => {
    isGood &&= success;
    const name = relative(".", file ?? "");
    if (known.has(name)) seconds.set(name, duration_ms / 1000);
  });
  stream.compose(new spec()).pipe(process.stdout);
  await once(stream, "end");
  endedWithTests = processorSeconds()?.ended ?? 0;

  // A file whose process ended without a word of it has not passed.
  const silent = files.filter((file) => !seconds.has(file));
  if (silent.length > 0) process.stdout.write(`\nNothing was heard of ${silent.join(", ")}.\n`);
  const { files: used } = readProcessorTimes(processor);
  const timeOf = (file: string) => used.get(file) ?? seconds.get(file)!;
  const slowest = [...seconds.keys()].toSorted((a, b) => timeOf(b) - timeOf(a)).slice(0, 20);
  const lines = slowest.map((file) => {
    const took = `${seconds.get(file)!.toFixed(1).padStart(7)} s`;
    const processorTime = used.has(file) ? `${used.get(file)!.toFixed(1).padStart(7)} s of processors` : "";
    return `${took}${processorTime}  ${file}`;
  });
  process.stdout.write(`\nThe slowest files:\n${lines.join("\n")}\n`);
  const sets = Object.keys(SETS).flatMap((name) => {
    const own = [...seconds.keys()].filter((file) => setOf(file) === name);
    const sum = own.reduce((total, file) => total + (used.get(file) ?? 0), 0);
    return own.length === 0 ? [] : [`${sum.toFixed(0).padStart(7)} s of processors  ${name}, ${own.length} files`];
  });
  process.stdout.write(`\nThe sets:\n${sets.join("\n")}\n`);
  return isGood && silent.length === 0;
}

/**
 * Judges what the service sent to PostgreSQL in this run, and after a run of all files also whether the list of exceptions
 * has one too many.
 * @returns whether all of it keeps the rules
 */
function judgeStatements(folder: string): boolean {
  const texts = readStatements(folder);
  const wrong = texts.flatMap((text) => judge(text).map((sentence) => `${sentence}\n${text}`));
  if (files.length === all.length) wrong.push(...findStale(texts));
  process.stdout.write(`\n${texts.length} statements were sent to PostgreSQL.\n`);
  if (wrong.length > 0)
    process.stdout.write(`Not all keep the rules of src/db/beyond-home.ts:\n\n${wrong.join("\n\n")}\n`);
  return wrong.length === 0;
}

/** What each process runs, in order: a browser's test beside one that mostly waits, so that neither is short of a processor. */
function processesOf(files: readonly string[]): string[] {
  const [browsers, others] = [
    filesFor(["pages"], files),
    filesFor(
      Object.keys(SETS).filter((name) => name !== "pages"),
      files,
    ),
  ];
  const rest = others.flatMap((file, i) => [...browsers.slice(i, i + 1), file]);
  return [...rest, ...browsers.slice(others.length)];
}

/** A file for each process: a test file itself, or one that is made for several. */
function filesFor(sets: readonly string[], files: readonly string[]): string[] {
  return sets.flatMap((name) => {
    const own = files.filter((file) => setOf(file) === name);
    const processes = Math.ceil(own.length / (SETS[name]!.together ?? 1));
    return Array.from({ length: processes }, (_, i) => {
      // Files of one kind, which take equally long, lie side by side: each process gets its share of them.
      const some = own.filter((_, at) => at % processes === i);
      if (some.length === 1) return some[0]!;
      const file = join(shared, `${name}-${i + 1}.test.mjs`);
      const { before = "test/support/together.ts" } = SETS[name]!;
      const imports = [before, "test/support/together.ts"].map((path) => JSON.stringify(pathToFileURL(resolve(path))));
      writeFileSync(
        file,
        `import ${imports[0]};\nimport { runTogether } from ${imports[1]};\nawait runTogether(${JSON.stringify(some)});\n`,
      );
      return file;
    });
  });
}

async function prove(how: readonly string[]): Promise<boolean> {
  const args = [...RECORDING, "prove/main.ts", ...how, "--jobs", String(jobs), "--seed", String(SEED)];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  const [status] = (await once(child, "exit")) as [number | null];
  // 2: everything that ran held, and the output says what was NOT RUN, since this machine could not fetch a program for it.
  return status === 0 || status === 2;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Says how much time the run has used. The processes of tests have noted theirs, which the system does not count in full. */
function sayProcessorTime(): void {
  const used = processorSeconds();
  if (used === null) return;
  const { all: tests } = readProcessorTimes(processor);
  const others = used.all - endedWithTests;
  process.stdout.write(
    `\n${(tests + others).toFixed(0)} s of processors were used: ${tests.toFixed(0)} s by tests, ${others.toFixed(0)} s by PostgreSQL, the proofs and this program.\n`,
  );
}
