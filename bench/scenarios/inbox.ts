import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openPool, type Pool } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { openTask, writeTasks, type SeededTask } from "../support/seed.ts";
import { makeHome, SERVICE, startTarget } from "../support/target.ts";
import { DAY, MINUTE } from "../../src/lib/time.ts";

const TASKS = 100_000;
/** The number of rows of a page of the dashboard's inbox. */
const PAGE = 50;
/** How many pages of each list are read, one after another. */
const PAGES = 40;
const HOLD_MS = 100;

/** Lists of the dashboard. The scenario measures the slowest page of each while 100,000 tasks are open. */
const LISTS: Readonly<Record<string, string>> = {
  "soonest first": "terminal=false&sort=deadline",
  "newest first": "terminal=false&sort=created",
  unassigned: "terminal=false&sort=deadline&unassigned=true",
  "sent back": "terminal=false&sort=deadline&status=rejected",
  "of one person": "terminal=false&sort=deadline&assigned_to=person-7@example.com",
  "a text that most have": "terminal=false&sort=deadline&q=refund",
};
/** Reads every open task, which no page does. This figure is for information. */
const SEARCH_WITHOUT_RESULT = "terminal=false&sort=deadline&q=no%20task%20says%20this";

export async function inbox(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    const home = await makeHome(dialect);
    await writeTasks(home, waiting(Date.now()));
    const service = await startTarget(SERVICE, home);
    const pool = await openPool(service.url, 1);
    for (const [name, query] of Object.entries(LISTS)) {
      // The first walk is not counted: it brings the pages into memory.
      await walk(pool, query);
      const ms = sorted(await walk(pool, query));
      bench.figure({
        name: `${DATABASES[dialect]}: ${TASKS} tasks wait, ${name}, slowest page of ${PAGE}`,
        value: ms.at(-1)!,
        unit: "ms",
        hold: { under: HOLD_MS },
        note: `${ms.length} pages, p50 ${quantile(ms, 0.5).toFixed(1)} ms`,
      });
    }
    await walk(pool, SEARCH_WITHOUT_RESULT);
    const [ms = Number.NaN] = await walk(pool, SEARCH_WITHOUT_RESULT);
    bench.figure({ name: `${DATABASES[dialect]}: ${TASKS} tasks wait, a text that none has`, value: ms, unit: "ms" });
    pool.close();
    await service.stop();
    await home.remove();
  }
}

function* waiting(now: number): Generator<SeededTask> {
  for (let i = 0; i < TASKS; i++) {
    const created_at = now - DAY - (TASKS - i) * 10;
    yield openTask(i, {
      created_at,
      timeout_at: now + DAY + ((i * 7919) % TASKS) * MINUTE,
      email: i % 5 < 2 ? `person-${i % 200}@example.com` : null,
      isRejected: i % 20 === 0,
    });
  }
}

/** Follows the links from page to page. @returns milliseconds of each */
async function walk(pool: Pool, query: string): Promise<number[]> {
  const ms: number[] = [];
  for (let path: string | undefined = `/api/tasks?limit=${PAGE}&${query}`; path !== undefined && ms.length < PAGES;) {
    const began = performance.now();
    const { head }: { head: string } = await pool.ask(get(path, "["));
    ms.push(performance.now() - began);
    path = /\r\nlink: <([^>]+)>/i.exec(head)?.[1];
  }
  return ms;
}
