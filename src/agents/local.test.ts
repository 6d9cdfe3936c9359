import assert from "node:assert/strict";
import { undoFrom } from "../../test/support/older-release.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { migrate } from "../db/migrate.ts";
import type { ListedTask, TaskRecord } from "../tasks/schema.ts";
import { openLocalAgent } from "./local.ts";
import type { AgentRecord, NewAgentTokenRecord } from "./schema.ts";

const KEYS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)] as const;

/** Starts with a secret key, and perhaps the one before it. @param keys - their numbers */
const start = ({ ctx: { db } }: TestService, current: 0 | 1 | 2, previous?: 0 | 1 | 2) =>
  openLocalAgent({
    db,
    config: { secretKey: KEYS[current], previous: { secretKey: previous === undefined ? null : KEYS[previous] } },
  });

const agentsOf = async ({ call }: TestService) => (await call<AgentRecord[]>("GET", "/api/agents")).body;

/** What the service answers to a token: a status, or an error code. */
async function answer({ call }: TestService, token: string | null): Promise<number | string> {
  const { status, body } = await call<{ error_code?: string }>("GET", "/api/tasks", { token });
  return body.error_code ?? status;
}

testOnBoth("the first start makes the agent local, and every start and replica has the same token", async (service) => {
  const tokens = await Promise.all(Array.from({ length: 5 }, () => start(service, 0)));
  assert.equal(new Set([...tokens, await start(service, 0)]).size, 1);
  const [local, ...others] = await agentsOf(service);
  assert.deepEqual([local!.name, local!.scopes, local!.recipients, others], ["local", ["ask"], null, []]);
  assert.equal(local!.tokens.length, 1);
  const token = tokens[0]!;
  assert.match(token, /^hts_agent_/);
  const { body: task } = await service.call<TaskRecord>("POST", "/api/tasks", { token, body: newTaskBody() });
  assert.deepEqual(task.asked_by, { kind: "agent", id: local!.id, name: "local" });
  // It can ask, and neither answer itself nor see what others asked.
  const other = await service.create();
  const { body: rows } = await service.call<ListedTask[]>("GET", "/api/tasks", { token });
  assert.deepEqual(
    rows.map(({ id }) => id),
    [task.id],
  );
  const response = { response: { approved: true } };
  const complete = async (id: string) =>
    (await service.call("POST", `/api/tasks/${id}/complete`, { token, body: response })).body["error_code"];
  assert.deepEqual([await complete(task.id), await complete(other.id)], ["AGENT_SCOPE_MISSING", "TASK_NOT_FOUND"]);
});

testOnBoth("an agent that an operator deleted or stopped stays so", async (service) => {
  const token = await start(service, 0);
  const [{ id }] = (await agentsOf(service)) as [AgentRecord];
  await service.call("PATCH", `/api/agents/${id}`, { body: { disabled: true } });
  assert.equal(await start(service, 0), token);
  assert.equal(await answer(service, token), "AGENT_DISABLED");
  // A new secret key is no way around it.
  assert.equal(await answer(service, await start(service, 1)), "AGENT_DISABLED");
  await service.call("DELETE", `/api/agents/${id}`);
  assert.deepEqual([await start(service, 0), await start(service, 2)], [null, null]);
  assert.deepEqual(await agentsOf(service), []);
});

testOnBoth("a token that an operator revoked stays revoked", async (service) => {
  const token = await start(service, 0);
  const [{ id, tokens }] = (await agentsOf(service)) as [AgentRecord];
  await service.call("DELETE", `/api/agents/${id}/tokens/${tokens[0]!.id}`);
  assert.equal(await start(service, 0), token);
  assert.equal(await answer(service, token), "AGENT_TOKEN_REVOKED");
  // Also when its key goes and comes back.
  await start(service, 1);
  await start(service, 0, 1);
  assert.equal(await answer(service, token), "AGENT_TOKEN_REVOKED");
});

testOnBoth("a new secret key replaces the token, and both are valid while the key is rotated", async (service) => {
  const old = await start(service, 0);
  const next = await start(service, 1, 0);
  assert.notEqual(next, old);
  assert.deepEqual([await answer(service, old), await answer(service, next)], [200, 200]);
  // A process that still has the old key starts, and knows the new one.
  assert.equal(await start(service, 0, 1), old);
  assert.deepEqual([await answer(service, old), await answer(service, next)], [200, 200]);
  assert.equal(await start(service, 1), next);
  assert.deepEqual([await answer(service, old), await answer(service, next)], ["AGENT_TOKEN_REVOKED", 200]);
  // The rotation is taken back.
  assert.equal(await start(service, 0), old);
  assert.deepEqual([await answer(service, old), await answer(service, next)], [200, "AGENT_TOKEN_REVOKED"]);
  const third = await start(service, 2);
  assert.deepEqual([await answer(service, old), await answer(service, third)], ["AGENT_TOKEN_REVOKED", 200]);
});

testOnBoth("there are two live tokens at most, also with one that an operator created", async (service) => {
  const old = await start(service, 0);
  const [{ id }] = (await agentsOf(service)) as [AgentRecord];
  const add = async () => {
    const { status, body } = await service.call<NewAgentTokenRecord>("POST", `/api/agents/${id}/tokens`, { body: {} });
    return status === 201 ? body.token : status;
  };
  const own = (await add()) as string;
  assert.equal(await add(), 409);
  const next = await start(service, 1, 0);
  assert.deepEqual(
    [await answer(service, own), await answer(service, old), await answer(service, next)],
    [200, "AGENT_TOKEN_REVOKED", 200],
  );
  const [{ tokens }] = (await agentsOf(service)) as [AgentRecord];
  assert.equal(tokens.length, 2);
  // With two of the operator's, there is no room.
  await service.call("DELETE", `/api/agents/${id}/tokens/${tokens.at(-1)!.id}`);
  await add();
  assert.equal(await start(service, 2), null);
  assert.equal((await agentsOf(service))[0]!.tokens.length, 2);
});

testOnBoth("an agent that an operator has named local is not taken over", async (service) => {
  await service.call("POST", "/api/agents", { body: { name: "local", scopes: ["ask", "answer"] } });
  assert.equal(await answer(service, await start(service, 0)), 200);
  assert.deepEqual(
    (await agentsOf(service)).map(({ name, scopes, tokens }) => [name, scopes, tokens.length]),
    [
      ["local-2", ["ask"], 1],
      ["local", ["ask", "answer"], 0],
    ],
  );
});

testOnBoth(
  "a database of the release before gets its agent local",
  async (service) => {
    const { ctx, dialect } = service;
    const { id } = await service.create();
    // As the release before left it.
    await ctx.db.write((tx) => undoFrom(tx, "0013"));
    await ctx.db.write(async (tx) => migrate(tx.query, dialect));
    assert.equal(await answer(service, await start(service, 0)), 200);
    assert.equal((await service.call("GET", `/api/tasks/${id}`)).status, 200);
    assert.deepEqual(
      (await agentsOf(service)).map(({ name }) => name),
      ["local"],
    );
  },
  { changesTables: true },
);

testOnBoth("neither the tables nor the security log have the token", async (service) => {
  const token = (await start(service, 0))!;
  const { db } = service.ctx;
  const rows = await db.query.selectFrom("agent_tokens").selectAll().execute();
  const events = await service.call("GET", "/api/security-events");
  for (const shown of [JSON.stringify(rows), events.text]) assert.ok(!shown.includes(token.slice(15)), shown);
  assert.deepEqual(
    [/"agent_created"/.test(events.text), /"agent_token_created"/.test(events.text), /"service"/.test(events.text)],
    [true, true, true],
  );
});
