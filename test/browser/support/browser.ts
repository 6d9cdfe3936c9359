import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import type { Browser, BrowserContext, CDPSession, Locator, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";

export const SIZES = {
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
  tablet: { width: 1024, height: 768 },
  /** Where the navigation is a rail of icons. */
  desk: { width: 1280, height: 800 },
  wide: { width: 1440, height: 900 },
} as const;

export interface PageOptions {
  theme?: "light" | "dark";
  size?: keyof typeof SIZES;
  /** Whether scripts of the page run. */
  scripts?: boolean;
  locale?: string;
  timeZone?: string;
  /** Origins that may be asked besides that of the first page. */
  origins?: readonly string[];
  /** Problems that the test brings about, such as `/status of 422/`, which a browser reports as an error. */
  expected?: readonly RegExp[];
  /** Whether the browser must not know any file of the service yet. */
  empty?: boolean;
}

/** Opens a page that has nothing of another page: no cookie, nothing stored, nothing to go back to. */
export type Open = (options?: PageOptions) => Promise<Page>;

/** What does not end by then hangs. */
const TEST_MS = 300_000;
/** What a page does not do by then, it does not do, on a busy machine either. */
const ACTION_MS = 60_000;
/** The shortest interval in which pages look again by themselves, in case they were not told of a change. */
const LOOKS_AGAIN_MS = 15_000;
/** How long pages wait before they send what a person can still take back. */
const HOLD_MS = 5_000;
/** How many times as long they wait in tests: a busy machine may need longer than that to press the button. */
const HOLD_FACTOR = 20;

let browser: Promise<Browser> | undefined;
// Within a test or a suite this would be of that alone: test/run.ts loads this module before files that share a process.
after(async () => (await browser)?.close());

/** Registers a promise that is kept in a real browser. */
export function testInBrowser(name: string, run: (open: Open, t: TestContext) => Promise<void>): void {
  void test(name, { timeout: TEST_MS }, (t) => withPages((open) => run(open, t)));
}

/** A page that several tests use, one after the other. */
export interface SharedPage {
  opened(): Promise<Watched>;
  close(): Promise<void>;
}

/**
 * Returns a page for the tests of a file. A browser needs about half the time for pages of an address that it has loaded before.
 * Only for pages that keep nothing in the browser.
 */
export function sharePage(options: PageOptions): SharedPage {
  let watched: Promise<Watched> | undefined;
  const close = async () => {
    const page = watched;
    watched = undefined;
    await (await page)?.close();
  };
  after(close);
  return { opened: () => (watched ??= openPage(options)), close };
}

/** Registers a promise that is kept on a shared page. If it is broken, the next test gets a new page. */
export function testOnPage(name: string, shared: SharedPage, run: (page: Page) => Promise<void>): void {
  void test(name, { timeout: TEST_MS }, async () => {
    const { page, problems } = await shared.opened();
    try {
      await run(page);
      assert.deepEqual(await problems(), []);
    } catch (error) {
      await shared.close();
      throw error;
    }
  });
}

/**
 * Opens pages for `run`, and closes them.
 * @throws AssertionError, whatever `run` asserts, when a page reported an error, broke its policy or asked another origin
 */
export async function withPages(run: (open: Open) => Promise<void>): Promise<void> {
  const watched: Watched[] = [];
  let isKept = false;
  try {
    await run(async (options) => {
      const page = await openPage(options);
      watched.push(page);
      return page.page;
    });
    assert.deepEqual((await Promise.all(watched.map((page) => page.problems()))).flat(), []);
    isKept = true;
  } finally {
    await Promise.all(watched.map((page) => (isKept ? page.giveBack() : page.close())));
  }
}

const opened = new WeakMap<Page, { session: CDPSession; hasScripts: boolean }>();

export interface Watched {
  page: Page;
  /** What is wrong so far, one sentence each. */
  problems(): Promise<string[]>;
  close(): Promise<void>;
  /** Closes it, or empties it for another test if this one has changed nothing else of it. */
  giveBack(): Promise<void>;
}

/**
 * Waits until so many are there: a page draws what it is told of at different moments, each in a drawing of its own.
 * @throws TimeoutError
 */
export async function hasCount(locator: Locator, count: number): Promise<void> {
  await locator.nth(count).waitFor({ state: "detached" });
  if (count > 0) await locator.nth(count - 1).waitFor({ state: "attached" });
}

/**
 * Waits until an element has the focus: pages move it some time after what was done.
 * @throws TimeoutError
 */
export async function hasFocus(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(":focus")).waitFor({ state: "attached" });
}

/**
 * Pages to use again, by what cannot be changed about them. In one that has loaded the dashboard from the same address
 * before, loading it takes a third of the processor time.
 */
const idle = new Map<string, Tab[]>();

/** A page in a context of its own. */
interface Tab {
  key: string;
  context: BrowserContext;
  page: Page;
  session: CDPSession;
  found: string[];
  /** What it has loaded from. */
  origins: Set<string>;
  /** Origins that may be asked. */
  allowed: Set<string>;
  /** Whether a test has done something to it that stays. */
  isMarked: boolean;
}

/** A page whose problems are collected; `testInBrowser` asserts that there are none. */
export async function openPage(options: PageOptions = {}): Promise<Watched> {
  const { scripts = true, locale = "en-US", timeZone = "UTC", size = "wide", theme = "light", origins = [] } = options;
  const key = JSON.stringify([scripts, locale, timeZone]);
  const used = options.empty ? undefined : idle.get(key)?.pop();
  if (used !== undefined) {
    await used.page.setViewportSize(SIZES[size]);
    await used.page.emulateMedia({ ...AS_AT_FIRST, colorScheme: theme });
  }

  const tab = used ?? (await newTab(key, { viewport: SIZES[size], colorScheme: theme, scripts, locale, timeZone }));
  const { context, page, session, found, allowed } = tab;
  found.length = 0;
  allowed.clear();
  for (const origin of origins) allowed.add(origin);
  return {
    page,
    problems: async () => {
      // What was reported before this answer has arrived before it.
      await session.send("Runtime.evaluate", { expression: "0" });
      return found.filter((problem) => !options.expected?.some((pattern) => pattern.test(problem)));
    },
    close: () => context.close(),
    giveBack: async () => {
      if (await canBeUsedAgain(tab)) idle.set(key, [...(idle.get(key) ?? []), tab]);
      else await context.close();
    },
  };
}

/** What fades in would be looked at half way. */
const AS_AT_FIRST = { media: null, reducedMotion: "reduce", forcedColors: null, contrast: null } as const;

interface TabOptions {
  viewport: { width: number; height: number };
  colorScheme: "light" | "dark";
  scripts: boolean;
  locale: string;
  timeZone: string;
}

async function newTab(key: string, { scripts, timeZone, ...options }: TabOptions): Promise<Tab> {
  browser ??= launchChromium();
  const running = await browser;
  const context = await running.newContext({
    ...options,
    reducedMotion: AS_AT_FIRST.reducedMotion,
    javaScriptEnabled: scripts,
    timezoneId: timeZone,
  });
  context.setDefaultTimeout(ACTION_MS);
  // What a test waits for comes about by what it did, and not because the page looks again.
  await context.addInitScript(
    ([longest, hold, factor]) => {
      for (const name of ["setTimeout", "setInterval"] as const) {
        const original = window[name] as (handler: TimerHandler, ms?: number, ...args: unknown[]) => number;
        const withoutLooks = (handler: TimerHandler, ms?: number, ...args: unknown[]) => {
          if (ms !== undefined && ms >= longest) return 0;
          return original(handler, ms === hold && name === "setTimeout" ? hold * factor : ms, ...args);
        };
        Object.assign(window, { [name]: withoutLooks });
      }
    },
    [LOOKS_AGAIN_MS, HOLD_MS, HOLD_FACTOR] as const,
  );
  const found: string[] = [];
  const tabs = { key, context, found, origins: new Set<string>(), allowed: new Set<string>(), isMarked: false };
  watchErrors(context, found);
  watchRequests(tabs);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await watchPolicy(session, found);
  opened.set(page, { session, hasScripts: scripts });
  const tab = { ...tabs, page, session };
  watchMarks(tab);
  return tab;
}

/** What stays with a page or its context, whatever it loads afterwards. */
const MARKS = words(
  "addInitScript addLocatorHandler close exposeBinding exposeFunction grantPermissions newCDPSession newPage on once pause",
  "route routeFromHAR routeWebSocket setDefaultTimeout setExtraHTTPHeaders setGeolocation setHTTPCredentials setOffline",
);

function words(...lines: string[]): string[] {
  return lines.join(" ").split(" ");
}

function watchMarks(tab: Tab): void {
  for (const part of [tab.page, tab.context] as unknown as Record<string, unknown>[]) {
    for (const name of MARKS) {
      const original = part[name];
      if (typeof original !== "function") continue;
      part[name] = (...args: unknown[]): unknown => {
        tab.isMarked = true;
        return original.apply(part, args);
      };
    }
    const { clock } = part;
    Object.defineProperty(part, "clock", {
      get: () => {
        tab.isMarked = true;
        return clock;
      },
    });
  }
}

/** Empties a page. @returns whether it is as a new one */
async function canBeUsedAgain({ context, page, session, origins, isMarked }: Tab): Promise<boolean> {
  if (isMarked || context.pages().length !== 1 || page.isClosed()) return false;
  await page.evaluate(() => {
    window.name = "";
    if (location.protocol.startsWith("http")) sessionStorage.clear();
  });
  await page.goto("about:blank");
  await page.mouse.move(-1, -1);
  await session.send("Page.resetNavigationHistory");
  await context.clearCookies();
  for (const origin of origins) await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  origins.clear();
  return true;
}

function watchErrors(context: BrowserContext, found: string[]): void {
  context.on("weberror", (error) => found.push(`An error nobody caught: ${error.error().message}`));
  context.on("console", (message) => {
    if (message.type() === "error") found.push(`The console: ${message.text()} (${message.location().url})`);
  });
}

function watchRequests({ context, found, origins, allowed }: Omit<Tab, "page" | "session">): void {
  const look = (address: string) => {
    const { origin, protocol } = new URL(address);
    if (protocol === "data:" || protocol === "blob:") return;
    // Page and socket are the same origin to a policy, and to a reader.
    const comparable = origin.replace(/^ws/, "http");
    // That of the first page.
    if (origins.size === 0) allowed.add(comparable);
    origins.add(comparable);
    if (!allowed.has(comparable)) found.push(`A request to another origin: ${address}`);
  };
  context.on("request", (request) => look(request.url()));
  context.on("page", (page) => page.on("websocket", (socket) => look(socket.url())));
}

/** The browser tells of violations itself, so that they are noticed in pages without scripts as well. */
async function watchPolicy(session: CDPSession, found: string[]): Promise<void> {
  session.on("Audits.issueAdded", ({ issue }) => {
    const details = issue.details.contentSecurityPolicyIssueDetails;
    if (details)
      found.push(`The policy: ${details.violatedDirective} forbids ${details.blockedURL ?? "what is inline"}`);
  });
  await session.send("Audits.enable");
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Rules that depend on the theme. Others do not, and these take longest on a long page. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Which rules are checked: all of WCAG 2.2 AA, those about colours alone, or all but those. */
export type Rules = "all" | "colours" | "structure";

/** Asserts that nothing on the page breaks a rule of WCAG 2.2 AA that a program can check. What is in its frames is not looked at. */
export async function axe(page: Page, rules: Rules = "all"): Promise<void> {
  assert.deepEqual(await axeViolations(page, rules), []);
}

/** The same of the page in its one frame, or in the one frame of that. */
export async function axeInFrame(page: Page): Promise<void> {
  const { session } = opened.get(page)!;
  const { frameTree } = await session.send("Page.getFrameTree");
  const inner = frameTree.childFrames![0]!;
  assert.deepEqual(await violationsIn(session, (inner.childFrames?.[0] ?? inner).frame.id), []);
}

/**
 * One sentence for each element that breaks a rule. It runs beside the page's scripts, in a world of its own, where the
 * page's policy is not in its way. In a page without scripts they are on meanwhile, since it needs timers; those of the
 * page do not run afterwards.
 */
export async function axeViolations(page: Page, rules: Rules = "all"): Promise<string[]> {
  const { session, hasScripts } = opened.get(page)!;
  // Twice, since a session sends on only what changes in its own view.
  if (!hasScripts)
    for (const value of [true, false]) await session.send("Emulation.setScriptExecutionDisabled", { value });
  const { frameTree } = await session.send("Page.getFrameTree");
  const violations = await violationsIn(session, frameTree.frame.id, rules);
  if (!hasScripts) await session.send("Emulation.setScriptExecutionDisabled", { value: true });
  return violations;
}

async function violationsIn(session: CDPSession, frameId: string, rules: Rules = "all"): Promise<string[]> {
  const world = await session.send("Page.createIsolatedWorld", { frameId, worldName: "axe" });
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      contextId: world.executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  };
  if (!(await evaluate(`"axe" in globalThis`))) await evaluate(`${AXE};0`);
  const options = {
    runOnly: rules === "colours" ? COLOURS : WCAG,
    resultTypes: ["violations"],
    ...(rules === "structure" && { rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) }),
  };
  const results = (await evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: { id: string; help: string; nodes: { target: string[]; html: string }[] }[];
  };
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${help}: ${target.join(" ")} ${html.slice(0, 200)}`),
  );
}

/** With SCREENSHOTS=1, keeps a picture of the whole page as `web/screenshots/<name>.png`, for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env["SCREENSHOTS"] !== "1") return;
  const folder = join(import.meta.dirname, "../../../web/screenshots");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: "disabled" });
}
