import type { Page } from "playwright-core";
import { PRESS } from "../../form/plan/entries.ts";
import type { Entries } from "../../form/plan/entries.ts";

/** A page, or a frame of one with the page's keyboard. */
export type Typed = Pick<Page, "evaluate" | "waitForFunction" | "keyboard" | "locator"> &
  Partial<Pick<Page, "waitForEvent">>;

/**
 * Fills in a form as a person without a mouse does: from control to control with Tab, choosing with the arrow keys and
 * the space bar, typing, adding rows with Enter. `entries` is what the form is to hold in the end. It works on a page
 * with and without scripts; without them each row that is added loads the page anew, and it starts over.
 */
export async function fillByKeyboard(page: Typed, entries: Entries): Promise<void> {
  const done = new Set<string>();
  // Once: what an answer leaves out brings nothing up.
  let isUpdated = false;
  await focusBody(page);
  for (let presses = 0; presses < 600; presses++) {
    await page.keyboard.press("Tab");
    let here = await focused(page);
    while (
      here.name === PRESS &&
      !(isUpdated && here.value.startsWith("update:")) &&
      (await press(page, here, entries))
    ) {
      isUpdated ||= here.value.startsWith("update:");
      here = await focused(page);
    }
    if (here.isSubmit) return;
    if (here.name === "" || done.has(here.key)) continue;
    const wanted = entries[here.name];
    if (wanted === undefined) continue;
    await enter(page, here, wanted);
    done.add(here.key);
  }
  throw new Error("The end of the form was not reached.");
}

/** Sends the form with the keyboard, once the focus is on its button; without scripts, until the next page is there. */
export async function submitByKeyboard(page: Typed): Promise<void> {
  const send = () => page.keyboard.press("Enter");
  await ((await isLive(page)) ? send() : loadedAfter(page, send));
}

/** A script is at work: the page need not load to change. */
function isLive(page: Typed): Promise<boolean> {
  return page.evaluate(() => document.querySelector("#data, #root, #open, [data-live]") !== null);
}

async function loadedAfter(page: Typed, act: () => Promise<void>): Promise<void> {
  const loaded = page.waitForEvent?.("load");
  await act();
  await loaded;
}

interface Focused {
  readonly tag: string;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly isChecked: boolean;
  readonly isSubmit: boolean;
  /** Tells controls apart: a radio group is one. */
  readonly key: string;
  /** For a button that adds or removes: how many rows there are, and whether the group is open. */
  readonly rows: number;
}

async function focusBody(page: Typed): Promise<void> {
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
  });
}

async function focused(page: Typed): Promise<Focused> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    // Not every element has these, whatever its type says.
    const text = (key: "type" | "name" | "value"): string => (key in element ? element[key] : "");
    const [type, name, value] = [text("type"), text("name"), text("value")];
    const list = /^add:(.*)$/s.exec(name === "~press" ? value : "")?.[1];
    const count =
      list === undefined ? null : document.querySelector<HTMLInputElement>(`[name="${CSS.escape(`${list}~rows`)}"]`);
    return {
      tag: element.localName,
      type,
      name,
      value,
      isChecked: element.matches(":checked"),
      isSubmit: element.classList.contains("primary"),
      key: type === "checkbox" ? `${name}=${value}` : name,
      rows: Number(count?.value ?? 0),
    };
  });
}

/** true: the button was pressed, and the focus is on something new. */
async function press(page: Typed, here: Focused, entries: Entries): Promise<boolean> {
  const [, act = "", name = ""] = /^(add|open|update):(.*)$/s.exec(here.value) ?? [];
  if (act === "") return false;
  if (act === "add" && here.rows >= Number(entries[`${name}~rows`]?.[0] ?? 0)) return false;
  if (act === "open" && entries[`${name}~open`]?.[0] !== "1") return false;
  if (act === "update" && (await shows(page, Object.keys(entries)))) return false;
  if (!(await isLive(page))) {
    await loadedAfter(page, () => page.keyboard.press("Enter"));
    await focusBody(page);
    await page.keyboard.press("Tab");
    return true;
  }
  await page.keyboard.press("Enter");
  if (act === "add")
    await page.waitForFunction(
      ([list, rows]) =>
        Number(document.querySelector<HTMLInputElement>(`[name="${CSS.escape(`${list}~rows`)}"]`)?.value) > rows,
      [name, here.rows] as const,
    );
  // The button may go at once, which leaves the focus on the body until the form has moved it.
  await page.waitForFunction(
    (value) =>
      document.activeElement !== document.body && (document.activeElement as HTMLButtonElement).value !== value,
    here.value,
  );
  return true;
}

/** The form asks for all of these. */
function shows(page: Typed, names: readonly string[]): Promise<boolean> {
  const fields = names.filter((name) => !name.endsWith("~open"));
  return page.evaluate((wanted) => {
    const there = new Set([...document.querySelectorAll("[name]")].map((element) => element.getAttribute("name")));
    return wanted.every((name) => there.has(name));
  }, fields);
}

async function enter(page: Typed, here: Focused, wanted: readonly string[]): Promise<void> {
  const { keyboard } = page;
  const text = wanted.find((item) => item !== "") ?? "";
  switch (here.tag === "select" ? "select" : here.type) {
    case "radio":
      if (text === "") return;
      for (let i = 0; i < 60; i++) {
        const now = await focused(page);
        if (now.value === text) {
          if (!now.isChecked) await keyboard.press("Space");
          return;
        }
        await keyboard.press("ArrowDown");
      }
      throw new Error(`No option ${text} of ${here.name} was reached.`);
    case "checkbox":
      if (wanted.includes(here.value) !== here.isChecked) await keyboard.press("Space");
      return;
    case "select":
      for (let i = 0; i < 60 && (await focused(page)).value !== text; i++) await keyboard.press("ArrowDown");
      return;
    case "date":
    case "time":
    case "datetime-local":
      if (here.value === text) return;
      for (const [index, keys] of keysOfTime(text).entries()) {
        // A year may have six digits, so typing four does not end it.
        if (index > 0) await keyboard.press("ArrowRight");
        await keyboard.type(keys);
      }
      if (text === "") await keyboard.press("Delete");
      return;
    default:
      if (here.value === text) return;
      await keyboard.press("Control+A");
      if (text === "") await keyboard.press("Delete");
      else await keyboard.insertText(text);
  }
}

/** What is typed into the parts of a control in the en-US locale: month, day and year, then hour, minute, AM or PM. */
function keysOfTime(text: string): readonly string[] {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  const [, hour, minute] = /(\d\d):(\d\d)/.exec(text) ?? [];
  const date = year === undefined ? [] : [`${month}${day}${year}`];
  if (hour === undefined) return date;
  return [...date, `${String(Number(hour) % 12 || 12).padStart(2, "0")}${minute}${Number(hour) < 12 ? "AM" : "PM"}`];
}

/** Puts texts into the controls of a name, whichever way is shortest, and leaves the focus on the form's button. */
export async function put(page: Typed, name: string, texts: readonly string[]): Promise<void> {
  const controls = page.locator(`[name=${JSON.stringify(name)}]:not([type="hidden"])`);
  const type = await controls.first().evaluate((element) => (element as HTMLInputElement).type);
  const text = texts.find((item) => item !== "") ?? "";
  if (type === "checkbox")
    for (const box of await controls.all())
      await box.setChecked(texts.includes((await box.getAttribute("value")) ?? ""));
  else if (type === "radio") await controls.and(page.locator(`[value=${JSON.stringify(text)}]`)).check();
  else if (type === "select-one") await controls.selectOption(text);
  else await controls.fill(text);
  await page.locator("button.primary").focus();
}
