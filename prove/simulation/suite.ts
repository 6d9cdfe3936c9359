import { createHash } from "node:crypto";
import { createRandom } from "../random.ts";
import type { Run, Suite } from "../suite.ts";
import { clear, openOnPostgres, openOnSqlite, type Ground, type Opened } from "./ground.ts";
import { checkStory } from "./judge.ts";
import type { Story } from "./story.ts";
import { live, type Subject } from "./world.ts";

/** How many failing runs are reported; the first ones usually explain the rest. */
const FAILURES_MAX = 3;

export const simulation: Suite = {
  name: "simulation",
  promise:
    "through crashes, stalls and failures in days of virtual time, ended tasks stay ended, answers count for the version that they name, and callbacks are sent on schedule",
  counts: { short: 800, long: 20_000, unit: "runs" },
  run: (run) => on(openOnSqlite, (ground) => simulate({ ground, subject: "callbacks", isRepeatable: true }, run)),
};

export const decisions: Suite = {
  name: "decisions",
  promise:
    "through the same, and with clocks that are set back, only those decide a task who may, and its steps happen once, in time",
  counts: { short: 8, long: 400, unit: "runs on each database" },
  run: async (run) => {
    await on(openOnSqlite, (ground) => simulate({ ground, subject: "decisions", isRepeatable: true }, run));
    // Statements that run side by side are answered in an order that depends on the machine.
    await on(openOnPostgres, (ground) => simulate({ ground, subject: "decisions", isRepeatable: false }, run));
  },
};

async function on(open: () => Promise<Opened>, use: (ground: Ground) => Promise<void>): Promise<void> {
  const { ground, close } = await open();
  try {
    await use(ground);
  } finally {
    await close();
  }
}

interface Stage {
  ground: Ground;
  subject: Subject;
  /** Whether a seed gives the same run each time. */
  isRepeatable: boolean;
}

async function simulate({ ground, subject, isRepeatable }: Stage, { seed, count, say }: Run): Promise<void> {
  const failures: string[] = [];
  const all = createHash("sha256");
  const total: Record<string, number> = {};
  const once = async (own: number): Promise<Story> => {
    await clear(ground);
    return live(ground, subject, createRandom(own));
  };
  for (let i = 0; i < count && failures.length < FAILURES_MAX; i++) {
    const own = (seed + i) % 2 ** 31;
    const story = await once(own);
    const digest = digestOf(story);
    all.update(digest);
    if (i === 0 && isRepeatable) {
      const again = digestOf(await once(own));
      if (again !== digest) failures.push(`Seed ${own} gave ${digest}, and a second time ${again}.`);
      else say(`seed ${own} twice: ${digest}`);
    }
    add(total, subject, story);
    const wrong = checkStory(story);
    if (wrong.length > 0) failures.push(report(subject, own, story, wrong));
    if (count >= 5_000 && (i + 1) % 5_000 === 0) say(`${i + 1} runs`);
  }
  const figures = Object.entries(total).map(([what, number]) => `${number.toFixed(0)} ${what}`);
  say(`${ground.db.dialect}: ${figures.join(", ")}`);
  if (isRepeatable) say(`all: ${all.digest("hex").slice(0, 16)}`);
  if (failures.length > 0) throw new Error(failures.join("\n\n"));
}

function digestOf({ log }: Story): string {
  return createHash("sha256").update(log.join("\n")).digest("hex").slice(0, 16);
}

function report(subject: Subject, seed: number, { log }: Story, wrong: string[]): string {
  const suite = subject === "callbacks" ? simulation : decisions;
  return [
    ...log.map((line) => `    ${line}`),
    `Seed ${seed}, after the events above (npm run prove -- ${suite.name} --count 1 --seed ${seed}):`,
    ...wrong.map((line) => `  - ${line}`),
  ].join("\n");
}

/** Adds the figures of one run. */
function add(total: Record<string, number>, subject: Subject, { log, flights, stands, tasks, shifts }: Story): void {
  const count = (part: string) => log.filter((line) => line.includes(part)).length;
  const rows = [...stands.values()].flat();
  const entries = tasks.flatMap(({ audit }) => audit);
  const acts = (...actions: string[]) => entries.filter(({ action }) => actions.includes(action)).length;
  const lost = rows.filter(({ last_error }) => last_error?.startsWith("worker_lost"));
  const figures = {
    days: Number(log.at(-1)?.split(" ")[0]) / 86_400,
    attempts: flights.length,
    crashes: count("crashes"),
    "attempts counted as lost": new Set(lost.map((row) => row.last_attempt_at)).size,
    "callbacks abandoned": rows.filter(({ status }) => status === "ABANDONED").length,
    redelivered: count("redeliver: done"),
    revised: acts("revised"),
    "answers to an earlier version": count("TASK_REVISED"),
    ...(subject === "decisions" && {
      decisions: acts("approved", "declined", "withdrawn") + entries.filter(({ decided_by }) => decided_by).length,
      steps: acts("escalated"),
      "declared answers": entries.filter(({ channel }) => channel === "fallback").length,
      "clocks set": shifts.length - 1,
    }),
  };
  for (const [what, number] of Object.entries(figures)) total[what] = (total[what] ?? 0) + number;
}
