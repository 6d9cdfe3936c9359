import assert from "node:assert/strict";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { addAgent, addAssignee, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { newTaskBody } from "../support/service.ts";
import { assertUsable } from "./operating.ts";

const BEN = "ben@example.com";

const LETTER = "Dear Mia, we refund the jacket and the shipping. Kind regards, Dana";
const SHORTER = "Dear Mia, we refund the jacket. Kind regards, Dana";

testInBrowser(
  "finished decisions about an earlier version do not count for the next, and secrets stay hidden",
  async (open, t) => {
    const service = await serve(t);
    const { asAgent } = await addAgent(service, "refund-bot");
    await addAssignee(service, BEN);
    const {
      payload: _p,
      payload_schema: _s,
      response_schema: _r,
      ...body
    } = newTaskBody({ assign_to: { email: BEN } });
    const args_schema = {
      type: "object",
      properties: { pin: { $ref: "#/$defs/pin" } },
      $defs: { pin: { type: "string", writeOnly: true } },
    };
    const action = (pin: string) => ({
      name: "open",
      args: { pin, door: 3 },
      args_schema,
      allowed: ["approve", "respond"],
    });
    const { id } = await asAgent.call<{ id: string }>("POST", "/api/tasks", { ...body, action: action("1111") });
    const page = await open({});
    await signIn(page, service, BEN, `/tasks/${id}`);
    await page
      .getByRole("button", { name: /respond|answer/i })
      .first()
      .click();
    await page.getByRole("textbox").first().fill("Which door?");
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await asAgent.call("POST", `/api/tasks/${id}/revise`, {
      action: { ...action("2222"), args: { pin: "2222", door: 4 } },
    });
    await page.goto(`${service.url}/tasks/${id}`);
    const goOn = page.getByRole("button", { name: "Go on with version 2" });
    await goOn.waitFor();
    const versions = page.getByRole("region", { name: "Version 2" });
    await versions.getByText("Door", { exact: true }).waitFor();
    await hasCount(versions.getByText(/1111|2222/).filter({ visible: true }), 0);
    await goOn.click();
    await hasCount(goOn, 0);
  },
);

testInBrowser("an action that was revised shows what changed above what to decide", async (open, t) => {
  const service = await serve(t);
  const { asAgent } = await addAgent(service, "refund-bot");
  await addAssignee(service, BEN);
  const action = { name: "refund", args: { amount: 42.5, customer: "Mia" } };
  const { payload: _p, payload_schema: _s, response_schema: _r, ...body } = newTaskBody({ assign_to: { email: BEN } });
  const { id } = await asAgent.call<{ id: string }>("POST", "/api/tasks", { ...body, action });
  const args = { amount: 30, customer: "Mia" };
  await asAgent.call("POST", `/api/tasks/${id}/revise`, {
    action: { ...action, args, allowed: ["approve", "reject", "respond"] },
    note: "Without shipping.",
  });
  const page = await open({ size: "wide" });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, service, BEN, `/tasks/${id}`);
  const versions = page.getByRole("region", { name: "Version 2" });
  await versions.getByText("42.5").waitFor();
  await versions.getByText("Decisions: approve, reject → approve, reject, respond").waitFor();
  await assertUsable(page, "revision-action");
  await page.getByRole("button", { name: "Approve" }).first().click();
  await hasCount(page.getByText("Answer sent"), 1);
  const { response } = await asAgent.call<{ response: object }>("GET", `/api/tasks/${id}`);
  assert.deepEqual(response, { decision: "approve", args });
});

for (const [name, options] of [
  ["light, wide", { size: "wide" }],
  ["dark, phone", { theme: "dark", size: "phone" }],
] as const)
  testInBrowser(
    `the request changes while a person looks at it: nothing is sent unseen, what was typed stays, and the change is shown: ${name}`,
    async (open, t) => {
      const service = await serve(t);
      const { asAgent } = await addAgent(service, "refund-bot");
      await addAssignee(service, BEN);
      const payload = { customer: "Mia", amount: 42.5, letter: LETTER, coupon: "WELCOME" };
      const { id } = await createTask(asAgent, "Refund 42.50 EUR to Mia?", {
        assign_to: { email: BEN },
        payload,
        payload_schema: { type: "object" },
      });
      const path = `/api/tasks/${id}`;
      const page = await open(options);
      await page.emulateMedia({ reducedMotion: "reduce" });
      await signIn(page, service, BEN, `/tasks/${id}`);
      const note = page.getByLabel("note");
      await note.fill("Half of it only");
      const { coupon: _, ...rest } = payload;
      const revised = { ...rest, amount: 30, letter: SHORTER, method: "Card" };
      await asAgent.call("POST", `${path}/revise`, { payload: revised, note: "Shipping is not refunded." });

      const goOn = page.getByRole("button", { name: "Go on with version 2" });
      await goOn.waitFor();
      assert.equal(await note.inputValue(), "Half of it only");
      assert.equal(await note.isDisabled(), true);
      const versions = page.getByRole("region", { name: "Version 2" });
      await versions.getByText("Shipping is not refunded.").waitFor();
      await versions.getByText("42.5").waitFor();
      await versions.locator("del", { hasText: "and the shipping" }).waitFor();
      await versions.getByText("WELCOME").waitFor();
      await assertUsable(page, `revision-${name.replace(", ", "-")}`);
      await goOn.click();
      await hasCount(goOn, 0);
      assert.equal(await note.inputValue(), "Half of it only");
      await page.getByText("refund-bot changed the request (version 2)").waitFor();

      await asAgent.call("POST", `${path}/revise`, { payload: { ...revised, amount: 25 } });
      await page.getByRole("button", { name: "Go on with version 3" }).click();
      const third = page.getByRole("region", { name: "Version 3" });
      await third.getByRole("combobox").selectOption("1");
      await third.getByText("WELCOME").waitFor();
      await page.getByRole("radio", { name: "Yes" }).or(page.getByLabel("approved")).first().click();
      await page
        .getByRole("button", { name: /submit|send|answer/i })
        .last()
        .click();
      await page.getByText("Answer sent").waitFor();
      const { response, version } = await asAgent.call<{ response: object; version: number }>("GET", path);
      assert.deepEqual([(response as { note: string }).note, version], ["Half of it only", 3]);
    },
  );
