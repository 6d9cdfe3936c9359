import { setTimeout as delay } from "node:timers/promises";
import type { Escalation, Ladder, Step } from "../../src/escalation/ladder.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/time.ts";
import { DATABASES, type Bench, type Dialect } from "../support/bench.ts";
import { get, openClient } from "../support/client.ts";
import { quantile } from "../support/load.ts";
import { API_RATE, useMeanwhile } from "../support/meanwhile.ts";
import { openTask, writeTasks, type SeededTask } from "../support/seed.ts";
import { OWN_WORK_MS, withService } from "../support/service.ts";
import type { Home, Target } from "../support/target.ts";

const DUE_AT_ONCE = 100_000;
const GIVEN_UP_AFTER = 120 * SECOND;
/** What each task does, in turn. */
const STEPS: readonly Step[] = [
  { do: "raise", after: 1800, calendar: null, to: null },
  { do: "remind", after: 1800, calendar: null, to: null },
  { do: "assign", after: 1800, calendar: null, to: { email: "lee@example.com" } },
];

/** Measures a hundred thousand steps that are due at once. */
export async function steps(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) await allAtOnce(bench, dialect);
}

async function allAtOnce(bench: Bench, dialect: Dialect): Promise<void> {
  const name = `${DATABASES[dialect]}, ${DUE_AT_ONCE} due at once`;
  const now = Date.now();
  const tasks = Array.from({ length: DUE_AT_ONCE }, (_, i) => withStep(i, now));
  // They happen in the order of their ids.
  const last = tasks.at(-1)!.tasks[0].id;
  const prepare = async (home: Home) => writeTasks(home, tasks);
  await withService(bench, { dialect, name, prepare, computing: OWN_WORK_MS }, async ([service]) => {
    const began = performance.now();
    let clearedAt: number | null = null;
    const ended = untilTaken(service, last, began + GIVEN_UP_AFTER).then((at) => (clearedAt = at));
    const ms = await useMeanwhile(service, () => clearedAt !== null);
    await ended;
    bench.figure({
      name: `${name}: cleared after`,
      value: (clearedAt! - began) / SECOND,
      unit: "s",
      hold: { under: 60 },
      ...(clearedAt! >= began + GIVEN_UP_AFTER && { note: "given up" }),
    });
    bench.figure({
      name: `${name}: API at the same time, ${API_RATE}/s, p99`,
      value: quantile(ms, 0.99),
      unit: "ms",
      hold: { under: 250 },
      note: `p50 ${quantile(ms, 0.5).toFixed(1)} ms`,
    });
  });
}

function withStep(i: number, now: number): SeededTask {
  const task = openTask(i, { created_at: now - HOUR + (i % HOUR), timeout_at: now + DAY });
  const step = STEPS[i % STEPS.length]!;
  const at = now - MINUTE;
  const ladder: Ladder = [{ do: step.do, at, done_at: null }];
  const escalation: Escalation = { by: "steps", template: null, steps: [step] };
  return {
    ...task,
    tasks: [{ ...task.tasks[0], ladder: JSON.stringify(ladder), next_step_at: at }],
    task_documents: [{ ...task.task_documents[0], escalation: JSON.stringify(escalation) }],
  };
}

/** @returns the moment at which a task had taken its step, or `end` */
async function untilTaken(service: Target, id: string, end: number): Promise<number> {
  const client = await openClient(service.url);
  try {
    while (performance.now() < end) {
      const { body } = await client.ask(get(`/api/tasks/${id}`, `"id":"${id}"`));
      if ((JSON.parse(body.toString()) as { next_step: object | null }).next_step === null) return performance.now();
      await delay(100);
    }
    return end;
  } finally {
    client.close();
  }
}
