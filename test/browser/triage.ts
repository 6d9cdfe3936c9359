/**
 * Decides 50 of 300 tasks of 12 kinds with the keyboard alone, as a reviewer who reads each for some seconds, and says how long it
 * took, and how long after J the next row is painted. Not a test: what is quick enough, people judge.
 *
 *   node test/browser/triage.ts [--read 2] [--pictures <folder>]
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { launchChromium } from "./support/chromium.ts";
import { signIn } from "./support/sign-in.ts";

const TASKS = 300;
const DECIDED = 50;
const PRESSES = 40;
const ADA = "ada@example.com";
/** A picture after so many decisions. */
const PICTURE_EVERY = 5;

interface Kind {
  task: string;
  payload: object;
  response_schema: object;
  more?: object;
  /** Answers the form that is open, but does not send it. */
  answer: (page: Page) => Promise<void>;
}

const press = (key: string) => (page: Page) => page.keyboard.press(key);
const choice = (title: string, values: readonly string[]) => ({
  type: "object",
  properties: { decision: { title, enum: values }, note: { type: "string", title: "Note" } },
  required: ["decision"],
});
const yesNo = (title: string) => ({
  type: "object",
  properties: { approved: { type: "boolean", title } },
  required: ["approved"],
});

/** Goes to the first field of the form, and types. */
const type = (text: string) => async (page: Page) => {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    const isField = await page.evaluate(() => document.activeElement?.matches("form input, form textarea") === true);
    if (isField) return page.keyboard.type(text);
  }
  throw new Error("There is no field in reach of the Tab key.");
};

const LINES = Array.from({ length: 12 }, (_, i) => ({ item: `Item ${i + 1}`, amount: 12.5 + i, currency: "EUR" }));
const KINDS: readonly Kind[] = [
  {
    task: "Refund order 48219?",
    payload: { customer: "Mia Chen", amount: 42.5, currency: "EUR", reason: "Arrived broken" },
    response_schema: yesNo("Refund the customer?"),
    answer: press("1"),
  },
  {
    task: "Publish this release note?",
    payload: { text: "Faster search, and a quieter inbox." },
    response_schema: yesNo("Publish it?"),
    answer: press("2"),
  },
  {
    task: "Which plan fits this customer?",
    payload: { company: "Northwind", seats: 48, region: "EU" },
    response_schema: choice("Plan", ["Free", "Team", "Business"]),
    answer: press("3"),
  },
  {
    task: "How risky is this supplier?",
    payload: { supplier: "Acme GmbH", late_payments: 2, years: 7 },
    response_schema: choice("Risk", ["low", "medium", "high"]),
    answer: press("1"),
  },
  {
    task: "Is this the same person?",
    payload: { left: { name: "J. Doe", born: "1987-04-02" }, right: { name: "Jane Doe", born: "1987-04-02" } },
    response_schema: yesNo("The same person?"),
    answer: press("1"),
  },
  {
    task: "Approve 12 expenses?",
    payload: { lines: LINES },
    response_schema: yesNo("Approve them all?"),
    answer: press("1"),
  },
  {
    task: "Merge this change?",
    payload: {
      patch: "--- a/src/limit.ts\n+++ b/src/limit.ts\n@@ -1,2 +1,2 @@\n-const limit = 100;\n+const limit = 500;\n",
    },
    response_schema: yesNo("Merge it?"),
    answer: press("1"),
  },
  {
    task: "Which team takes this ticket?",
    payload: { subject: "Cannot sign in", body: "Since this morning, the page says that my account is locked." },
    response_schema: choice("Team", ["Support", "Billing", "Security", "Sales"]),
    answer: press("3"),
  },
  {
    task: "What is the total of this invoice?",
    payload: { invoice: "2026-1187", pages: 2, text: "Total due: EUR 1,240.00" },
    response_schema: { type: "object", properties: { total: { type: "number", title: "Total" } }, required: ["total"] },
    answer: type("1240"),
  },
  {
    task: "Name this customer group",
    payload: { members: ["Northwind", "Contoso", "Fabrikam"] },
    response_schema: { type: "object", properties: { name: { type: "string", title: "Name" } }, required: ["name"] },
    answer: type("Wholesale"),
  },
  {
    task: "Delete the archive of 2019?",
    payload: { files: 18_204, gigabytes: 311, last_used: "2022-03-14" },
    response_schema: choice("What happens to it?", ["Delete", "Keep a year", "Keep"]),
    more: { priority: "high", labels: ["storage"] },
    answer: press("2"),
  },
  {
    task: "Wake the engineer on duty?",
    payload: { service: "payments", errors_per_minute: 420, since: "2026-01-31T02:11:00Z" },
    response_schema: yesNo("Wake them?"),
    more: { priority: "urgent" },
    answer: press("1"),
  },
];

async function main(readMs: number, pictures: string | null): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  const browser = await launchChromium();
  try {
    const service = await serve({ after: (stop) => stops.push(stop) });
    await addOperator(service, ADA);
    const kindOf = new Map<string, Kind>();
    for (let i = 0; i < TASKS; i++) {
      const kind = KINDS[i % KINDS.length]!;
      const { payload, response_schema, more } = kind;
      const task = `${kind.task} (${i + 1})`;
      kindOf.set(task, kind);
      await createTask(service, task, { payload, response_schema, timeout_seconds: 36_000 + i * 60, ...more });
    }
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await signIn(page, service, ADA);
    print(`${TASKS} tasks of ${KINDS.length} kinds are open. J until the next row is painted: ${await timeJ(page)}.`);
    await page.goto(`${service.url}/inbox`);

    const title = page.locator("main h1").last();
    const began = performance.now();
    for (let decided = 0; decided < DECIDED; decided++) {
      const text = (await title.innerText()).trim();
      const kind = kindOf.get(text);
      if (kind === undefined) throw new Error(`This is no task: ${text}`);
      await sleep(readMs);
      await kind.answer(page);
      if (pictures !== null && decided % PICTURE_EVERY === 0)
        await page.screenshot({ path: join(pictures, `triage-${String(decided + 1).padStart(2, "0")}.png`) });
      await page.keyboard.press("Control+Enter");
      await page.waitForFunction((before) => {
        const heads = document.querySelectorAll("main h1");
        return heads[heads.length - 1]?.textContent.trim() !== before;
      }, text);
    }
    const seconds = (performance.now() - began) / 1000;
    const reading = (DECIDED * readMs) / 1000;
    print(`${DECIDED} decided in ${seconds.toFixed(0)} s, of which ${reading.toFixed(0)} s were reading.`);
  } finally {
    await browser.close();
    for (const stop of stops) await stop();
  }
}

/** Presses J among 50 rows. Faster than 16 ms is not told by a browser. */
async function timeJ(page: Page): Promise<string> {
  await page.waitForFunction(() => document.querySelectorAll("[data-task]").length >= 50);
  await page.evaluate(() => {
    const found: number[] = [];
    Object.assign(globalThis, { found });
    new PerformanceObserver((entries) => {
      for (const entry of entries.getEntries()) if (entry.name === "keydown") found.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
  for (let i = 0; i < PRESSES; i++) {
    await page.keyboard.press("j");
    await sleep(150);
  }
  const times = await page.evaluate(() => (globalThis as unknown as { found: number[] }).found);
  const all = [...times, ...Array<number>(Math.max(0, PRESSES - times.length)).fill(16)].toSorted((a, b) => a - b);
  return `half within ${all[Math.floor(all.length / 2)]} ms, nine of ten within ${all[Math.floor(all.length * 0.9)]} ms`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const { values } = parseArgs({ options: { read: { type: "string", default: "2" }, pictures: { type: "string" } } });
if (values.pictures !== undefined) mkdirSync(values.pictures, { recursive: true });
await main(Number(values.read) * 1000, values.pictures ?? null);
process.exit();
