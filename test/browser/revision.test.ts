import assert from "node:assert/strict";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { addAgent, addAssignee, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { assertUsable } from "./operating.ts";

const BEN = "ben@example.com";

const LETTER = "Dear Mia, we refund the jacket and the shipping. Kind regards, Dana";
const SHORTER = "Dear Mia, we refund the jacket. Kind regards, Dana";

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
