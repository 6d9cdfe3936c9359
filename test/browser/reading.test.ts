import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { axe, hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";

const ADA = "ada@example.com";

const MAIL = `Hello Johanna,

thank you for your order. ${"We are sorry that the parcel arrived open, and that two of the items were missing. ".repeat(8)}

Your refund arrives within 3 days.

${"Please keep the packaging until the courier has picked it up. ".repeat(8)}

Kind regards`;

const REPLY_TASK = {
  payload: { customer: "Johanna Lindqvist", draft: MAIL },
  response_schema: {
    type: "object",
    properties: { reply: { type: "string", title: "Reply", maxLength: 4000 }, note: { type: "string" } },
    required: ["reply"],
  },
  form_definition: { prefill: { "/reply": "/draft" } },
};

testInBrowser("a proposed text is edited where it is read, and sent as it is or with changes", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Send this reply?", REPLY_TASK);
  const other = await createTask(service, "Send that reply?", REPLY_TASK);
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  const review = page.getByRole("region", { name: "What to review" });
  const form = page.locator("form.answer");
  await form.getByText("As proposed", { exact: true }).waitFor();
  // The text is on the page once.
  await hasCount(page.getByRole("textbox", { name: "Reply" }), 0);
  await page.keyboard.press("e");
  const reply = review.getByRole("textbox", { name: "Reply" });
  await hasFocus(reply);
  await hasCount(review.getByText("Hello Johanna").filter({ visible: true }), 1);
  // It shows more of the text than its few rows, and does not fill the whole screen.
  const { height, width } = (await reply.boundingBox())!;
  assert.ok(height > 200 && height <= 900 * 0.7 + 1, `${height} high`);
  assert.ok(width > 400, `${width} wide`);
  await reply.fill(MAIL.replace("3 days", "5 days"));
  await form.getByText("With your changes").waitFor();
  await axe(page);
  await screenshot(page, "reading-edit");
  await page.keyboard.press("Escape");
  await hasFocus(review.getByRole("button", { name: "Edit Reply" }));
  // Two words are marked, and what is far from them is folded.
  for (const place of [review, page.getByRole("region", { name: "Your changes" })]) {
    assert.deepEqual(await place.locator("del").allTextContents(), ["3"]);
    assert.deepEqual(await place.locator("ins").allTextContents(), ["5"]);
    await hasCount(place.getByText("unchanged"), 2);
  }
  await hasCount(review.locator("details:not([open])", { hasText: "Kind regards" }), 1);
  await axe(page);
  await screenshot(page, "reading-edited");

  // It is kept over a reload, and can be taken back.
  await page.reload();
  await form.getByRole("button", { name: "Submit with changes" }).waitFor();
  await review.getByRole("button", { name: "Reset to the agent's text" }).click();
  await form.getByRole("button", { name: "Submit as proposed" }).waitFor();
  await hasCount(page.getByRole("region", { name: "Your changes" }), 0);
  await review.getByText("Kind regards").filter({ visible: true }).waitFor();

  // What is wrong with it is said there as well.
  await page.locator("h1").click();
  await page.keyboard.press("e");
  await reply.fill(`${MAIL}${"x".repeat(4000)}`);
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("alert")
    .getByRole("link", { name: /^Reply/ })
    .click();
  await hasFocus(reply);
  await reply.fill(MAIL.replace("3 days", "5 days"));
  await page.keyboard.press("Control+Enter");
  await page.getByText("Answer sent").waitFor();
  assert.deepEqual((await service.call<{ response: unknown }>("GET", `/api/tasks/${id}`)).response, {
    reply: MAIL.replace("3 days", "5 days"),
  });
  await page.goto(`${service.url}/tasks/${id}`);
  const answer = page.getByRole("region", { name: "The answer" });
  await answer.getByText("With changes").waitFor();
  assert.deepEqual(await answer.locator("ins").allTextContents(), ["5"]);

  await page.goto(`${service.url}/tasks/${other.id}`);
  await form.getByRole("button", { name: "Submit as proposed" }).click();
  await page.getByText("Answer sent").waitFor();
  await page.goto(`${service.url}/tasks/${other.id}`);
  await answer.getByText("As proposed").waitFor();
  await hasCount(answer.locator("ins"), 0);
});

const ROWS = Array.from({ length: 600 }, (_, i) => ({
  item: `Item ${i + 1}`,
  supplier: i === 10 ? null : `Supplier ${(i * 7) % 600}`,
  qty: (i * 13) % 50,
  amount: i + 0.1,
  place: `A rather long name of a place, number ${i}`,
  note: `A remark that makes this table wider than its column, for row ${i}`,
}));

testInBrowser(
  "a long table keeps its head, its numbers and its sums in sight, and is sorted by a press",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const money = { "ui:widget": "currency", "ui:options": { currency: "EUR" } };
    const { id } = await createTask(service, "Pay these?", {
      payload: { rows: ROWS },
      form_definition: { payload: { rows: { items: { amount: money } } } },
    });
    const page = await open();
    await signIn(page, service, ADA, `/tasks/${id}`);
    const table = page.getByRole("region", { name: "Rows" });
    const rows = table.locator("tbody > tr", { has: page.locator("th") });
    const texts = async (index: number) => rows.nth(index).locator("th, td").allInnerTexts();
    await hasCount(rows, 50);
    assert.deepEqual((await texts(0)).slice(0, 4), ["1", "Item 1", "Supplier 0", "0"]);
    // Of all rows, not of those that are shown.
    assert.match(await table.locator("tfoot").innerText(), /Sum\s+14,700\s+€179,760\.00/);
    await screenshot(page, "reading-table");
    await table.evaluate((element) => element.scrollTo(200, 700));
    const frame = (await table.boundingBox())!;
    const placeOf = async (part: Locator) => (await part.boundingBox())!;
    const [head, sum, first] = [
      await placeOf(table.getByRole("columnheader", { name: "Item" })),
      await placeOf(table.locator("tfoot th")),
      await placeOf(rows.nth(20).locator("td").first()),
    ];
    assert.ok(head.y >= frame.y && head.y < frame.y + 5 && sum.y < frame.y + frame.height, `${head.y}, ${sum.y}`);
    for (const { x } of [head, sum, first]) assert.ok(x >= frame.x && x < frame.x + 80, `${x} beside ${frame.x}`);
    await screenshot(page, "reading-table-scrolled");
    await axe(page);

    const supplier = table.getByRole("columnheader", { name: "Supplier" });
    await supplier.getByRole("button").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Sorted by Supplier, on this page only.").waitFor();
    assert.equal(await supplier.getAttribute("aria-sort"), "ascending");
    await hasFocus(supplier.getByRole("button"));
    // The number of a row says where it was sent. "Supplier 10" comes after "Supplier 9".
    assert.deepEqual((await texts(2)).slice(0, 3), ["87", "Item 87", "Supplier 2"]);
    assert.equal((await texts(10))[2], "Supplier 10");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("[aria-sort='descending']") !== null);
    assert.equal((await texts(0))[2], "Supplier 599");
    await axe(page);
    for (let shown = 50; shown < 600;) {
      await table.getByRole("button", { name: /^Show \d+ more/ }).click();
      shown = Math.min(600, shown + 100);
      await hasCount(rows, shown);
    }
    // A row without a value is the last in both directions.
    assert.deepEqual((await texts(599)).slice(0, 2), ["11", "Item 11"]);
    await page.getByRole("button", { name: "Order as sent" }).click();
    await page.waitForFunction(() => document.querySelector("[aria-sort='descending']") === null);
    assert.deepEqual((await texts(0)).slice(0, 2), ["1", "Item 1"]);
    const { payload } = await service.call<{ payload: unknown }>("GET", `/api/tasks/${id}`);
    assert.deepEqual(payload, { rows: ROWS });
  },
);

const PATCH = `diff --git a/src/refund.ts b/src/refund.ts
index 1c2d3e4..5f6a7b8 100644
--- a/src/refund.ts
+++ b/src/refund.ts
@@ -12,7 +12,7 @@ export function refund(order: Order) {
   const amount = order.total;
-  if (amount > 100) return ask(order);
--- the old limit
+  if (amount > 500) return ask(order);
+  log(amount);
   return pay(amount);
 }
diff --git a/notes.md b/notes.md
new file mode 100644
--- /dev/null
+++ b/notes.md
@@ -0,0 +1 @@
+<img src=x onerror=alert(1)>
\\ No newline at end of file
`;

testInBrowser("a diff of code has its files, signs and line numbers, and code is in colours", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Merge this?", {
    payload: {
      patch: PATCH,
      query: "select total from orders -- all of them\nwhere name = 'Ada' and total > 100",
      readme: "Run it:\n\n```ts\nconst n = 5; // five\n```\n",
      page: "<b>bold</b>",
    },
    form_definition: {
      payload: {
        query: { "ui:widget": "code", "ui:options": { language: "sql" } },
        readme: { "ui:widget": "markdown" },
      },
    },
  });
  const page = await open();
  page.on("dialog", (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
  await signIn(page, service, ADA, `/tasks/${id}`);
  const files = page.locator(".diff-file");
  await hasCount(files, 2);
  const heads = (await files.locator("summary").allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
  assert.deepEqual(heads, [
    "src/refund.ts +2 lines added, −2 lines removed",
    "notes.md new file +1 lines added, −0 lines removed",
  ]);
  const lines = await files
    .first()
    .locator("tr:not(.diff-hunk)")
    .evaluateAll((rows) => rows.map((row) => Array.from(row.children, (cell) => cell.textContent)));
  assert.deepEqual(lines.slice(0, 6), [
    ["12", "12", "", "  const amount = order.total;"],
    ["13", "", "−Removed: ", "  if (amount > 100) return ask(order);"],
    ["14", "", "−Removed: ", "-- the old limit"],
    ["", "13", "+Added: ", "  if (amount > 500) return ask(order);"],
    ["", "14", "+Added: ", "  log(amount);"],
    ["15", "15", "", "  return pay(amount);"],
  ]);
  await page.getByText("<img src=x onerror=alert(1)>").waitFor();
  const texts = (kind: string) => page.locator(`.code-${kind}`).allTextContents();
  assert.deepEqual(await texts("comment"), ["-- all of them", "// five"]);
  assert.deepEqual(await texts("string"), ["'Ada'"]);
  assert.deepEqual(await texts("number"), ["100", "5"]);
  assert.deepEqual(await texts("word"), ["select", "from", "where", "and", "const"]);
  await axe(page);
  await screenshot(page, "reading-code");
  await files.first().locator("summary").click();
  assert.equal(await page.getByText("log(amount);").isVisible(), false);
});
