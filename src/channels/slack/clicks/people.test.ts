import assert from "node:assert/strict";
import { addUser } from "../../../../test/support/people.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { slackOf, testWithSlack, whispers } from "../../../../test/support/slack-service.ts";
import type { Slack, SlackTeam } from "../../../../test/support/slack.ts";
import { slackCallerOf } from "./people.ts";
import type { TaskRecord } from "../../../tasks/schema.ts";

const SIMPLE = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve?" } },
  required: ["approved"],
};

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

/** Connects another workspace. */
async function join(service: TestService, team: SlackTeam): Promise<void> {
  const body = { bot_token: team.token };
  const { status } = await service.call("POST", "/api/channels/slack/installations", { body });
  assert.equal(status, 200);
}

/** Presses the first choice of a task in a channel, as a member of a workspace. */
async function press(slack: Slack, team: SlackTeam, user_id: string, task_id: string): Promise<void> {
  const { status } = await slack.send({
    type: "block_actions",
    team: { id: team.team.id },
    user: { id: user_id, team_id: team.team.id },
    channel: { id: team.addChannel({ name: "pressed" }).id },
    message: { ts: "1.000001", team: team.team.id },
    actions: [{ action_id: "answer:choose:0", value: task_id }],
  });
  assert.equal(status, 200);
}

testWithSlack(
  "with several workspaces an address names nobody, and people are known by their Slack ids",
  async ({ service, slack }) => {
    const beta = slack.addTeam("Beta");
    await join(service, beta);
    const root = slack.addUser({ name: "root", email: "root@example.com" });
    const own = { slack_team_id: slack.team.id, slack_user_id: root.id };
    await addUser(service, { email: "root@example.com", is_operator: true, ...own });
    await addUser(service, { email: "dana@example.com", display_name: "Dana" });
    const theirs = await service.create({ response_schema: SIMPLE, assign_to: { email: "dana@example.com" } });
    const open = await service.create({ response_schema: SIMPLE, notify: ["slack+T1:#approvals"] });
    const outside = await service.create({ response_schema: SIMPLE, assign_to: { email: "kim@elsewhere.example" } });

    // The other workspace vouches for all of these addresses.
    for (const email of ["root@example.com", "dana@example.com", "kim@elsewhere.example"]) {
      const member = beta.addUser({ name: email, email });
      for (const { id } of [theirs, open, outside]) await press(slack, beta, member.id, id);
    }
    for (const { id } of [theirs, open, outside]) assert.equal((await read(service, id)).status, "created");
    assert.equal(
      whispers(beta)[0],
      "This task is assigned to Dana. You don't have an account here. Ask an operator to add you. Nothing was sent.",
    );

    await press(slack, slack, root.id, theirs.id);
    const done = await read(service, theirs.id);
    assert.deepEqual([done.status, done.completed_by_email], ["completed", "root@example.com"]);
    const bo = beta.addUser({ name: "bo", email: "bo@example.com" });
    await addUser(service, { slack_team_id: beta.team.id, slack_user_id: bo.id });
    await press(slack, beta, bo.id, open.id);
    assert.equal((await read(service, open.id)).status, "completed");
  },
);

testWithSlack("somebody whose Slack id is in the directory is nobody else's address", async ({ service, slack }) => {
  const early = await service.create({ response_schema: SIMPLE, assign_to: { email: "dana@example.com" } });
  const dana = slack.addUser({ name: "dana", email: "dana@new.example" });
  await addUser(service, {
    email: "dana@example.com",
    slack_team_id: slack.team.id,
    slack_user_id: dana.id,
  });
  const open = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  const other = slack.addUser({ name: "other", email: "dana@example.com" });
  for (const { id } of [early, open]) {
    await press(slack, slack, other.id, id);
    assert.equal((await read(service, id)).status, "created");
  }
  // Whatever address Slack has for her.
  for (const { id } of [early, open]) {
    await press(slack, slack, dana.id, id);
    assert.equal((await read(service, id)).completed_by_email, "dana@example.com");
  }
});

testWithSlack(
  "in the only workspace, the address of a member who is not in the directory is theirs",
  async ({ service, slack }) => {
    const kim = slack.addUser({ name: "kim", email: "kim@elsewhere.example" });
    const one = await service.create({ response_schema: SIMPLE, assign_to: { email: "Kim@elsewhere.example" } });
    const offered = await service.create({
      response_schema: SIMPLE,
      assign_to: { emails: ["kim@elsewhere.example", "lee@elsewhere.example"] },
    });
    for (const { id } of [one, offered]) {
      await press(slack, slack, kim.id, id);
      const done = await read(service, id);
      assert.deepEqual([done.status, done.completed_by_email], ["completed", "kim@elsewhere.example"]);
    }
  },
);

testWithSlack("who was deactivated can do nothing, however they are named", async ({ service, slack }) => {
  const byId = slack.addUser({ name: "id", email: "id@example.com" });
  const byAddress = slack.addUser({ name: "address", email: "address@example.com" });
  const ids = { slack_team_id: slack.team.id, slack_user_id: byId.id };
  const gone = [
    await addUser(service, { email: "other@example.com", ...ids }),
    await addUser(service, { email: "address@example.com" }),
  ];
  const tasks = [];
  for (const [member, email] of [
    [byId, "other@example.com"],
    [byAddress, "address@example.com"],
  ] as const)
    tasks.push(
      [member, await service.create({ response_schema: SIMPLE, assign_to: { email } })] as const,
      [member, await service.create({ response_schema: SIMPLE, notify: [`slack:${member.id}`] })] as const,
      [member, await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] })] as const,
    );
  for (const { id } of gone) await service.call("DELETE", `/api/users/${id}`);
  const later = [
    [byId, await service.create({ response_schema: SIMPLE, notify: [`slack:${byId.id}`] })] as const,
    [byAddress, await service.create({ response_schema: SIMPLE, notify: [`slack:${byAddress.id}`] })] as const,
  ];
  for (const [member, { id }] of [...tasks, ...later]) {
    await press(slack, slack, member.id, id);
    assert.equal((await read(service, id)).status, "created");
  }
});

testWithSlack(
  "the one person whom notify names by id is of the workspace that it names",
  async ({ service, slack }) => {
    const beta = slack.addTeam("Beta");
    const one = slack.addUser({ name: "one" });
    beta.addUser({ id: one.id, name: "two" });
    const only = await service.create({ response_schema: SIMPLE, notify: [`slack:${one.id}`] });
    await press(slack, slack, one.id, only.id);
    assert.equal((await read(service, only.id)).status, "completed");

    await join(service, beta);
    const any = await service.create({ response_schema: SIMPLE, notify: [`slack:${one.id}`] });
    const named = await service.create({ response_schema: SIMPLE, notify: [`slack+${beta.team.id}:${one.id}`] });
    const both = await service.create({
      response_schema: SIMPLE,
      notify: [`slack+${beta.team.id}:${one.id}`, `slack+${slack.team.id}:${one.id}`],
    });
    for (const team of [slack, beta]) for (const { id } of [any, both]) await press(slack, team, one.id, id);
    await press(slack, slack, one.id, named.id);
    for (const { id } of [any, both, named]) assert.equal((await read(service, id)).status, "created");
    await press(slack, beta, one.id, named.id);
    assert.equal((await read(service, named.id)).status, "completed");
  },
);

testWithSlack(
  "whose address another workspace keeps is not known by it, also as a guest",
  async ({ service, slack }) => {
    await addUser(service, { email: "dana@example.com" });
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    const who = { team_id: slack.team.id, user_id: "U0123456789" };
    const callerFrom = (home: string) => {
      const member = { id: who.user_id, team_id: home, name: "Dana", email: "dana@example.com" };
      const speaker = Object.assign(Object.create(slackOf(service).ofEnvironment), { member: async () => member });
      const workspaces = { only: async () => who.team_id, find: async () => speaker };
      return slackCallerOf(
        service.ctx.db,
        workspaces,
        who,
        { id, notify: null, escalation: null, ladder: null, project: "default" },
        "C0123456789",
      );
    };
    assert.equal((await callerFrom(slack.team.id)).person?.email, "dana@example.com");
    const guest = await callerFrom("T0OTHER");
    assert.deepEqual([guest.person, guest.email], [null, null]);
  },
);
