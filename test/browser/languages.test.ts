import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Frame, Page, Request } from "playwright-core";
import { LANGUAGES, type Language } from "../../languages/languages.ts";
import type { Catalogue } from "../../languages/text.ts";
import { addAgent, addAssignee, addOperator, createTask, serve, type Service } from "../support/dashboard.ts";
import { startSmtp } from "../support/smtp.ts";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";
import { withEmbed } from "./support/embed-host.ts";
import { signIn } from "./support/sign-in.ts";

const ADA = "ada@example.com";
const LOCALES: Readonly<Record<Exclude<Language, "en">, string>> = {
  de: "de-DE",
  es: "es-ES",
  fr: "fr-FR",
  ja: "ja-JP",
};
const TAGS = Object.keys(LOCALES) as (keyof typeof LOCALES)[];

function textsOf(language: Exclude<Language, "en">): Record<string, string> {
  const parts = (["form", "service", "dashboard"] as const).map(
    (part) =>
      JSON.parse(
        readFileSync(new URL(`../../languages/${language}/${part}.json`, import.meta.url), "utf8"),
      ) as Catalogue,
  );
  const all: Catalogue = Object.assign({}, ...parts);
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Returns the English texts that a page shows or says although they have a translation. */
async function englishOn(page: Page | Frame, texts: Record<string, string>): Promise<string[]> {
  const shown = await page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { nodeValue, parentElement } = walker.currentNode;
      if (parentElement!.closest("script, style, code, pre, [dir='auto'], bdi") === null) found.add(nodeValue!.trim());
    }
    for (const element of document.querySelectorAll("[aria-label], [placeholder], [title], [data-label]"))
      for (const name of ["aria-label", "placeholder", "title", "data-label"])
        found.add(element.getAttribute(name)?.trim() ?? "");
    return [...found];
  });
  return shown.filter((text) => Object.hasOwn(texts, text) && texts[text] !== text && /[a-z] [a-z]/.test(text));
}

/** Returns what waits until a page has all that it asked for, and has drawn it. */
function watchRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  const isAnswered = (request: Request) => request.resourceType() !== "eventsource";
  page.on("request", (request) => isAnswered(request) && pending.add(request));
  page.on("requestfinished", (request) => pending.delete(request));
  page.on("requestfailed", (request) => pending.delete(request));
  const drawn = () =>
    page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
  return async () => {
    // What has come may make the page ask for more.
    for (let quiet = 0; quiet < 3; quiet = pending.size === 0 ? quiet + 1 : 0) await drawn();
  };
}

const isNotWider = (page: Page | Frame): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

const SETTINGS =
  "notifications passkeys sessions tokens status sign-in email slack keys embed calendars escalation hooks connections events projects security quickstart about";

/** Something of each kind that pages show. @returns the id of an open task */
async function fill(service: Service): Promise<string> {
  await addOperator(service, ADA);
  await addAssignee(service, "dana@example.com", { pool: "refunds", role: "finance" });
  const { asAgent } = await addAgent(service, "refunds-bot");
  const { id: done } = await createTask(service, "Refund order 4711?", { labels: ["vip"] });
  await service.call("POST", `/api/tasks/${done}/complete`, { response: { approved: true } });
  const { id: cancelled } = await createTask(service, "Refund order 4712?", {
    callback_url: "https://example.com/hook",
  });
  await service.call("POST", `/api/tasks/${cancelled}/cancel`, { reason: "Not needed" });
  const { id } = await createTask(asAgent, "Refund order 4713?", {
    priority: "urgent",
    assign_to: { pool: "refunds" },
  });
  return id;
}

for (const language of TAGS)
  testInBrowser(
    `${LANGUAGES[language]}: each page of the dashboard is in it, and none is wider than a phone`,
    async (open, t) => {
      const service = await serve(t);
      const texts = textsOf(language);
      const say = (text: string) => texts[text]!;
      const page = await open({ size: "phone", locale: LOCALES[language] });
      await page.goto(service.url);
      await page.getByRole("heading", { name: say("Welcome. Who are you?") }).waitFor();
      assert.deepEqual(await englishOn(page, texts), [], "setup");
      const id = await fill(service);
      await page.goto(`${service.url}/login`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.deepEqual(await englishOn(page, texts), [], "login");
      await signIn(page, service, ADA, `/tasks/${id}`, say("Main"));
      assert.equal(await page.locator("html").getAttribute("lang"), language);
      await page.getByRole("radio", { name: say("Yes") }).waitFor();
      const paths = [
        `/tasks/${id}`,
        "/inbox",
        "/inbox?scope=done",
        ...["stats", "deliveries", "agents", "users", "groups", "audit", "playground", "settings"].map(
          (path) => `/${path}`,
        ),
        ...SETTINGS.split(" ").map((part) => `/settings/${part}`),
      ];
      const settled = watchRequests(page);
      for (const path of paths) {
        // As a link inside the page: loading all of it for each path would take twice as long.
        await page.evaluate((to) => {
          history.pushState(null, "", to);
          dispatchEvent(new PopStateEvent("popstate"));
        }, path);
        await settled();
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        assert.equal(await page.getByText(say("Page not found")).count(), 0, path);
        assert.deepEqual(await englishOn(page, texts), [], path);
        assert.equal(await isNotWider(page), true, `${path} scrolls sideways`);
      }
      await axe(page);
      await screenshot(page, `language-${language}-about-phone`);
    },
  );

testInBrowser(
  "a person reads the language that they chose, in each browser, until they choose none",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const page = await open({ locale: "fr-FR" });
    await signIn(page, service, ADA, "/settings", textsOf("fr")["Main"]);
    await page.getByRole("combobox", { name: textsOf("fr")["Language"]! }).click();
    await page.getByRole("option", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: textsOf("fr")["Save"]!, exact: true }).click();
    await page.locator("html[lang='de']").waitFor();
    await page.getByRole("heading", { level: 1, name: textsOf("de")["Profile"]! }).waitFor();

    const other = await open();
    await signIn(other, service, ADA, "/inbox", textsOf("de")["Main"]);
    await other.locator("html[lang='de']").waitFor();
  },
);

testInBrowser("a browser that names its language wrongly gets the pages in English", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  // No other test has pages of this locale, which would keep the script below.
  const page = await open({ locale: "en-NZ" });
  // What Chromium says on a machine without a language.
  await page.addInitScript(() => {
    for (const name of ["language", "languages"] as const)
      Object.defineProperty(navigator, name, { value: name === "language" ? "en-US@posix" : ["en-US@posix"] });
  });
  await signIn(page, service, ADA, "/stats");
  await page.getByRole("heading", { name: "Stats" }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
});

testInBrowser("an email, its page and an embedded form are in the language of the reader", async (open, t) => {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const service = await withEmbed(t, {
    env: {
      SERVICE_EMAIL_FROM: "Desk <desk@example.com>",
      SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}`,
    },
  });
  const texts = textsOf("ja");
  const { id } = await createTask(service, "Approve the refund?", {
    notify: ["email:mia@example.com"],
    locale: "ja",
    callback_url: undefined,
  });
  // Nothing is known of the person, so the email is in the language of the task.
  const { text = "", html } = await smtp.to("mia@example.com");
  assert.ok(text.includes(texts["Open the full review"]!), text);
  assert.match(String(html), /<html lang="ja"/);

  const link = /https?:\S+\/api\/channels\/email\/action\/[\w.-]+/.exec(text)![0];
  const page = await open({ size: "phone", locale: "fr-CA", origins: [service.url, service.host] });
  await page.goto(service.url + new URL(link).pathname);
  const french = textsOf("fr");
  await page.getByRole("button", { name: french["Submit answer"]! }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "fr");
  assert.deepEqual(await englishOn(page, french), []);
  assert.equal(await isNotWider(page), true);
  await page.getByRole("button", { name: french["Submit answer"]! }).click();
  // What the script says is in the same language.
  await page.getByRole("alert").getByText(french["Choose one."]!).waitFor();
  await axe(page);
  await screenshot(page, "language-fr-mail-page-phone");

  // The host knows its reader better than the browser does.
  const url = await service.mint({ task_id: id });
  const frame = await service.show(page, url.replace("#", "&locale=es-MX#"));
  const spanish = textsOf("es");
  await frame.getByRole("button", { name: spanish["Submit answer"]! }).waitFor();
  assert.equal(await frame.locator("html").getAttribute("lang"), "es");
  assert.deepEqual(await englishOn(frame, spanish), []);
  assert.equal(await isNotWider(frame), true);
  await frame.getByRole("button", { name: spanish["Submit answer"]! }).click();
  await frame.getByText(spanish["Choose one."]!).first().waitFor();
  await screenshot(page, "language-es-embed-phone");
});

const ARABIC = {
  task: "هل توافق على استرداد المبلغ؟\nوصل الطرد مفتوحًا، وتنقصه قطعتان.",
  payload: { العميل: "Johanna Lindqvist", المبلغ: 1240.5, SKU: "A-17", ملاحظة: "الصور لا تظهر أي ضرر." },
  response_schema: {
    type: "object",
    properties: {
      approved: { type: "boolean", title: "موافقة؟", description: "يحصل العميل على المبلغ فورًا." },
      note: { type: "string", title: "ملاحظة", maxLength: 200 },
    },
    required: ["approved"],
  },
};

/** Returns whether each title is on the right of its value, and each choice on the right of its text. */
async function runsFromTheRight(page: Page | Frame): Promise<boolean> {
  return page.evaluate(() => {
    const right = (element: Element) => element.getBoundingClientRect().right;
    const rows = [...document.querySelectorAll(".payload-row:not(.payload-wide)")];
    const radios = [...document.querySelectorAll("label:has(input[type=radio])")];
    const titles = [...document.querySelectorAll(".field .title")];
    const card = document.querySelector(".payload-card")!;
    return (
      rows.length >= 3 &&
      radios.length === 2 &&
      rows.every((row) => right(card) - right(row.querySelector("dt")!) < 40) &&
      radios.every((label) => right(label.querySelector("input")!) > right(label.querySelector("span")!)) &&
      titles.every((title) => getComputedStyle(title).direction === "rtl")
    );
  });
}

testInBrowser("a task in Arabic runs from the right on every page, whole", async (open, t) => {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const service = await withEmbed(t, {
    env: {
      SERVICE_EMAIL_FROM: "Desk <desk@example.com>",
      SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}`,
    },
  });
  await addOperator(service, ADA);
  const { task, ...rest } = ARABIC;
  const { id } = await createTask(service, task, {
    ...rest,
    notify: ["email:mia@example.com"],
    callback_url: undefined,
  });
  const page = await open({ size: "phone" });
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("radio").first().waitFor();
  assert.equal(await runsFromTheRight(page), true, "dashboard");
  assert.equal(await isNotWider(page), true);
  await axe(page);
  await screenshot(page, "rtl-task-phone");
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.equal(await runsFromTheRight(page), true, "dashboard, wide");
  await screenshot(page, "rtl-task-wide");

  const { text = "", html } = await smtp.to("mia@example.com");
  assert.match(String(html), /<html lang="en" dir="rtl"/);
  const link = /https?:\S+\/api\/channels\/email\/action\/[\w.-]+/.exec(text)![0];
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(service.url + new URL(link).pathname);
  await page.getByRole("radio").first().waitFor();
  assert.equal(await runsFromTheRight(page), true, "page of the email");
  assert.equal(await isNotWider(page), true);
  await screenshot(page, "rtl-mail-page-phone");

  const product = await open({ size: "phone", origins: [service.url] });
  const frame = await service.show(product, await service.mint({ task_id: id }));
  await frame.getByRole("radio").first().waitFor();
  assert.equal(await runsFromTheRight(frame), true, "embedded form");
  assert.equal(await isNotWider(frame), true);
  await screenshot(product, "rtl-embed-phone");
});
