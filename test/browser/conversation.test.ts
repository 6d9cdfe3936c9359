import assert from "node:assert/strict";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { addAgent, addAssignee, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { assertUsable } from "./operating.ts";

const BEN = "ben@example.com";

for (const [name, options] of [
  ["light, wide", {}],
  ["dark, phone", { theme: "dark", size: "phone" }],
] as const)
  testInBrowser(
    `a person asks, the agent replies, and what was typed into the form stays: ${name}`,
    async (open, t) => {
      const service = await serve(t);
      const { asAgent } = await addAgent(service, "refund-bot");
      await addAssignee(service, BEN);
      const { id } = await createTask(asAgent, "Refund 42.50 EUR to Mia?", { assign_to: { email: BEN } });
      const path = `/api/tasks/${id}`;
      const page = await open(options);
      await page.emulateMedia({ reducedMotion: "reduce" });
      await signIn(page, service, BEN, `/tasks/${id}`);
      await page.getByLabel("note").fill("Half of it only");
      await page.getByRole("button", { name: "Ask or comment" }).click();
      const field = page.getByLabel("Comment, or question to refund-bot");
      await field.fill("Which card\nwas charged?");
      await assertUsable(page, `conversation-writing-${name.replace(", ", "-")}`);
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByText("Waits for the reply of refund-bot.").waitFor();
      await hasCount(field, 0);
      const { questions } = await asAgent.call<{ questions: { text: string }[] }>(
        "GET",
        `${path}/poll?until=attention`,
      );
      assert.deepEqual(
        questions.map(({ text }) => text),
        ["Which card\nwas charged?"],
      );
      await asAgent.call("POST", `${path}/comments`, { text: "The one that ends with 4242." });
      await page.getByText("The one that ends with 4242.").waitFor();
      await hasCount(page.getByText("Waits for the reply of"), 0);
      assert.equal(await page.getByLabel("note").inputValue(), "Half of it only");
      await assertUsable(page, `conversation-${name.replace(", ", "-")}`);

      // What is written and not sent is still there when the person comes back.
      await page.getByRole("button", { name: "Ask or comment" }).click();
      await field.fill("Thank");
      await page.reload();
      await field.waitFor();
      assert.equal(await field.inputValue(), "Thank");
      await page.getByRole("button", { name: "Comment", exact: true }).click();
      await page.getByText("Thank", { exact: true }).waitFor();
      const said = await asAgent.call<{ kind: string }[]>("GET", `${path}/comments`);
      assert.deepEqual(
        said.map(({ kind }) => kind),
        ["question", "comment", "comment"],
      );

      // The inbox says that people wait for the agent, until it replies.
      await page.goto(new URL("/inbox", page.url()).href);
      const waits = page.locator(`[data-task="${id}"]`).getByText("Waits for reply");
      await page.locator(`[data-task="${id}"]`).getByText("Waiting").waitFor();
      await hasCount(waits, 0);
      await service.call("POST", `${path}/comments`, { text: "And when?", kind: "question" });
      await waits.waitFor();
      await assertUsable(page, `inbox-waits-for-reply-${name.replace(", ", "-")}`);
      await asAgent.call("POST", `${path}/comments`, { text: "Yesterday." });
      await hasCount(waits, 0);
    },
  );

testInBrowser("what cannot be sent is said, and stays in the field", async (open, t) => {
  const service = await serve(t);
  await addAssignee(service, BEN);
  const { id } = await createTask(service, "Refund?", { assign_to: { email: BEN } });
  const page = await open({ expected: [/status of 409/] });
  await signIn(page, service, BEN, `/tasks/${id}`);
  await page.getByRole("button", { name: "Ask or comment" }).click();
  const field = page.getByLabel("Comment, or question to admin");
  await field.fill("Too late");
  await page.route("**/comments", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const body = { error_code: "TOO_MANY_COMMENTS", message: "Too much was said." };
    return route.fulfill({ status: 409, json: body });
  });
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("Too much was said.").waitFor();
  assert.equal(await field.inputValue(), "Too late");
});
