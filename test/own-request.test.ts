import assert from "node:assert/strict";
import { createClient } from "../sdk/index.ts";
import { createLink } from "../src/channels/email/links.ts";
import { sendAnswer } from "../src/cli/clients.ts";
import { SECOND } from "../src/lib/time.ts";
import { takeDueSteps } from "../src/tasks/escalating.ts";
import type { AuditEntryRecord, TaskRecord } from "../src/tasks/schema.ts";
import { actionTask } from "./support/actions.ts";
import { newAgent } from "./support/agents.ts";
import { EMBED_ENV, mint, newServiceKey } from "./support/embed.ts";
import { person } from "./support/people.ts";
import { pageIn } from "./support/plain-page.ts";
import { MANY_REQUESTS_MS, testOnBoth, type TestService } from "./support/service.ts";
import { personIn } from "./support/slack-person.ts";
import { testWithSlack, whispers } from "./support/slack-service.ts";

/*
 * No one approves their own request. Each way in which a request is a person's own is tried on each surface, and each way in
 * which it may come back to them. What MCP's tools are, and that none of them
 * answers for a person, is in who-may-answer.test.ts.
 * (beyond the spec: More than one person)
 */

type Person = Awaited<ReturnType<typeof person>>;
type Body = TaskRecord & { error_code: string; message: string };

const ADA = "ada@example.com";
const BEN = "ben@example.com";
const EXCLUDE = { exclude: ["asker", "on_behalf_of"] };
/** The people who are told: they have links, and may decide if nothing excludes them. */
const NOTIFY = [`email:${ADA}`, `email:${BEN}`];

interface World {
  service: TestService;
  /** Whose request it is. An operator, who may answer everything else. */
  ada: Person;
  ben: Person;
}

async function createWorld(service: TestService, fields: object = {}): Promise<World> {
  return {
    service,
    ada: await person(service, { email: ADA, is_operator: true, pool: "desk", ...fields }),
    ben: await person(service, { email: BEN, is_operator: true }),
  };
}

async function ask(call: TestService["call"], approvals: object, fields: object = {}): Promise<string> {
  const body = { ...actionTask(), approvals: { need: 1, ...EXCLUDE, ...approvals }, ...fields };
  const { status, body: task, text } = await call<TaskRecord>("POST", "/api/tasks", { body });
  assert.equal(status, 201, text);
  return task.id;
}

/** How a request is a person's own. Each makes a task, and returns its id. */
const WAYS: Record<string, (world: World, fields: object) => Promise<string>> = {
  "she asked for it": async ({ ada }, fields) => ask(ada.call, {}, fields),
  "she asked for several actions at once": async ({ ada }, fields) => {
    const { action: _, ...several } = actionTask({ actions: [{ name: "refund" }, { name: "close" }] }) as object & {
      action?: unknown;
    };
    return ask(ada.call, {}, { action: undefined, ...several, ...fields });
  },
  "her agent asked for it": async ({ service, ada }, fields) => {
    const agent = await newAgent(service, { owner_user_id: ada.user.id });
    return ask(agent.call, {}, fields);
  },
  "her agent asked for it, and she gave the agent away": async ({ service, ada }, fields) => {
    const agent = await newAgent(service, { owner_user_id: ada.user.id });
    const id = await ask(agent.call, {}, fields);
    await service.call("PATCH", `/api/agents/${agent.id}`, { body: { owner_user_id: null } });
    return id;
  },
  "it is asked on her behalf, by her address": async ({ service }, fields) =>
    ask(service.call, {}, { on_behalf_of: { email: ADA.toUpperCase() }, ...fields }),
  "it is asked on her behalf, by her id": async ({ service, ada }, fields) =>
    ask(service.call, {}, { on_behalf_of: { id: ada.user.id }, ...fields }),
  "she decided the task before it": async ({ service, ada }, fields) => {
    const first = await ask(service.call, {});
    await ada.call("POST", `/api/tasks/${first}/complete`, { body: { response: { decision: "approve" } } });
    return ask(service.call, { exclude: [`answered:${first}`] }, fields);
  },
};

const DECISIONS = [
  { decision: "approve" },
  { decision: "edit", args: { amount: 10, to: { name: "Mia" } } },
  { decision: "reject" },
  { decision: "respond", message: "Why?" },
];

/** Returns the answers to try: each decision, about as many actions as the task has. */
async function answersTo({ service }: World, id: string): Promise<object[]> {
  const { actions } = (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
  return actions === null ? DECISIONS : DECISIONS.map((one) => ({ decisions: actions.map(() => one) }));
}

async function isRefused(answer: { status: number; body: Body; text: string }, code: string): Promise<void> {
  assert.deepEqual([answer.status, answer.body.error_code], [403, code], answer.text);
}

/** The surfaces besides Slack. Each tries to decide as Ada, and asserts how it is refused. */
const SURFACES: Record<string, (world: World, id: string) => Promise<void>> = {
  "the dashboard": async (world, id) => {
    for (const response of await answersTo(world, id))
      await isRefused(
        await world.ada.call<Body>("POST", `/api/tasks/${id}/complete`, { body: { response } }),
        "EXCLUDED",
      );
    const { approvals } = (await world.ada.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
    assert.match(approvals!.refusal!, /someone else has to decide/);
  },
  "the page of her link": async ({ service, ada }, id) => {
    for (const user_id of [ada.user.id, null]) {
      const page = pageIn(service, createLink(service.ctx, id, ADA, user_id));
      for (const query of ["", "?choice=0", "?choice=1", "?choice=2"]) {
        await page.open(query);
        assert.equal(page.status, 403);
        assert.match(page.text, /someone else has to decide/);
        assert.equal(page.fields()["/decision"], undefined);
      }
      for (const decision of ["approve", "reject"])
        await page.post({ "/decision": decision, "/decisions/0/decision": decision });
      assert.equal(page.status, 403);
    }
  },
  "an embedded form in her name": async ({ service, ada }, id) => {
    const { key } = await newServiceKey(service);
    const { embed_token: token } = (await mint(service, key, { task_id: id, sub: ADA })).body;
    const body = { response: { decision: "approve" } };
    await isRefused(await service.call<Body>("POST", "/api/embed/task/complete", { token, body }), "NEEDS_A_PERSON");
    // An agent embeds its own tasks only.
    const agent = await newAgent(service, { owner_user_id: ada.user.id, scopes: ["embed"] });
    assert.equal((await mint(service, agent.token, { task_id: id, sub: ADA })).status, 404);
  },
  "the admin token in her name, or in another": async (world, id) => {
    for (const email of [ADA, BEN, null])
      for (const response of await answersTo(world, id)) {
        const body = { response, completed_by_email: email };
        await isRefused(
          await world.service.call<Body>("POST", `/api/tasks/${id}/complete`, { body }),
          "NEEDS_A_PERSON",
        );
      }
  },
  "an agent of hers that answers": async (world, id) => {
    const { service, ada } = world;
    const agent = await newAgent(service, { owner_user_id: ada.user.id, scopes: ["answer", "read"] });
    for (const response of await answersTo(world, id))
      for (const fields of [{}, { completed_by_email: BEN }, { sub: BEN }]) {
        const body = { response, ...fields };
        await isRefused(await agent.call<Body>("POST", `/api/tasks/${id}/complete`, { body }), "NEEDS_A_PERSON");
      }
  },
  "the command line in her name": async (world, id) => {
    const { service } = world;
    const client = createClient({
      baseUrl: "http://service.example",
      token: "unused",
      fetch: async (url, { method, body } = {}) => {
        const path = new URL(url instanceof Request ? url.url : url).pathname;
        const sent = await service.call(method as "POST", path, { ...(typeof body === "string" && { raw: body }) });
        return new Response(sent.text, { status: sent.status, headers: { "content-type": "application/json" } });
      },
    });
    for (const email of [ADA, BEN, undefined])
      for (const response of await answersTo(world, id))
        await assert.rejects(sendAnswer({ client }, id, response, email), { code: "NEEDS_A_PERSON" });
  },
};

/** Asserts that nothing was decided, and that another person still decides it. */
async function isUntouched({ service, ben }: World, id: string, decides: () => Promise<unknown>): Promise<void> {
  const read = async () => (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
  const { status, approvals } = await read();
  assert.deepEqual([status, approvals!.have, approvals!.round, approvals!.decisions], ["created", 0, 1, []]);
  await decides();
  const after = await read();
  assert.deepEqual([after.status, after.completed_by_user_id], ["completed", ben.user.id]);
}

for (const [way, create] of Object.entries(WAYS))
  testOnBoth(
    `no one approves their own request: ${way}`,
    async (service) => {
      const world = await createWorld(service);
      for (const [surface, attempt] of Object.entries(SURFACES)) {
        const id = await create(world, { notify: NOTIFY });
        await attempt(world, id).catch((error: unknown) => {
          throw new Error(`${way}: ${surface}`, { cause: error });
        });
        await isUntouched(world, id, async () => {
          const [response] = await answersTo(world, id);
          await world.ben.call("POST", `/api/tasks/${id}/complete`, { body: { response } });
        });
      }
    },
    { env: EMBED_ENV, limitMs: MANY_REQUESTS_MS },
  );

testOnBoth(
  "no agent approves its own request, or makes its host trusted; and a trusted host decides none that needs a person",
  async (service) => {
    const { ben } = await createWorld(service);
    const agent = await newAgent(service);
    const decide = async (id: string, code: string) => {
      for (const response of DECISIONS)
        for (const fields of [{}, { completed_by_email: BEN, completed_via_channel: "dashboard" }]) {
          const body = { response, ...fields };
          await isRefused(await agent.call<Body>("POST", `/api/tasks/${id}/complete`, { body }), code);
        }
    };
    const { id: plain } = (await agent.call<TaskRecord>("POST", "/api/tasks", { body: actionTask() })).body;
    await decide(plain, "AGENT_SCOPE_MISSING");
    const trust = { host_answers: true };
    for (const [method, path] of [
      ["PATCH", `/api/agents/${agent.id}`],
      ["POST", "/api/agents"],
    ] as const)
      assert.equal((await agent.call(method, path, { body: { name: "another", ...trust } })).status, 403);
    await decide(plain, "AGENT_SCOPE_MISSING");

    await service.call("PATCH", `/api/agents/${agent.id}`, { body: trust });
    for (const approvals of [{}, { exclude: [] }, { from: { emails: [BEN] } }]) {
      const id = await ask(agent.call, approvals);
      await decide(id, "NEEDS_A_PERSON");
      await ben.call("POST", `/api/tasks/${id}/complete`, { body: { response: { decision: "approve" } } });
      const { body } = await agent.call<TaskRecord>("GET", `/api/tasks/${id}`);
      assert.deepEqual([body.status, body.completed_by_email], ["completed", BEN]);
    }
  },
  { limitMs: MANY_REQUESTS_MS },
);

testWithSlack(
  "no one approves their own request: in Slack, by a button or in a form",
  async ({ service, slack, send }) => {
    const member = (name: string) => slack.addUser({ name, email: `${name}@example.com` });
    const [ada, ben] = [member("ada"), member("ben")];
    const world = await createWorld(service, { slack_team_id: slack.team.id, slack_user_id: ada.id });
    for (const [way, create] of Object.entries(WAYS)) {
      const id = await create(world, { notify: ["slack:#approvals"] });
      await send();
      const post = slack.posts.findLast((one) => JSON.stringify(one.blocks).includes(id))!;
      const buttons = [...new Set(JSON.stringify(post.blocks).match(/answer:(?:choose|open)[^"]*/g))];
      assert.ok(buttons.length > 0, way);
      for (const button of buttons) {
        const [views, before] = [slack.views.length, whispers(slack).length];
        await personIn(slack, ada).press(post, button);
        assert.equal(slack.views.length, views, `${way}: ${button} opens no form`);
        assert.match(
          whispers(slack).slice(before).join(),
          /someone else has to decide.*Nothing was sent\.$/,
          `${way}: ${button}`,
        );
      }
      await isUntouched(world, id, async () => {
        const [response] = await answersTo(world, id);
        if (buttons.includes("answer:choose:0")) await personIn(slack, ben).press(post, "answer:choose:0");
        else await world.ben.call("POST", `/api/tasks/${id}/complete`, { body: { response } });
      });
    }
  },
);

testWithSlack(
  "a form in Slack that was open before the request became hers is refused",
  async ({ service, slack, send }) => {
    const ada = slack.addUser({ name: "ada", email: ADA });
    const world = await createWorld(service, { slack_team_id: slack.team.id, slack_user_id: ada.id });
    const agent = await newAgent(service);
    const id = await ask(agent.call, {}, { notify: ["slack:#approvals"] });
    await send();
    const post = slack.posts.findLast((one) => JSON.stringify(one.blocks).includes(id))!;
    const view = await personIn(slack, ada).open(post, "answer:open:1");
    await service.call("PATCH", `/api/agents/${agent.id}`, { body: { owner_user_id: world.ada.user.id } });
    await personIn(slack, ada).submit(view, { "/args/amount": "45" });
    assert.match(JSON.stringify(slack.views.at(-1)!.blocks), /someone else has to decide/);
    await isUntouched(world, id, async () =>
      world.ben.call("POST", `/api/tasks/${id}/complete`, { body: { response: { decision: "approve" } } }),
    );
  },
);

/** How a task comes back to the person who asked for it. Each gets the fields of the request. */
const RETURNS: Record<
  string,
  { fields: (world: World) => object; after?: (world: World, id: string) => Promise<unknown> }
> = {
  "the request assigns it to her": { fields: ({ ada }) => ({ assign_to: { user_id: ada.user.id } }) },
  "she is the only one of a role": {
    fields: () => ({ assign_to: { role: "head" } }),
  },
  "she stands in for the person who is away": { fields: () => ({ assign_to: { email: "away@example.com" } }) },
  "an operator assigns it to her": {
    fields: () => ({}),
    after: async ({ ben, ada }, id) => ben.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: ada.user.id } }),
  },
  "she assigns it to herself": {
    fields: () => ({}),
    after: async ({ ada }, id) => ada.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: ada.user.id } }),
  },
  "she claims it": {
    fields: () => ({}),
    after: async ({ ada }, id) => ada.call("POST", `/api/tasks/${id}/claim`, { body: {} }),
  },
  ...Object.fromEntries(
    (
      [
        { do: "assign", to: { email: ADA } },
        { do: "assign", to: { pool: "desk" } },
        { do: "assign", to: { email: "away@example.com" } },
        { do: "offer", to: { pool: "desk" } },
        { do: "offer", to: { emails: [ADA] } },
        { do: "notify", to: [`email:${ADA}`] },
      ] as const
    ).map((step) => [
      `a step does ${step.do} to ${JSON.stringify(step.to)}`,
      {
        fields: () => ({ escalation: [{ after: 60, ...step }] }),
        after: async ({ service }: World) => {
          service.clock.advance(60 * SECOND);
          await takeDueSteps(service.ctx);
        },
      },
    ]),
  ),
};

testOnBoth(
  "no one approves their own request, also if it comes back to them",
  async (service) => {
    const world = await createWorld(service, { role: "head" });
    const away = await person(service, { email: "away@example.com" });
    await away.call("PUT", `/api/users/${away.user.id}/absence`, {
      body: { from: null, until: "2026-03-01T00:00:00.000Z", delegate_user_id: world.ada.user.id },
    });
    for (const [way, { fields, after }] of Object.entries(RETURNS)) {
      const id = await ask(world.ada.call, {}, { notify: NOTIFY, ...fields(world) });
      await after?.(world, id);
      for (const [surface, attempt] of Object.entries(SURFACES))
        await attempt(world, id).catch((error: unknown) => {
          throw new Error(`${way}: ${surface}`, { cause: error });
        });
      await isUntouched(world, id, async () =>
        world.ben.call("POST", `/api/tasks/${id}/complete`, { body: { response: { decision: "approve" } } }),
      );
    }
  },
  { env: EMBED_ENV, limitMs: MANY_REQUESTS_MS },
);

testOnBoth("no one approves their own request by an answer for the deadline", async (service) => {
  const { ada } = await createWorld(service);
  const edit = { decision: "edit", args: { amount: 10, to: { name: "Mia" } } };
  for (const response of [{ decision: "approve" }, edit]) {
    const body = { ...actionTask(), approvals: { need: 1, ...EXCLUDE }, on_timeout: { response } };
    const { status, body: refused } = await ada.call<Body & { details: { path: string }[] }>("POST", "/api/tasks", {
      body,
    });
    assert.deepEqual([status, refused.details[0]!.path], [422, "/on_timeout/response"]);
  }
  const actions = actionTask({ actions: [{ name: "refund" }, { name: "close" }] });
  for (const decisions of [
    [{ decision: "reject" }, { decision: "approve" }],
    [edit, { decision: "reject" }],
  ]) {
    const body = { ...actions, approvals: { need: 1, ...EXCLUDE }, on_timeout: { response: { decisions } } };
    assert.equal((await ada.call("POST", "/api/tasks", { body })).status, 422);
  }
});

testOnBoth("a refused decision about one's own request leaves no entry in the trail", async (service) => {
  const world = await createWorld(service);
  const id = await ask(world.ada.call, {});
  await world.ada.call("POST", `/api/tasks/${id}/complete`, { body: { response: { decision: "approve" } } });
  const { body } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.deepEqual(
    body.map(({ action }) => action),
    ["created"],
  );
});
