import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { testEachWay, textOf, tool, transportOf, type Desk } from "../test/support/mcp.ts";
import { declaresApps } from "./app.ts";
import type { HumanRequest } from "./requests.ts";

const UI = "io.modelcontextprotocol/ui";
const TASKS = "io.modelcontextprotocol/tasks";
const PAGE_TYPE = "text/html;profile=mcp-app";
const DECLARED = { [UI]: { mimeTypes: [PAGE_TYPE] } };
const FORM = "ui://human-task-service/form";

type Extensions = NonNullable<NonNullable<ClientOptions["capabilities"]>["extensions"]>;
type Era = "auto" | "legacy";

/** Adds an agent. @returns its token */
async function addAgent({ house }: Desk, fields: object): Promise<string> {
  const name = `a-${crypto.randomUUID()}`;
  const { body: agent } = await house.service.call<{ id: string }>("POST", "/api/agents", { name, ...fields });
  const { body } = await house.service.call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {});
  return body.token;
}

async function connect({ way, house, t }: Desk, token: string, extensions: Extensions, era: Era): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: era }, capabilities: { extensions } },
  );
  await client.connect(transportOf(way, house, "unused", token));
  t.after(async () => client.close());
  return client;
}

const begin = (client: Client, question: string) => tool(client, "ask_human", { question, wait_seconds: 0 });

/** Asks, reads the form and answers, as a host does. */
async function answerInForm(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const metaOf = new Map(tools.map(({ name, _meta: meta }) => [name, meta]));
  const uiOf = (name: string) => metaOf.get(name)?.["ui"];
  for (const name of ["ask_human", "approve_action"]) assert.deepEqual(uiOf(name), { resourceUri: FORM });
  for (const name of ["read_request", "answer_request"])
    assert.deepEqual(uiOf(name), { resourceUri: FORM, visibility: ["app"] });
  assert.deepEqual(
    (await client.listResources()).resources.map(({ uri, mimeType }) => [uri, mimeType]),
    [[FORM, PAGE_TYPE]],
  );
  const { contents } = await client.readResource({ uri: FORM });
  assert.deepEqual(
    contents.map(({ mimeType, _meta }) => [mimeType, _meta]),
    [[PAGE_TYPE, { ui: { prefersBorder: true } }]],
  );

  // It does not wait, although it may: the person sees the form when the call has returned.
  const asked = await client.callTool({ name: "ask_human", arguments: { question: "Ship it?", wait_seconds: 50 } });
  assert.match(textOf(asked), /^The person who uses this conversation sees the question as a form.*No answer yet\./);
  const { request_id } = asked.structuredContent as HumanRequest;
  const read = await tool<{ form: { payload: object; review_html: string } }>(client, "read_request", { request_id });
  assert.match(read.form.review_html, /<h1 dir="auto">Ship it\?<\/h1>/);

  const call = async (response: object) =>
    client.callTool({ name: "answer_request", arguments: { request_id, response } });
  const invalid = await call({ answer: 7 });
  assert.equal(invalid.isError, true);
  const { error_code, details } = invalid.structuredContent as { error_code: string; details: { path: string }[] };
  assert.deepEqual([error_code, details.map(({ path }) => path)], ["VALIDATION_FAILED", ["/response/answer"]]);
  const done = await call({ answer: "yes" });
  assert.notEqual(done.isError, true, textOf(done));
  const again = await call({ answer: "no" });
  assert.deepEqual([again.isError, textOf(again)], [true, "You already answered this. Your first answer is stored."]);
  const { status, answer } = await tool(client, "check_on_human", { request_id });
  assert.deepEqual([status, answer], ["completed", { answer: "yes" }]);
}

testEachWay(
  "a client that declares apps gets the form, and answers with tools that only the form has",
  async (desk) => answerInForm(await connect(desk, await addAgent(desk, { host_answers: true }), DECLARED, "auto")),
  { eras: ["auto"] },
);

testEachWay(
  "so does a client of an earlier revision, which says it only when it connects",
  async (desk) => answerInForm(await connect(desk, await addAgent(desk, { host_answers: true }), DECLARED, "legacy")),
  { eras: ["legacy"] },
);

for (const era of ["auto", "legacy"] as const)
  testEachWay(
    "a client that does not declare apps notices nothing of them, and cannot call what belongs to the form",
    async (desk) => {
      const token = await addAgent(desk, { host_answers: true });
      for (const extensions of [{}, { [UI]: {} }, { [UI]: { mimeTypes: ["text/html"] } }]) {
        const client = await connect(desk, token, extensions, era);
        const { tools } = await client.listTools();
        assert.equal(tools.length, 7);
        assert.deepEqual(
          tools.filter((one) => "_meta" in one),
          [],
        );
        assert.deepEqual((await client.listResources()).resources, []);
        const { request_id } = await begin(client, "Plain?");
        for (const [name, more] of [
          ["read_request", {}],
          ["answer_request", { response: { answer: "Me" } }],
        ] as const)
          await assert.rejects(
            client.callTool({ name, arguments: { request_id, ...more } }),
            era === "auto"
              ? { code: -32_021, data: { requiredCapabilities: { extensions: { [UI]: {} } } } }
              : { code: -32_602 },
          );
        assert.equal((await tool(client, "check_on_human", { request_id, wait_seconds: 0 })).status, "pending");
      }
    },
    { ways: ["stdio", "the service"], eras: [era] },
  );

testEachWay(
  "a client that declares apps and tasks gets the form where the person at the host may answer, and a handle elsewhere",
  async (desk) => {
    const client = await connect(
      desk,
      await addAgent(desk, { host_answers: true }),
      { ...DECLARED, [TASKS]: {} },
      "auto",
    );
    const ask = async (args: object) =>
      client
        .callTool({ name: "ask_human", arguments: { question: "Which one?", ...args } })
        .catch((error: Error) => error);
    const here = await ask({});
    assert.ok(!(here instanceof Error));
    assert.equal(here["taskId"], undefined);
    assert.match(textOf(here), /sees the question as a form/);
    // This client knows no handles, and says so.
    const elsewhere = await ask({ confidential: true });
    assert.match(String(elsewhere instanceof Error ? elsewhere.message : elsewhere["taskId"]), /task|tsk_/);
  },
  { ways: ["the service"], eras: ["auto"] },
);

testEachWay(
  "an answer in the form counts for the version that it showed, and one to an earlier version is refused",
  async (desk) => {
    const client = await connect(desk, await addAgent(desk, { host_answers: true }), DECLARED, "auto");
    const { request_id } = await begin(client, "Ship it?");
    const read = async () => tool<{ form: { version: number } }>(client, "read_request", { request_id });
    assert.equal((await read()).form.version, 1);
    const { status } = await desk.house.service.call("POST", `/api/tasks/${request_id}/revise`, {
      payload: { to: "Mia" },
    });
    assert.equal(status, 200);
    for (const version of [{ version: 1 }, {}]) {
      const args = { request_id, response: { answer: "yes" }, ...version };
      const old = await client.callTool({ name: "answer_request", arguments: args });
      const details = [{ path: "/version", message: "The current version is 2." }];
      assert.deepEqual([old.isError, old.structuredContent], [true, { error_code: "TASK_REVISED", details }]);
      assert.match(textOf(old), /^The request was revised in the meantime/);
    }
    const { version } = (await read()).form;
    const now = await tool(client, "answer_request", { request_id, response: { answer: "yes" }, version });
    assert.deepEqual([now.status, now.version], ["completed", 2]);
  },
  { ways: ["stdio", "the service"], eras: ["auto"] },
);

testEachWay(
  "the form of another agent's request is unknown, and so is its answer",
  async (desk) => {
    const mine = await connect(desk, await addAgent(desk, { host_answers: true }), DECLARED, "auto");
    const other = await connect(
      desk,
      await addAgent(desk, { host_answers: true, scopes: ["ask", "read"] }),
      DECLARED,
      "auto",
    );
    const { request_id } = await begin(mine, "Secret plan?");
    for (const id of [request_id, "tsk_nothing", "../users", `${request_id}/review`])
      for (const [name, more] of [
        ["read_request", {}],
        ["answer_request", { response: { answer: "Me" } }],
      ] as const) {
        const result = await other.callTool({ name, arguments: { request_id: id, ...more } });
        assert.equal(result.isError, true);
        assert.match(textOf(result), /^You have no request/);
      }
    assert.equal((await tool(mine, "check_on_human", { request_id, wait_seconds: 0 })).status, "pending");
  },
  { ways: ["the service"], eras: ["auto"] },
);

testEachWay(
  "an agent that may answer in a person's name cannot do in the form what its host may not",
  async (desk) => {
    const scopes = ["ask", "answer"];
    const client = await connect(desk, await addAgent(desk, { host_answers: true, scopes }), DECLARED, "auto");
    const { request_id } = await tool(client, "ask_human", { question: "Raise?", confidential: true, wait_seconds: 0 });
    const result = await client.callTool({
      name: "answer_request",
      arguments: { request_id, response: { answer: "Me" } },
    });
    assert.equal(result.isError, true);
    assert.match(textOf(result), /The host may not answer/);
    assert.equal((await tool(client, "check_on_human", { request_id, wait_seconds: 0 })).status, "pending");
  },
  { eras: ["auto"], ways: ["the service"] },
);

void test("only a client that shows our type of pages declares apps", () => {
  const types = (mimeTypes: unknown) => ({ extensions: { [UI]: { mimeTypes } } });
  assert.equal(declaresApps(types([PAGE_TYPE])), true);
  assert.equal(declaresApps(types(["text/other", PAGE_TYPE])), true);
  for (const capabilities of [
    undefined,
    null,
    7,
    {},
    { extensions: null },
    { extensions: { [UI]: null } },
    types(undefined),
    types(PAGE_TYPE),
    types({ 0: PAGE_TYPE }),
    types([]),
    types(["text/html"]),
    { extensions: Object.create(types([PAGE_TYPE]).extensions) as object },
  ])
    assert.equal(declaresApps(capabilities), false, JSON.stringify(capabilities));
});
