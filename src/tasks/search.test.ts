import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth } from "../../test/support/service.ts";
import type { ListedTask } from "./schema.ts";

testOnBoth("a search finds words wherever a row shows them, and what from, by, label and is say", async (service) => {
  const { call, create } = service;
  const dana = await person(service, { email: "dana@example.com", display_name: "Dana Ek" });
  const bot = await newAgent(service, { name: "refund-bot" });
  const payload = (customer: string) => ({ payload: { amount: 5, customer } });
  const one = await create({ task: "Refund the order", labels: ["VIP [EU]"], ...payload("Lucía") });
  const two = await create({ task: "Write to Mia", assign_to: { user_id: dana.user.id }, priority: "urgent" });
  const body = newTaskBody({ task: "Publish it", redact_payload: true, ...payload("Secret") });
  const { body: three } = await bot.call<ListedTask>("POST", "/api/tasks", { body });
  const four = await create({ task: "Old question", idempotency_key: "run 7: is:mine" });
  await call("POST", `/api/tasks/${four.id}/complete`, {
    body: { response: { approved: true }, completed_by_email: "kim@example.com" },
  });
  const names = new Map([one, two, three, four].map(({ id }, i) => [id, i + 1]));
  const find = async (q: string, as = call) =>
    (await as<ListedTask[]>("GET", `/api/tasks?q=${encodeURIComponent(q)}`)).body
      .map(({ id }) => names.get(id)!)
      .toSorted((a, b) => a - b);

  assert.deepEqual(await find("order refund"), [1], "in any order");
  assert.deepEqual(await find('"order refund"'), [], "but not in quotes");
  assert.deepEqual(await find('"the order"'), [1]);
  assert.deepEqual(await find("refund"), [1, 3], "titles and agents");
  assert.deepEqual(await find("lucía"), [1], "facts");
  assert.deepEqual(await find("secret"), [], "but not those of confidential tasks");
  assert.deepEqual(await find("vip"), [1], "labels");
  assert.deepEqual(await find("[eu]"), [1]);
  assert.deepEqual(await find('["'), [], "and not how they are stored");
  assert.deepEqual(await find("["), []);
  assert.deepEqual(await find("run 7: is:mine"), [4], "a key as a whole, whatever is in it");

  assert.deepEqual(await find("from:refund"), [3]);
  assert.deepEqual(await find('from:"refund-bot" publish'), [3]);
  assert.deepEqual(await find("from:admin"), [], "the admin token has no name");
  assert.deepEqual(await find("by:dana"), [2]);
  assert.deepEqual(await find('by:"dana ek"'), [2]);
  assert.deepEqual(await find("by:kim@"), [4]);
  assert.deepEqual(await find('label:"vip [eu]"'), [1]);
  assert.deepEqual(await find("label:vip"), [], "a whole label");
  assert.deepEqual(await find("is:urgent"), [2]);
  assert.deepEqual(await find("is:unassigned is:open"), [1, 3]);
  assert.deepEqual(await find("is:completed"), [4]);
  assert.deepEqual(await find("is:closed by:kim"), [4]);
  assert.deepEqual(await find("is:late"), [], "an unknown state is a word");
  assert.deepEqual(await find("is:mine"), [], "a token has no tasks");
  assert.deepEqual(await find("is:mine", dana.call), [2]);
});
