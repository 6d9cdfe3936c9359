import assert from "node:assert/strict";
import type { Frame, JSHandle, Page } from "playwright-core";

/** More than a round through any page needs. */
const TABS_MAX = 120;

/** The name of the element with the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document;
    return (activeElement?.getAttribute("aria-label") ?? (activeElement as HTMLElement | null)?.innerText ?? "").trim();
  });
}

/** Presses Tab until an element whose name begins with `name` has the focus. @throws AssertionError if Tab does not reach it */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    if ((await focused(page)).startsWith(name)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach "${name}".`);
}

/** A browser's field for a date has a stop for each part of it, and one for its calendar. */
const DATE_STOPS_MAX = 8;

/** An element that Tab has led to. */
interface Stop {
  /** Names the element, for a person who reads the failure. */
  name: string;
  /** Identifies the element on the page. */
  key: string;
  isDate: boolean;
  /** Whether a person can see that it has the focus. */
  hasRing: boolean;
  /** The boxes of the landmarks. */
  landmarks: string;
}

/**
 * Presses Tab from the start of the page, or in the dialog that is open, until the focus leaves the page or comes back to where it was, or `max` times.
 *
 * @returns what is wrong, one sentence each: a stop without a focus ring, a trap, landmarks that move
 */
export async function walk(page: Page, max: number): Promise<{ stops: number; problems: string[] }> {
  const problems: string[] = [];
  const before = await page.evaluate(start);
  const seen: string[] = [];
  let inDate = 0;
  while (seen.length < max) {
    await page.keyboard.press("Tab");
    const stop = await stopOf(page);
    // The focus is on the controls of the browser.
    if (stop === null) break;
    inDate = stop.isDate && seen.at(-1) === stop.key ? inDate + 1 : 0;
    if (inDate > 0 && inDate < DATE_STOPS_MAX) continue;
    if (seen.includes(stop.key)) {
      if (seen.length > 1 && seen.at(-1) === stop.key) problems.push(`Tab does not leave ${stop.name}.`);
      break;
    }
    seen.push(stop.key);
    if (!stop.hasRing) problems.push(`${stop.name} shows no focus.`);
    if (stop.landmarks !== before && stop.landmarks !== "")
      problems.push(`Landmarks move for ${stop.name}: ${before} became ${stop.landmarks}.`);
  }
  return { stops: seen.length, problems };
}

/** Where the focus is, also in a frame; null: nowhere. */
async function stopOf(page: Page): Promise<Stop | null> {
  const frames: Frame[] = page.frames();
  for (const [i, frame] of frames.entries()) {
    const stop = await frame.evaluate(look);
    if (stop === null || stop === "in a frame") continue;
    return i === 0 ? stop : { ...stop, key: `${i}.${stop.key}`, landmarks: "" };
  }
  return null;
}

/** Moves the focus before the first element of the page, unless a dialog is open. @returns the boxes of the landmarks */
function start(): string {
  const { body } = document;
  if (document.querySelector("[role=dialog]") === null) {
    body.tabIndex = -1;
    body.focus();
    body.removeAttribute("tabindex");
  }
  // What loads later is no landmark of the frame.
  return [...document.querySelectorAll("main, nav[aria-label=Main], body > header")]
    .map((one) => one.getBoundingClientRect())
    .map(({ x, right }) => `${Math.round(x)} to ${Math.round(right)}`)
    .join(", ");
}

/** Runs in the page. */
function look(): Stop | "in a frame" | null {
  const element = document.activeElement;
  if (element === null || element === document.body || element === document.documentElement) return null;
  if (element.tagName === "IFRAME") return "in a frame";
  const scope = globalThis as typeof globalThis & { walkedElements?: Map<Element, string> };
  const keys = (scope.walkedElements ??= new Map());
  if (!keys.has(element)) keys.set(element, String(keys.size));

  const outlined = (one: Element | null | undefined): boolean => {
    if (one == null) return false;
    const { outlineStyle, outlineWidth, opacity, visibility } = getComputedStyle(one);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 && opacity !== "0" && visibility === "visible";
  };
  // A control that is drawn by its label or by what surrounds it.
  const drawnBy = [
    element,
    ...((element as HTMLInputElement).labels ?? []),
    ...Array.from(element.parentElement?.children ?? []),
  ];
  let around = element.parentElement;
  for (let level = 0; level < 4 && around !== null; level++, around = around.parentElement) drawnBy.push(around);

  const label =
    element.getAttribute("aria-label") ?? (element as HTMLInputElement).labels?.[0]?.textContent ?? element.textContent;
  return {
    name: `<${element.tagName.toLowerCase()}> "${label.trim().slice(0, 60)}"`,
    key: keys.get(element)!,
    isDate: /^(date|time|datetime-local)$/.test((element as HTMLInputElement).type),
    hasRing: drawnBy.some(outlined),
    landmarks: [...document.querySelectorAll("main, nav[aria-label=Main], body > header")]
      .map((one) => one.getBoundingClientRect())
      .map(({ x, right }) => `${Math.round(x)} to ${Math.round(right)}`)
      .join(", "),
  };
}

/** Waits until an element has the focus again. @throws Error that names the element */
async function hasFocus(page: Page, element: JSHandle, name: string): Promise<void> {
  try {
    await page.waitForFunction((one) => document.activeElement === one, element);
  } catch (cause) {
    throw new Error(`${name} has lost the focus to ${JSON.stringify(await stopOf(page))}.`, { cause });
  }
}

/** Opens every menu of the page with the keyboard, moves in it, and closes it. @returns the number of menus */
export async function walkMenus(page: Page): Promise<number> {
  const openers = page.locator("[aria-haspopup=menu]").filter({ visible: true });
  const count = await openers.count();
  for (let i = 0; i < count; i++) {
    const opener = openers.nth(i);
    await opener.focus();
    const name = await focused(page);
    await page.keyboard.press("Enter");
    const item = page.locator("[role=menu] :is([role^=menuitem]):focus");
    await item.waitFor();
    if ((await page.locator("[role=menu] [role^=menuitem]").filter({ visible: true }).count()) > 1) {
      const first = await item.elementHandle();
      await page.keyboard.press("ArrowDown");
      await page.waitForFunction((one) => document.activeElement !== one, first);
      await item.waitFor();
    }
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await hasFocus(page, await opener.elementHandle(), name);
  }
  return count;
}

/** Opens a dialog with the keyboard, walks in it, and closes it. @returns what is wrong, one sentence each */
export async function walkDialog(page: Page, opener: string, max: number): Promise<string[]> {
  await tabTo(page, opener);
  const before = await page.evaluateHandle(() => document.activeElement);
  await page.keyboard.press("Enter");
  await page.locator("[role=dialog] :focus").waitFor();
  const { problems } = await walk(page, max);
  await page.locator("[role=dialog] :focus").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await hasFocus(page, before, opener);
  return problems.map((problem) => `${opener}: ${problem}`);
}
