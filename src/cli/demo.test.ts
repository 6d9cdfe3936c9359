import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createClient, type TaskRecord } from "../../sdk/index.ts";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { newProject } from "../../test/support/projects.ts";
import { ADMIN_TOKEN, newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { SECOND } from "../lib/time.ts";
import type { UserRecord } from "../people/schema.ts";
import { takeDueSteps } from "../tasks/escalating.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import { playWithOthers } from "./demo.ts";

/** Plays the parts with other people, after somebody answered the first one. */
async function play(service: TestService, refund: TaskRecord, token = ADMIN_TOKEN) {
  const base = await service.app.listen({ port: 0, host: "127.0.0.1" });
  let text = "";
  const heard = new EventEmitter();
  const hear = (more: string) => {
    text += `${more}\n`;
    heard.emit("text");
  };
  const client = createClient({ baseUrl: base, token });
  const end = playWithOthers(client, refund, { base, token: ADMIN_TOKEN }, { result: hear, note: hear });
  /** Waits until the demo says this, and returns it. */
  const says = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(text);
      if (found !== null) return found[1] ?? found[0];
      await Promise.race([once(heard, "text"), end]);
    }
  };
  return { end, says, text: () => text };
}

async function answered({ call }: Awaited<ReturnType<typeof person>>, id: string): Promise<TaskRecord> {
  return (await call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } })).body;
}

testOnBoth(
  "the demo acts for other people: one approves before you, another what you change, and no one answers for a minute",
  async (service) => {
    const you = await person(service, { is_operator: true });
    const { says, end, text } = await play(service, await answered(you, (await service.create()).id));
    const id = await says(/Decide it here: .*(tsk_\w+)/);
    const read = async () => (await you.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
    const { approvals } = await read();
    assert.deepEqual([approvals!.have, approvals!.decisions.map(({ by }) => by.name)], [1, ["Ada"]]);
    const args = { to: "Nordwind Lamps", invoice: "NW-2026-118", amount: 9000 };
    await you.call("POST", `/api/tasks/${id}/complete`, { body: { response: { decision: "edit", args } } });
    await says(/You changed the amount, so earlier approvals do not count\. Ben approves it\./);
    await says(/You and Ben approved, so the agent pays 9000 EUR\./);
    assert.equal((await read()).status, "completed");

    const watched = await says(/Watch it here: .*(tsk_\w+)/);
    for (const said of [/15 seconds: it is urgent/, /30 seconds: Ben is asked too/]) {
      service.clock.advance(15 * SECOND);
      await takeDueSteps(service.ctx);
      await says(said);
    }
    service.clock.advance(30 * SECOND);
    await timeOutDueTasks(service.ctx);
    await says(/60 seconds: no one has answered[^]*\{ send: false \}\nThe agent does not send the lamp today\./);
    const { body } = await you.call<TaskRecord>("GET", `/api/tasks/${watched}`);
    assert.deepEqual([body.urgent, body.completed_via_channel], [true, "fallback"]);

    await end;
    assert.match(text(), /Ada and Ben are deactivated again\./);
    const { body: users } = await service.call<UserRecord[]>("GET", "/api/users?q=demo.example");
    assert.deepEqual(users.map(({ email, active }) => `${email} ${active}`).toSorted(), [
      "ada@demo.example false",
      "ben@demo.example false",
    ]);
  },
);

testOnBoth("another run finds its people again, also in another project, and says who rejected", async (service) => {
  const you = await person(service, { is_operator: true });
  for (const name of ["ada", "ben"]) {
    const { body } = await service.call<UserRecord>("POST", "/api/users", { body: { email: `${name}@demo.example` } });
    await service.call("DELETE", `/api/users/${body.id}`);
  }
  await newProject(service, "shop");
  const agent = await newAgent(service, { project: "shop" });
  const { body: asked } = await agent.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody() });
  const { says, end } = await play(service, await answered(you, asked.id), agent.token);
  const id = await says(/Decide it here: .*(tsk_\w+)/);
  await you.call("POST", `/api/tasks/${id}/complete`, { body: { response: { decision: "reject" } } });
  await says(/It was rejected, so the agent pays nothing\./);
  const watched = await says(/Watch it here: .*(tsk_\w+)/);
  await you.call("POST", `/api/tasks/${watched}/complete`, { body: { response: { send: true } } });
  await says(/Someone answered in time, [^]*The agent sends the lamp\./);
  await end;
});

testOnBoth(
  "without a person who is signed in, or without the admin token, the demo says how to see the rest",
  async (service) => {
    const you = await person(service, { is_operator: true });
    const refund = await answered(you, (await service.create()).id);
    const client = createClient({ baseUrl: "http://127.0.0.1:9", token: ADMIN_TOKEN });
    const notes: string[] = [];
    const output = { result: assert.fail, note: (text: string) => notes.push(text) };
    const there = { base: "http://127.0.0.1:9", token: ADMIN_TOKEN };
    await playWithOthers(client, { ...refund, completed_by_user_id: null }, there, output);
    await playWithOthers(client, refund, null, output);
    assert.match(notes[0]!, /Run it again, and answer in the browser/);
    assert.match(notes[1]!, /needs the admin token\. Run the demo where the service runs/);
  },
);
