import assert from "node:assert/strict";
import { after } from "node:test";
import type { InputBlock } from "@slack/types";
import { addUser } from "../../test/support/people.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { said, testWithSlack } from "../../test/support/slack-service.ts";
import type { View } from "../../test/support/slack/workspace.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { startVendors } from "../../test/support/vendors.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { createLink } from "./email/links.ts";

const DANA = "dana@example.com";
const vendors = await startVendors();
const hook = await startReceiver();
after(async () => {
  await vendors.close();
  await hook.close();
});
const env = { ...vendors.env, SERVICE_CALLBACK_ALLOW_PRIVATE: "1" };

/** A task whose answers a model checks: it refuses the first and passes the second. */
async function ask(service: TestService, notify: string[]): Promise<string> {
  await addUser(service, { email: DANA, display_name: "Dana" });
  vendors.script.push({ passed: false, reason: "Say why." }, { passed: true, reason: "It says why." });
  const { id } = await service.create({
    notify,
    callback_url: hook.url,
    verifier_config: { provider: "openai", instructions: "The note must say why.", max_attempts: 3 },
  });
  return id;
}

/** The agent hears of the answer that passed, once. */
async function heard(service: TestService, id: string, channel: string): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    service.clock.advance(6_000);
    await service.ctx.deliveries.turn();
    await service.ctx.deliveries.settle();
  }
  const told = hook.received.filter(({ task_id }) => task_id === id).map(({ body }) => JSON.parse(body) as TaskRecord);
  assert.deepEqual(
    told.map(({ status, response, completed_via_channel, verification_attempt }) => [
      status,
      response,
      completed_via_channel,
      verification_attempt,
    ]),
    [["completed", { approved: true, note: "The customer was charged twice." }, channel, 1]],
  );
}

testOnBoth(
  "by mail an answer is sent back, corrected, passed and heard of",
  async (service) => {
    const id = await ask(service, [`email:${DANA}`]);
    const path = new URL(createLink(service.ctx, id, DANA)).pathname;
    const post = async (note: string): Promise<string> => {
      const page = (await service.call("GET", path, { token: null })).text;
      const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const fields = hidden.map(([, name = "", value = ""]): [string, string] => [name, value]);
      const { text } = await service.call("POST", path, {
        token: null,
        raw: new URLSearchParams([...fields, ["/approved", "true"], ["/note", note]]).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      });
      return text;
    };
    const back = await post("Fine.");
    assert.match(back, /Sent back/);
    assert.match(back, /Say why\./);
    assert.match(back, /Fine\./);
    assert.match(await post("The customer was charged twice."), /Answer sent/);
    await heard(service, id, "email");
  },
  { env },
);

testWithSlack(
  "in Slack an answer is sent back, corrected, passed and heard of",
  async ({ service, slack, send }) => {
    const dana = slack.addUser({ name: "dana", email: DANA });
    const id = await ask(service, ["slack:#approvals"]);
    await send();
    await slack.click({ user: dana, post: slack.posts[0]!, action_id: "answer:open" });
    const view = slack.views[0]!;
    const submit = async (note: string) => {
      assert.equal((await slack.submit({ user: dana, view, values: valuesOf(view, note) })).failure, null);
      await slack.until(() => titleOf(view) !== "Checking your answer");
    };
    await submit("Fine.");
    assert.match(said(view), /Say why\./);
    assert.match(JSON.stringify(view.blocks), /"initial_value":"Fine\."/);
    await submit("The customer was charged twice.");
    assert.equal(titleOf(view), "Answer sent");
    await heard(service, id, "slack");
    assert.deepEqual(slack.failures, []);
  },
  { env },
);

const titleOf = ({ title }: View) => (title as { text: string }).text;

function valuesOf({ blocks }: View, note: string) {
  const inputs = (blocks as unknown as InputBlock[]).filter(({ type }) => type === "input");
  return Object.fromEntries(
    inputs.map(({ block_id = "", element }) => [
      block_id,
      { [element.action_id ?? ""]: block_id === "/approved" ? "0" : note },
    ]),
  );
}
