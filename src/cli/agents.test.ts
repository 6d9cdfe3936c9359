import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "../../test/support/service.ts";
import type { AgentRecord } from "../agents/schema.ts";
import type { ProjectRecord } from "../projects/schema.ts";
import { createAgent, createToken, listAgents, resumeAgent, revokeTokens, stopAgent } from "./agents.ts";
import type { Calls } from "./calls.ts";
import type { OperatorCommand } from "./people.ts";
import { createProject } from "./projects.ts";

test("an operator creates an agent, replaces its token, stops it and lets it go on", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    const calls: Calls = {
      call: async (method, path, body) => {
        const answer = await service.call(method, path, { ...(body !== undefined && { body }) });
        assert.ok(answer.status < 300, answer.text);
        return answer.body as never;
      },
      close: async () => {},
    };
    const run = async (command: Promise<OperatorCommand>) => (await command)(calls);
    const status = async (token: string) => (await service.call("GET", "/api/tasks", { token })).status;

    const created = await run(createAgent({ name: "refunds-bot", scopes: "ask, read", recipients: "directory" }));
    const [token, id] = /^(\S+)\n\nAgent id: (\S+)\. The token is shown only once\. It does not expire\.$/
      .exec(created)!
      .slice(1) as [string, string];
    assert.equal(await status(token), 200);
    const second = (await run(createToken("refunds-bot", { expires: "30" }))).split("\n")[0]!;
    const listed = await run(listAgents());
    assert.match(
      listed,
      new RegExp(`^default +refunds-bot +ask, read +0 .*${token.slice(0, 15)}.*${second.slice(0, 15)}.*${id}$`, "m"),
    );

    const first = new RegExp(`${token.slice(0, 15)}\\.\\.\\. \\((atk_\\w+)\\)`).exec(listed)![1]!;
    assert.equal(await run(revokeTokens("refunds-bot", { token: first })), `${first} is revoked.`);
    assert.deepEqual([await status(token), await status(second)], [401, 200]);

    assert.match(await run(stopAgent(id, {})), /^refunds-bot is stopped\. 0 of its tasks are still open\./);
    assert.equal(await status(second), 401);
    assert.equal(await run(resumeAgent("refunds-bot", {})), "refunds-bot may go on.");
    assert.equal(await status(second), 200);
    assert.equal(
      await run(stopAgent("refunds-bot", { cancelOpenTasks: true })),
      "refunds-bot is stopped. Its open tasks are cancelled.",
    );
    assert.match(await run(revokeTokens("refunds-bot", {})), /^All tokens of refunds-bot are revoked: atk_\w+\.$/);
    await assert.rejects(run(stopAgent("nobody", {})), /^Error: There is no agent nobody\.$/);

    await run(createProject({ slug: "refunds", recipients: "directory" }));
    await run(createAgent({ name: "refunds-bot", project: "refunds", hostAnswers: true }));
    await assert.rejects(run(stopAgent("refunds-bot", {})), /^Error: Several projects have an agent refunds-bot\. Add/);
    await run(stopAgent("refunds-bot", { project: "refunds" }));
    const { body: agents } = await service.call<AgentRecord[]>("GET", "/api/agents?project=refunds");
    assert.notEqual(agents[0]!.disabled_at, null);
    assert.equal(agents[0]!.host_answers, true);
    const { body: project } = await service.call<ProjectRecord>("GET", "/api/projects/refunds");
    assert.deepEqual(project.recipients, { mode: "directory" });
    const inNone = { project: "hiring" };
    await assert.rejects(run(stopAgent("refunds-bot", inNone)), /^Error: There is no agent refunds-bot in hiring\.$/);
  } finally {
    await stop();
  }
});

test("mistakes in the options are named", async () => {
  for (const [given, message] of [
    [{}, "--name is missing."],
    [{ name: "a", scopes: "ask,all" }, '--scopes takes ask, read, answer, embed; "all" is none of them.'],
    [{ name: "a", recipients: "list" }, '--recipients takes anyone, directory; "list" is none of them.'],
    [{ name: "a", expires: "0" }, "--expires takes a number of days, 1 to 365."],
  ] as const)
    await assert.rejects(createAgent(given), { message });
});
