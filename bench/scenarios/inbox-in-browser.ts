import { launchChromium } from "../../test/browser/support/chromium.ts";
import { DAY, MINUTE } from "../../src/lib/time.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { openPool, requestBytes, type Pool } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { openTask, writeTasks, type SeededTask } from "../support/seed.ts";
import { makeHome, SERVICE, startTarget } from "../support/target.ts";

const TASKS = 100_000;
/** How often the inbox is opened. The first openings are not counted: they fill the caches of browser and service. */
const OPENINGS = 15;
const WARM = 4;
const OPEN_HOLD_MS = 150;
/** For how long each list is scrolled, in milliseconds, and how far in each frame, in pixels. */
const SCROLL_MS = 4000;
const STEP_PX = 40;
/** Percent of late frames by which the inbox may be above a page that has the rows and nothing else. */
const LATE_HOLD = 5;
const EMAIL = "olga@example.com";
const PASSWORD = "correct horse battery staple";

/** Times of one opening, in milliseconds since the navigation began. */
interface Opening {
  /** The frame that has the first rows was painted. */
  rows: number;
  /** The requests that were made until then: their path, and when they began and ended. */
  requests: { path: string; start: number; end: number }[];
}

/** Opens and scrolls the inbox of an operator in Chromium while 100,000 tasks are open. */
export async function inboxInBrowser(bench: Bench): Promise<void> {
  const browser = await launchChromium();
  try {
    for (const dialect of bench.dialects) {
      const home = await makeHome(dialect);
      await writeTasks(home, waiting(Date.now()));
      const service = await startTarget(SERVICE, home);
      const pool = await openPool(service.url, 1);
      // The measuring scripts are evaluated, which the policy of the page forbids.
      const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1440, height: 900 } });
      const [name, value] = await signIn(pool);
      await context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: "Lax" }]);
      const page = await context.newPage();
      await page.addInitScript(NOTE_ROWS);
      const openings: Opening[] = [];
      for (let i = 0; i < OPENINGS; i++) {
        await page.goto(`${service.url}/inbox`);
        await page.waitForFunction("globalThis.rowsPaintedAt !== undefined");
        openings.push(await page.evaluate<Opening>(READ_OPENING));
        // What opens after the rows must not delay the next opening.
        await page.waitForLoadState("networkidle");
      }
      const counted = openings.slice(WARM);
      const ms = sorted(counted.map(({ rows }) => rows));
      bench.figure({
        name: `${DATABASES[dialect]}: ${TASKS} tasks wait, the inbox opens in Chromium, p50`,
        value: quantile(ms, 0.5),
        unit: "ms",
        hold: { under: OPEN_HOLD_MS },
        note: `${counted.length} openings, slowest ${ms.at(-1)!.toFixed(0)} ms; ${describeOpening(counted)}`,
      });

      const late = (await page.evaluate(
        `(${SCROLL})({ selector: "section.list", ms: ${SCROLL_MS}, step: ${STEP_PX} })`,
      )) as Scrolled;
      await page.setContent(bareList(late.rows));
      const bare = (await page.evaluate(
        `(${SCROLL})({ selector: "section.list", ms: ${SCROLL_MS}, step: ${STEP_PX} })`,
      )) as Scrolled;
      bench.figure({
        name: `${DATABASES[dialect]}: frames late while the inbox is scrolled, above those of a bare list`,
        value: (late.late - bare.late) * 100,
        unit: "%",
        hold: { under: LATE_HOLD },
        note: `${late.rows} rows; inbox ${describe(late)}; bare list ${describe(bare)}`,
      });
      await context.close();
      pool.close();
      await service.stop();
      await home.remove();
    }
  } finally {
    await browser.close();
  }
}

/** Notes when the first rows are painted: the task after the frame that follows their insertion. */
const NOTE_ROWS = `new MutationObserver((_, observer) => {
  if (document.querySelector("[data-task]") === null) return;
  observer.disconnect();
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { globalThis.rowsPaintedAt = performance.now(); };
    port2.postMessage(null);
  });
}).observe(document, { childList: true, subtree: true });`;

const READ_OPENING = `({
  rows: globalThis.rowsPaintedAt,
  requests: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(({ responseEnd }) => responseEnd <= globalThis.rowsPaintedAt)
    .map(({ name, startTime, responseEnd }) => ({ path: new URL(name).pathname, start: startTime, end: responseEnd })),
})`;

interface Scrolled {
  rows: number;
  frames: number;
  /** Share of the frames that came later than one and a half times the interval of 60 a second. */
  late: number;
  slowest: number;
}

/** Scrolls an element down by some pixels in each frame, as a wheel that is turned without a pause. */
const SCROLL = `async ({ selector, ms, step }) => {
  const list = document.querySelector(selector);
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let i = 0; i < 30; i++) await nextFrame();
  const gaps = [];
  let last = await nextFrame();
  for (const end = last + ms; last < end;) {
    list.scrollTop += step;
    const now = await nextFrame();
    gaps.push(now - last);
    last = now;
  }
  return {
    rows: list.querySelectorAll("li").length,
    frames: gaps.length,
    late: gaps.filter((gap) => gap > 1.5 * (1000 / 60)).length / gaps.length,
    slowest: Math.max(...gaps),
  };
}`;

/** Returns a page with as many rows of as much text as the inbox, and nothing else. */
function bareList(rows: number): string {
  const row = "<li><a href='#'><p>Refund the order 48219?</p><p>Due in 4 days</p></a></li>";
  const css = "section { height: 100vh; width: 400px; overflow-y: auto } li { height: 88px } p { margin: 0 }";
  return `<!doctype html><style>${css}</style><section class="list"><ul>${row.repeat(rows)}</ul></section>`;
}

function describe({ frames, late, slowest }: Scrolled): string {
  return `${frames} frames, ${(late * 100).toFixed(1)} % late, slowest ${slowest.toFixed(0)} ms`;
}

/** Says how the opening of median length was spent. */
function describeOpening(openings: readonly Opening[]): string {
  const middle = openings.toSorted((a, b) => a.rows - b.rows)[Math.floor(openings.length / 2)]!;
  const api = middle.requests.filter(({ path }) => path.startsWith("/api/"));
  const [first] = api.map(({ start }) => start).toSorted((a, b) => a - b);
  const parts = api.map(({ path, start, end }) => `${path} ${start.toFixed(0)} to ${end.toFixed(0)}`);
  const page = middle.requests.find(({ path }) => path === "/inbox");
  return `the page was there after ${page?.end.toFixed(0)} ms, its scripts asked after ${first?.toFixed(0)} ms: ${parts.join(", ")}`;
}

async function signIn(pool: Pool): Promise<[name: string, value: string]> {
  const post = (path: string, status: number, body: object) =>
    pool.ask({ bytes: requestBytes("POST", path, JSON.stringify(body)), status, marks: [] });
  await post("/api/users", 201, { email: EMAIL, password: PASSWORD, is_operator: true });
  const { head } = await post("/api/auth/login", 200, { email: EMAIL, password: PASSWORD });
  const [, name, value] = /\r\nset-cookie: ([^=]+)=([^;]+)/i.exec(head)!;
  return [name!, value!];
}

function* waiting(now: number): Generator<SeededTask> {
  for (let i = 0; i < TASKS; i++)
    yield openTask(i, {
      created_at: now - DAY - (TASKS - i) * 10,
      timeout_at: now + DAY + ((i * 7919) % TASKS) * MINUTE,
      email: i % 5 < 2 ? `person-${i % 200}@example.com` : null,
      isRejected: i % 20 === 0,
    });
}
