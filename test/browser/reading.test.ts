import assert from "node:assert/strict";
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
  assert.equal(await review.getByText("Hello Johanna").filter({ visible: true }).count(), 1);
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
