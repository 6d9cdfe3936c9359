import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  answer,
  BARE_ENV,
  houseOf,
  own,
  started,
  startStandalone,
  TEST_MS,
  testEachWay,
  textOf,
  tool,
  transportOf,
} from "../test/support/mcp.ts";
import type { ServiceProcess } from "../test/support/processes.ts";
import { ADMIN_TOKEN } from "../test/support/service.ts";
import type { HumanRequest } from "./requests.ts";

async function newProject({ call }: ServiceProcess): Promise<string> {
  const slug = `p-${crypto.randomUUID().slice(0, 8)}`;
  assert.equal((await call("POST", "/api/projects", { slug, name: slug })).status, 201);
  return slug;
}

async function tasksIn({ call }: ServiceProcess, project: string): Promise<string[]> {
  const { body } = await call<{ id: string }[]>("GET", `/api/tasks?project=${project}`);
  return body.map(({ id }) => id);
}

testEachWay("an agent asks, is told that it waits, and gets the answer that a person gives meanwhile", async (desk) => {
  const client = await desk.connect();
  const told: string[] = [];
  const asked = client.callTool(
    {
      name: "ask_human",
      arguments: {
        question: "Refund 42.50 EUR to Mia?",
        context: { customer: "Mia", amount: 42.5 },
        answer_schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
        wait_seconds: 30,
      },
    },
    {
      onprogress: ({ message, total }) => {
        assert.equal(total, 30);
        told.push(message ?? "");
        const id = /tsk_\w+/.exec(message ?? "")?.[0];
        if (told.length === 1) void desk.answer(id!, { approved: true });
      },
    },
  );
  const result = await asked;
  const request = result.structuredContent as HumanRequest;
  assert.equal(request.status, "completed");
  assert.deepEqual(request.answer, { approved: true });
  assert.equal(request.answered_by, "dana@example.com");
  assert.ok(told[0]?.includes(request.url), "where to answer is told while it waits");
  assert.match(textOf(result), /^Answered by dana@example\.com\./);
});

testEachWay("a pending request is found again in another conversation, and its answer with it", async (desk) => {
  const before = await desk.connect();
  const pending = await desk.tool(before, "ask_human", { question: "Which colour?", wait_seconds: 0 });
  assert.equal(pending.status, "pending");
  assert.equal(pending.answer, null);
  await before.close();

  const later = await desk.connect();
  const listed = await desk.tool<{ requests: HumanRequest[] }>(later, "list_my_requests", { status: "pending" });
  assert.deepEqual(listed.requests, [pending]);
  await desk.answer(pending.request_id, { answer: "Green, please." });
  const check = { request_id: pending.request_id, wait_seconds: 30 };
  const request = await desk.tool(later, "check_on_human", check);
  assert.deepEqual(request.answer, { answer: "Green, please." });
  const open = await desk.tool<{ requests: HumanRequest[] }>(later, "list_my_requests", { status: "pending" });
  assert.deepEqual(open.requests, []);
  const all = await desk.tool<{ requests: HumanRequest[] }>(later, "list_my_requests");
  assert.deepEqual(all.requests, [request]);
});

testEachWay(
  "a single value is asked for in a form of one field, and is the answer wherever it is told",
  async (desk) => {
    const client = await desk.connect();
    const ask = async (answer_schema: object, value: unknown) => {
      const question = `Which one? ${JSON.stringify(answer_schema)}`;
      const { request_id } = await desk.tool(client, "ask_human", { question, answer_schema, wait_seconds: 0 });
      const path = `/api/tasks/${request_id}`;
      const { body: task } = await desk.house.service.call<{ response_schema: { properties: object } }>("GET", path);
      assert.deepEqual(Object.keys(task.response_schema.properties), ["value"]);
      await desk.answer(request_id, { value });
      const result = await client.callTool({ name: "check_on_human", arguments: { request_id } });
      const request = result.structuredContent as HumanRequest;
      assert.deepEqual(request.answer, value);
      assert.match(textOf(result), new RegExp(`"answer": ${JSON.stringify(value)[0]!.replace("[", "\\[")}`));
      return request;
    };
    const requests = [
      await ask({ type: "string" }, "green"),
      await ask({ type: "boolean" }, false),
      await ask({ enum: ["a", "b", null] }, null),
      await ask({ type: "array", items: { $ref: "#/$defs/tag" }, $defs: { tag: { type: "string" } } }, ["x"]),
    ];
    const listed = await desk.tool<{ requests: HumanRequest[] }>(client, "list_my_requests");
    assert.deepEqual(listed.requests, requests.toReversed());
    const again = { question: requests[0]!.question, answer_schema: { type: "string" }, wait_seconds: 0 };
    const { request_id } = await desk.tool(client, "ask_human", again);
    assert.deepEqual((await desk.tool(client, "withdraw_request", { request_id })).answer, null);

    // The agent has asked for an object with one member of that name, so it stays an object.
    const own = {
      type: "object",
      properties: { value: { type: "number" } },
      required: ["value"],
      additionalProperties: false,
    };
    const asked = await desk.tool(client, "ask_human", { question: "How many?", answer_schema: own, wait_seconds: 0 });
    await desk.answer(asked.request_id, { value: 5 });
    const { answer } = await desk.tool(client, "check_on_human", { request_id: asked.request_id });
    assert.deepEqual(answer, { value: 5 });
  },
);

testEachWay("a call ends in time although nobody answers, and does not pretend", async (desk) => {
  const client = await desk.connect();
  const begun = performance.now();
  const result = await client.callTool({ name: "ask_human", arguments: { question: "Anybody?", wait_seconds: 1 } });
  assert.ok(performance.now() - begun >= 900, "it has waited");
  assert.equal((result.structuredContent as { status: string }).status, "pending");
  assert.match(textOf(result), /No answer yet.*Do not treat it as approved.*check_on_human/);
});

const todaysProtocol = { eras: ["auto"] } as const;

testEachWay(
  "the same question is not asked twice while it is open, and is asked again after it was answered",
  async (desk) => {
    const client = await desk.connect();
    const ask = async () =>
      desk.tool(client, "ask_human", { question: "Deploy?", choices: ["yes", "no"], wait_seconds: 0 });
    const together = await Promise.all([ask(), ask(), ask()]);
    assert.equal(new Set(together.map(({ request_id }) => request_id)).size, 1);
    const [first] = together;
    assert.equal((await ask()).request_id, first.request_id);
    await desk.answer(first.request_id, { choice: "yes" });
    const second = await ask();
    assert.notEqual(second.request_id, first.request_id, "yesterday's yes is none to what is done today");
    assert.equal(second.status, "pending");
    await desk.answer(second.request_id, { choice: "no" });
    const third = await Promise.all([ask(), ask(), ask()]);
    assert.equal(new Set(third.map(({ request_id }) => request_id)).size, 1, "nor by several at once, right after");
    assert.notEqual(third[0].request_id, second.request_id);
  },
  todaysProtocol,
);

testEachWay(
  "a request that is no longer needed is taken back, and nobody can answer it any more",
  async (desk) => {
    const client = await desk.connect();
    const { request_id } = await desk.tool(client, "ask_human", { question: "Lunch?", wait_seconds: 0 });
    const withdrawn = await desk.tool(client, "withdraw_request", { request_id, reason: "It rains." });
    assert.equal(withdrawn.status, "cancelled");
    const { status } = await desk.house.service.call("POST", `/api/tasks/${request_id}/complete`, {
      response: { answer: "yes" },
    });
    assert.equal(status, 409);
    assert.equal((await desk.tool(client, "withdraw_request", { request_id })).status, "cancelled", "twice is once");
    const trail = await desk.house.service.call<{ action: string; extra: unknown }[]>(
      "GET",
      `/api/tasks/${request_id}/audit`,
    );
    assert.match(JSON.stringify(trail.body.at(-1)), /It rains\./);

    const answered = await desk.tool(client, "ask_human", { question: "Dinner?", wait_seconds: 0 });
    await desk.answer(answered.request_id, { answer: "yes" });
    const kept = await desk.tool(client, "withdraw_request", { request_id: answered.request_id });
    assert.equal(kept.status, "completed", "an answer is not taken back");
    assert.deepEqual(kept.answer, { answer: "yes" });
  },
  todaysProtocol,
);

testEachWay(
  "an agent sees its own requests only, and nothing of a task that somebody else created",
  async (desk) => {
    const mine = await desk.connect();
    const { request_id } = await desk.tool(mine, "ask_human", { question: "Secret plan?", wait_seconds: 0 });
    const other = await desk.connect(`other-${crypto.randomUUID()}`);
    const foreign = await desk.house.service.call<{ id: string }>("POST", "/api/tasks", {
      task: "Pay Mia",
      payload: { secret: "SECRET" },
      payload_schema: {},
      response_schema: { type: "object" },
      timeout_seconds: 600,
      idempotency_key: crypto.randomUUID(),
    });
    for (const id of [request_id, foreign.body.id, "tsk_nothing", "../users"])
      for (const name of ["check_on_human", "withdraw_request"]) {
        const result = await other.callTool({ name, arguments: { request_id: id } });
        assert.equal(result.isError, true, id);
        assert.match(textOf(result), /You have no request /);
        assert.doesNotMatch(JSON.stringify(result), /Secret plan|SECRET|Pay Mia/);
      }
    const listed = await desk.tool<{ requests: HumanRequest[] }>(other, "list_my_requests");
    assert.deepEqual(listed.requests, []);
    assert.equal((await desk.tool(mine, "check_on_human", { request_id, wait_seconds: 0 })).status, "pending");
  },
  todaysProtocol,
);

testEachWay(
  "with the token of an agent, the agent is the token's, whatever name is given and whatever else it may read",
  async (desk) => {
    const { service } = desk.house;
    const newAgent = async (scopes: string[]) => {
      const name = `bot-${crypto.randomUUID()}`;
      const { body: agent } = await service.call<{ id: string }>("POST", "/api/agents", { name, scopes });
      const { body } = await service.call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {});
      return { id: agent.id, name, token: body.token };
    };
    const [one, two] = [await newAgent(["ask"]), await newAgent(["ask", "read", "answer"])];
    const ofOne = await desk.connect(two.name, one.token);
    const ofTwo = await desk.connect(one.name, two.token);
    // A name in the address, or in the keys of another asker, is no way to the requests of an agent.
    const ofAdmin = await desk.connect(one.name);
    const ask = async (client: Client) =>
      (await desk.tool(client, "ask_human", { question: "Deploy?", wait_seconds: 0 })).request_id;
    const ids = [await ask(ofOne), await ask(ofTwo), await ask(ofAdmin)];
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual([await ask(ofOne), await ask(ofTwo), await ask(ofAdmin)], ids, "each finds its own again");
    const forged = await service.call<{ id: string; asked_by: object }>(
      "POST",
      "/api/tasks",
      {
        task: "Forged?",
        payload: {},
        payload_schema: {},
        response_schema: { type: "object" },
        timeout_seconds: 600,
        idempotency_key: `mcp:${one.name}:${crypto.randomUUID()}`,
      },
      { authorization: `Bearer ${two.token}` },
    );
    assert.deepEqual(forged.body.asked_by, { kind: "agent", id: two.id, name: two.name });
    for (const [i, client] of [ofOne, ofTwo, ofAdmin].entries()) {
      const listed = await desk.tool<{ requests: HumanRequest[] }>(client, "list_my_requests");
      const own = client === ofTwo ? [forged.body.id, ids[i]] : [ids[i]];
      assert.deepEqual(
        listed.requests.map(({ request_id }) => request_id),
        own,
      );
      for (const request_id of [...ids, forged.body.id].filter((id) => !own.includes(id)))
        for (const name of ["check_on_human", "withdraw_request"]) {
          const result = await client.callTool({ name, arguments: { request_id } });
          assert.match(textOf(result), /You have no request /, name);
        }
    }
    const { body: task } = await service.call<{ asked_by: object }>("GET", `/api/tasks/${ids[0]}`);
    assert.deepEqual(task.asked_by, { kind: "agent", id: one.id, name: one.name });
    const withdrawn = await desk.tool(ofTwo, "withdraw_request", { request_id: ids[1] });
    assert.equal(withdrawn.status, "cancelled");
  },
  todaysProtocol,
);

testEachWay(
  "with the admin token, a request is in the project that is named, and is found there alone",
  async (desk) => {
    const { service } = desk.house;
    const slug = await newProject(service);
    const [named, unnamed] = [await desk.connect(undefined, undefined, slug), await desk.connect()];
    const question = { question: `Into which project, ${slug}?`, wait_seconds: 0 };
    const inProject = await desk.tool(named, "ask_human", question);
    const inDefault = await desk.tool(unnamed, "ask_human", question);
    const projectOf = async ({ request_id }: HumanRequest) =>
      (await service.call<{ project: string }>("GET", `/api/tasks/${request_id}`)).body.project;
    assert.deepEqual([await projectOf(inProject), await projectOf(inDefault)], [slug, "default"]);
    assert.equal((await desk.tool(named, "ask_human", question)).request_id, inProject.request_id);
    for (const [client, own, other] of [
      [named, inProject, inDefault],
      [unnamed, inDefault, inProject],
    ] as const) {
      const { requests } = await desk.tool<{ requests: HumanRequest[] }>(client, "list_my_requests");
      assert.deepEqual(
        requests.map(({ request_id }) => request_id),
        [own.request_id],
      );
      const result = await client.callTool({ name: "check_on_human", arguments: { request_id: other.request_id } });
      assert.equal(result.isError, true);
    }
  },
);

testEachWay(
  "with the token of an agent, requests are in its project, whatever project is named, and ask only whom the project allows",
  async (desk) => {
    const { service } = desk.house;
    const [own, other] = [await newProject(service), await newProject(service)];
    const name = `bot-${crypto.randomUUID()}`;
    const { body: agent } = await service.call<{ id: string }>("POST", "/api/agents", { name, project: own });
    const { body } = await service.call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {});
    const client = await desk.connect(undefined, body.token, other);
    const question = { question: "Deploy?", wait_seconds: 0 };
    const { request_id } = await desk.tool(client, "ask_human", question);
    assert.deepEqual([await tasksIn(service, own), await tasksIn(service, other)], [[request_id], []]);

    await service.call("PATCH", `/api/projects/${own}`, { recipients: { mode: "list", domains: ["example.com"] } });
    for (const named of [{ assign_to: "eve@evil.example" }, { notify: ["email:eve@evil.example"] }]) {
      const refused = await client.callTool({ name: "ask_human", arguments: { ...question, ...named } });
      assert.equal(refused.isError, true);
      assert.match(textOf(refused), /RECIPIENT_NOT_ALLOWED[\s\S]*eve@evil\.example/);
    }
    const asked = await desk.tool(client, "ask_human", { ...question, assign_to: "dana@example.com" });
    assert.deepEqual(await tasksIn(service, own), [asked.request_id, request_id]);
  },
  todaysProtocol,
);

testEachWay(
  "a project that does not exist, or is archived, is named to the model, and nothing is asked",
  async (desk) => {
    const { service } = desk.house;
    const archived = await newProject(service);
    await service.call("PATCH", `/api/projects/${archived}`, { archived: true });
    const question = `Where, ${archived}?`;
    for (const [project, said] of [
      [archived, /PROJECT_ARCHIVED/],
      ["no-such-project", /VALIDATION_FAILED[\s\S]*\/project/],
    ] as const) {
      const client = await desk.connect(undefined, undefined, project);
      const result = await client.callTool({ name: "ask_human", arguments: { question, wait_seconds: 0 } });
      assert.equal(result.isError, true, project);
      assert.match(textOf(result), said);
    }
    const { body } = await service.call<object[]>("GET", `/api/tasks?q=${encodeURIComponent(question)}`);
    assert.deepEqual(body, []);
  },
  todaysProtocol,
);

testEachWay(
  "what is confidential stays out of lists, and the person still sees it",
  async (desk) => {
    const client = await desk.connect();
    const asked = { question: "Raise?", context: { salary: "SECRET" }, confidential: true, wait_seconds: 0 };
    const { request_id } = await desk.tool(client, "ask_human", asked);
    const { body: task } = await desk.house.service.call<{ payload: object }>("GET", `/api/tasks/${request_id}`);
    assert.deepEqual(task.payload, { salary: "SECRET" });
    const { body: listed } = await desk.house.service.call<{ id: string }[]>("GET", "/api/tasks?q=Raise");
    assert.doesNotMatch(JSON.stringify(listed.find(({ id }) => id === request_id)), /SECRET/);
    const { body: trail } = await desk.house.service.call<object[]>("GET", `/api/tasks/${request_id}/audit`);
    assert.doesNotMatch(JSON.stringify(trail), /SECRET/);
    const open = await desk.tool(client, "ask_human", { ...asked, confidential: false });
    assert.notEqual(open.request_id, request_id, "what is open to all is another request");
  },
  todaysProtocol,
);

testEachWay(
  "what the service refuses is told to the model in words it can act on",
  async (desk) => {
    const client = await desk.connect();
    const refused = async (args: object) => {
      const result = await client.callTool({
        name: "ask_human",
        arguments: { wait_seconds: 0, question: "?", ...args },
      });
      assert.equal(result.isError, true, JSON.stringify(args));
      return textOf(result);
    };
    assert.match(await refused({ notify: ["pigeon:roof"] }), /VALIDATION_FAILED[\s\S]*\/notify\/0/);
    assert.match(await refused({ answer_schema: { type: "strin" } }), /response_schema/);
    assert.match(await refused({ answer_schema: { not: {} } }), /RESPONSE_SCHEMA_NOT_OBJECT/);
    assert.match(await refused({ choices: ["a", "b"], answer_schema: {} }), /not both/);
    assert.match(await refused({ choices: ["a", "a"] }), /differ/);
    assert.match(await refused({ wait_seconds: 51 }), /wait_seconds/);
    assert.match(await refused({ question: "" }), /question/);
  },
  todaysProtocol,
);

testEachWay(
  "a request says what happens while no one answers, and which answer counts then",
  async (desk) => {
    const client = await desk.connect();
    const stored = async (tool: string, args: object) => {
      const { request_id } = await desk.tool(client, tool, { ...args, wait_seconds: 0 });
      const { body } = await desk.house.service.call<{
        escalation: { do: string; after: unknown; to: unknown }[];
        on_timeout: unknown;
      }>("GET", `/api/tasks/${request_id}`);
      const { escalation, on_timeout } = body;
      return { steps: escalation.map(({ do: kind, after, to }) => ({ do: kind, after, to })), on_timeout };
    };
    const steps = [
      { do: "remind", after: { fraction: 0.5 }, to: null },
      { do: "offer", after: 7200, to: { pool: "finance" } },
    ];
    const no = { response: { choice: "no" } };
    assert.deepEqual(
      await stored("ask_human", {
        question: "Pay the invoice?",
        choices: ["yes", "no"],
        escalation: [{ do: "remind", after: { fraction: 0.5 } }, steps[1]],
        on_timeout: no,
      }),
      { steps, on_timeout: no },
    );
    // A single value is given as it is answered.
    assert.deepEqual(
      await stored("ask_human", {
        question: "Pay it?",
        answer_schema: { type: "boolean" },
        on_timeout: { response: false },
      }),
      { steps: [], on_timeout: { response: { value: false } } },
    );
    const reject = { response: { decision: "reject" } };
    const action = await stored("approve_action", {
      name: "pay",
      args: { amount: 5 },
      escalation: "standard",
      on_timeout: reject,
    });
    assert.deepEqual(
      action.steps.map(({ do: kind }) => kind),
      ["remind", "raise", "remind"],
    );
    assert.deepEqual(action.on_timeout, reject);
  },
  todaysProtocol,
);

testEachWay(
  "a model is told which step or which answer for the deadline is wrong, and what would be right",
  async (desk) => {
    const project = await newProject(desk.house.service);
    await desk.house.service.call("PUT", `/api/escalations/payments?project=${project}`, {
      steps: [{ after: 60, do: "raise" }],
    });
    const client = await desk.connect(undefined, undefined, project);
    const question = { question: "Pay the invoice?", choices: ["yes", "no"] };
    const action = { name: "pay", args: { amount: 5 } };
    const wrong: [said: RegExp, input: object, forActions?: object][] = [
      [
        /\/escalation: There is no template "hurry" in this project\. It has payments and standard\./,
        { escalation: "hurry" },
      ],
      [
        /escalation: 0\.do: Invalid option: expected one of "remind"\|"notify"/,
        { escalation: [{ after: 60, do: "shout" }] },
      ],
      [/escalation\.0\.after: Too small/, { escalation: [{ after: 0, do: "raise" }] }],
      [
        /escalation: 0\.after: Give seconds, or a share of timeout_seconds/,
        { escalation: [{ after: "1 h", do: "raise" }] },
      ],
      [/escalation: Give steps, or the name of a template\./, { escalation: { after: 60, do: "raise" } }],
      [/\/escalation\/0\/after: Must be before the deadline/, { escalation: [{ after: 86_400, do: "raise" }] }],
      [
        /\/escalation\/1\/to: Must be a list of entries/,
        {
          escalation: [
            { after: 60, do: "raise" },
            { after: 60, do: "notify" },
          ],
        },
      ],
      [
        /\/escalation\/0\/to\/team: Is not known here; assign_to takes email,/,
        { escalation: [{ after: 60, do: "offer", to: { team: "x" } }] },
      ],
      [
        /\/escalation\/0\/calendar: There is no calendar "office"/,
        { escalation: [{ after: 60, do: "raise", calendar: "office" }] },
      ],
      [
        /\/on_timeout\/response\/(?:choice: Must be one of "yes" or "no"|decision: Must be one of "approve")/,
        { on_timeout: { response: { choice: "perhaps" } } },
        { on_timeout: { response: { decision: "perhaps" } } },
      ],
      [/on_timeout\.response: Give the answer here/, { on_timeout: { choice: "no" } }],
      [/on_timeout: Invalid input: expected object/, { on_timeout: "no" }],
    ];
    const refused = async (name: string, args: object, said: RegExp) => {
      const result = await client.callTool({ name, arguments: { wait_seconds: 0, ...args } });
      assert.equal(result.isError, true, JSON.stringify(args));
      assert.match(textOf(result), said);
    };
    for (const [said, input, forActions = input] of wrong) {
      await refused("ask_human", { ...question, ...input }, said);
      await refused("approve_action", { ...action, ...forActions }, said);
    }
    const approvals = { need: 2, from: { pool: "finance" } };
    const others = { escalation: [{ after: 60, do: "assign", to: { pool: "desk" } }] };
    await refused(
      "approve_action",
      { ...action, approvals, ...others },
      /\/escalation\/0\/do: `approvals\.from` says who decides/,
    );
    const silence = { on_timeout: { response: { decision: "approve" } } };
    await refused(
      "approve_action",
      { ...action, approvals, ...silence },
      /\/on_timeout\/response: Several people must approve/,
    );
    assert.deepEqual(await tasksIn(desk.house.service, project), []);
  },
  todaysProtocol,
);

testEachWay(
  "a call that its client gives up leaves the request open",
  async (desk) => {
    const client = await desk.connect();
    const call = new AbortController();
    let id = "";
    await assert.rejects(
      client.callTool(
        { name: "ask_human", arguments: { question: "Still there?", wait_seconds: 50 } },
        {
          signal: call.signal,
          onprogress: ({ message }) => {
            id = /tsk_\w+/.exec(message ?? "")![0];
            call.abort(new Error("The person closed the window."));
          },
        },
      ),
      /closed the window/,
    );
    const again = await desk.connect();
    const found = await desk.tool(again, "check_on_human", { request_id: id, wait_seconds: 0 });
    assert.equal(found.status, "pending");
  },
  todaysProtocol,
);

for (const way of ["the service", "standalone HTTP"] as const)
  void test(`over HTTP nothing is done without the token (${way})`, { timeout: TEST_MS }, async () => {
    const house = await houseOf("sqlite");
    const url = way === "the service" ? `${house.service.url}/mcp` : house.standalone;
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "ask_human", arguments: { question: `Whose turn, ${way}?`, wait_seconds: 0 } },
    });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const post = async (more: Record<string, string>, to = url) =>
      fetch(to, { method: "POST", body, headers: { ...headers, ...more } });
    assert.equal((await post({})).status, 401);
    const wrong = await post({ authorization: "Bearer wrong" });
    assert.match(`${wrong.status} ${await wrong.text()}`, /401 |UNAUTHENTICATED/);
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    for (const query of ["agent=a:b", "project=a/b", "project=A"])
      assert.equal((await post({ authorization }, `${url}?${query}`)).status, 400, "no name reaches into another's");
    const { body: tasks } = await house.service.call<{ task: string }[]>(
      "GET",
      `/api/tasks?q=${encodeURIComponent(`Whose turn, ${way}?`)}`,
    );
    assert.deepEqual(tasks, []);
    assert.equal((await post({ authorization })).status, 200);
  });

void test(
  "without names in its address, a caller is the agent, in the project, that the command was started for",
  { timeout: TEST_MS },
  async (t) => {
    const { service } = await own(t);
    const [desk, other] = [await newProject(service), await newProject(service)];
    const { child, url } = await startStandalone(service.url, ["--agent", "refunds", "--project", desk]);
    t.after(() => child.kill("SIGKILL"));
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const ask = async (query: string) => {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url + query), { requestInit: { headers } }));
      t.after(async () => client.close());
      return (await tool(client, "ask_human", { question: "Whose?", wait_seconds: 0 })).request_id;
    };
    const [unnamed, named] = [await ask(""), await ask(`?project=${other}`)];
    assert.deepEqual([await tasksIn(service, desk), await tasksIn(service, other)], [[unnamed], [named]]);
    const { body } = await service.call<{ id: string }[]>("GET", `/api/tasks?key_prefix=mcp:${desk}/refunds:`);
    assert.deepEqual(
      body.map(({ id }) => id),
      [unnamed],
    );
  },
);

void test("the command refuses malformed names before it connects", { timeout: TEST_MS }, async () => {
  for (const [flag, said] of [
    ["--agent=a:b", /^--agent may have at most 63 letters/],
    ["--project=a/b", /^--project is a slug: /],
    ["--project=A", /^--project is a slug: /],
  ] as const) {
    const { child, error } = startOnStdio([flag], ADMIN_TOKEN);
    const [code] = (await once(child, "exit")) as [number];
    assert.deepEqual([code, said.test(await error())], [2, true], flag);
  }
});

void test(
  "the command says that the token of an agent decides, if a name is given as well",
  { timeout: TEST_MS },
  async () => {
    const { child, error } = startOnStdio(["--agent", "refunds", "--project", "desk"], `hts_agent_${"A".repeat(43)}`);
    await once(child, "exit");
    for (const flag of ["agent", "project"])
      assert.match(await error(), new RegExp(`^--${flag} was ignored: the token belongs to an agent`, "m"));
  },
);

/** Starts the command without a client, so that it ends. @returns `error`: what it wrote to standard error */
function startOnStdio(args: readonly string[], token: string) {
  const child = spawn(process.execPath, ["mcp/cli.ts", ...args], {
    env: { ...BARE_ENV, SERVICE_URL: "http://127.0.0.1:1", SERVICE_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  started.add(child);
  child.once("exit", () => started.delete(child));
  const error = text(child.stderr);
  return { child, error: async () => error };
}

void test(
  "whatever the environment says of proxies, calls stay within the machine",
  { timeout: TEST_MS },
  async (t) => {
    const seen: string[] = [];
    const proxy = createServer((_request, response) => void response.writeHead(502).end());
    proxy.on("connection", () => void seen.push("a connection"));
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    t.after(() => proxy.close().closeAllConnections());
    const { port } = proxy.address() as AddressInfo;
    const { service } = await own(t, { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${port}` });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transportOf("the service", { service, standalone: "", end: async () => undefined }, "bot"));
    t.after(async () => client.close());
    await tool(client, "ask_human", { question: "Straight?", wait_seconds: 0 });
    assert.deepEqual(seen, []);
  },
);

void test("a HEAD is not what the endpoint speaks", { timeout: TEST_MS }, async () => {
  const { service } = await houseOf("sqlite");
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  assert.equal((await fetch(`${service.url}/mcp`, { method: "HEAD", headers })).status, 405);
});

void test(
  "a service that stops ends the calls that wait with what is known, and stops",
  { timeout: TEST_MS },
  async (t) => {
    const { service } = await own(t);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transportOf("the service", { service, standalone: "", end: async () => undefined }, "bot"));
    const { promise: waiting, resolve } = Promise.withResolvers<void>();
    const asked = client.callTool(
      { name: "ask_human", arguments: { question: "Stop?", wait_seconds: 50 } },
      { onprogress: () => resolve() },
    );
    await waiting;
    const [result, code] = await Promise.all([asked, service.stop()]);
    assert.equal((result.structuredContent as HumanRequest).status, "pending");
    assert.equal(code, 0);
  },
);

void test("a call goes on waiting while the service crashes and starts again", { timeout: TEST_MS }, async (t) => {
  const { service, restart } = await own(t);
  const client = new Client({ name: "test", version: "1" });
  const house = { service, standalone: "", end: async () => undefined };
  await client.connect(transportOf("stdio", house, "bot"));
  t.after(async () => client.close());
  const { promise: waiting, resolve } = Promise.withResolvers<string>();
  const asked = client.callTool(
    { name: "ask_human", arguments: { question: "Still there?", wait_seconds: 50 } },
    { onprogress: ({ message }) => resolve(/tsk_\w+/.exec(message ?? "")![0]) },
  );
  const id = await waiting;
  await service.kill();
  await answer({ ...house, service: await restart() }, id, { answer: "yes" });
  const result = await asked;
  assert.deepEqual((result.structuredContent as HumanRequest).answer, { answer: "yes" });
});

void test(
  "a page that a browser was lured to does not reach the command on this machine",
  { timeout: TEST_MS },
  async () => {
    const house = await houseOf("sqlite");
    const statusOf = async (from: Record<string, string>) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json", ...from };
      const [response] = (await once(request(house.standalone, { method: "POST", headers }).end("{}"), "response")) as [
        IncomingMessage,
      ];
      response.resume();
      return response.statusCode;
    };
    assert.equal(await statusOf({ origin: "https://evil.example" }), 403);
    assert.equal(await statusOf({ host: "evil.example" }), 403);
    assert.equal(await statusOf({ host: "[" }), 400);
  },
);

testEachWay("a model asks whether it may run an action, and gets the arguments to run", async (desk) => {
  const client = await desk.connect();
  const asked = { name: "refund", args: { amount: 90 }, args_schema: { type: "object" }, risk: "high" };
  const { request_id, status, ...pending } = await desk.tool(client, "approve_action", { ...asked, wait_seconds: 0 });
  assert.deepEqual([status, pending.question, pending.action], ["pending", "Run refund?", "refund"]);
  assert.equal((await desk.tool(client, "approve_action", { ...asked, wait_seconds: 0 })).request_id, request_id);
  const other = await desk.tool(client, "approve_action", { ...asked, args: { amount: 1 }, wait_seconds: 0 });
  assert.notEqual(other.request_id, request_id);
  await desk.answer(request_id, { decision: "edit", args: { amount: 45 } });
  const { answer } = await desk.tool(client, "check_on_human", { request_id });
  const patch = [{ op: "replace", path: "/amount", value: 45 }];
  assert.deepEqual(answer, { decision: "edit", args: { amount: 45 }, patch });
  await desk.answer(other.request_id, { decision: "reject", message: "No." });
  const { answer: rejected } = await desk.tool(client, "check_on_human", { request_id: other.request_id });
  assert.deepEqual(rejected, { decision: "reject", message: "No." });
});

testEachWay(
  "a decision means the same to a model that waited for it and to one that comes back for it",
  async (desk) => {
    const client = await desk.connect();
    const meanings: readonly [answer: object, means: RegExp][] = [
      [{ decision: "approve" }, /^Run the action now with exactly the args in the answer\. Answered/],
      [{ decision: "edit", args: { n: 45 } }, /^The person changed the arguments\. Run .*, not with yours\. Answered/],
      [{ decision: "reject" }, /^Do not run the action\. If there is a message, it says why\. Answered/],
      [{ decision: "respond", message: "Ask Lee." }, /^Do not run the action\. Read the message: .* Answered/],
    ];
    for (const [n, [answer, means]] of meanings.entries()) {
      let request_id = "";
      const asked = await client.callTool(
        { name: "approve_action", arguments: { name: "refund", args: { n }, wait_seconds: 50 } },
        {
          onprogress: ({ message }) => {
            if (request_id !== "") return;
            request_id = /tsk_\w+/.exec(message ?? "")![0];
            void desk.answer(request_id, answer);
          },
        },
      );
      const waited = textOf(asked);
      assert.match(waited, means);
      const back = await client.callTool({ name: "check_on_human", arguments: { request_id } });
      assert.equal(textOf(back), waited);
    }
    // A question may ask for a field with this name, and means nothing by it.
    const answer_schema = { type: "object", properties: { decision: { type: "string" } } };
    const question = await desk.tool(client, "ask_human", { question: "Which?", answer_schema, wait_seconds: 0 });
    assert.equal(question.action, null);
    await desk.answer(question.request_id, { decision: "approve" });
    const { request_id } = question;
    const checked = await client.callTool({ name: "check_on_human", arguments: { request_id } });
    assert.match(textOf(checked), /^Answered/);
  },
  { eras: ["auto"] },
);

testEachWay(
  "a model says how arguments are shown, and which decisions need a message",
  async (desk) => {
    const client = await desk.connect();
    const ui_schema = { amount: { "ui:widget": "currency", "ui:currency": "EUR" } };
    const asked = { name: "refund", args: { amount: 1240 }, ui_schema, message_required: ["reject"], wait_seconds: 0 };
    const { request_id } = await desk.tool(client, "approve_action", asked);
    const { body } = await desk.house.service.call<{ action: Record<string, unknown> }>(
      "GET",
      `/api/tasks/${request_id}`,
    );
    assert.deepEqual([body.action["ui_schema"], body.action["message_required"]], [ui_schema, ["reject"]]);
    const wrong = await client.callTool({
      name: "approve_action",
      arguments: { ...asked, ui_schema: { amount: { "ui:widget": "hidden" } } },
    });
    assert.equal(wrong.isError, true);
    assert.match(textOf(wrong), /\/action\/ui_schema\/amount/);
  },
  { eras: ["auto"] },
);

testEachWay("a model asks for the approval of several people, and sees how many have approved", async (desk) => {
  const client = await desk.connect();
  const asked = { name: "refund", args: { amount: 91 }, wait_seconds: 0 };
  const one = await desk.tool(client, "approve_action", asked);
  assert.equal(one.approvals, undefined);
  const two = await desk.tool(client, "approve_action", { ...asked, approvals: { need: 2 } });
  assert.notEqual(two.request_id, one.request_id);
  assert.deepEqual(two.approvals, { need: 2, have: 0 });
});

for (const way of ["stdio", "the service"] as const)
  void test(`what a call does belongs to the trace that its client names (${way})`, { timeout: TEST_MS }, async (t) => {
    const { service } = await own(t, { SERVICE_LOG_LEVEL: "debug" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transportOf(way, { service, standalone: "", end: async () => {} }, "bot"));
    t.after(async () => client.close());
    const trace = crypto.randomUUID().replaceAll("-", "");
    const ask = async (traceparent: string) =>
      client.callTool({ name: "list_my_requests", arguments: {}, _meta: { traceparent } });
    await ask("not a trace");
    await ask(`00-${trace}-00f067aa0ba902b7-01`);
    // A call is logged after its answer has gone out: a kill could come before that.
    await service.stop();
    const answered = service.log
      .map((line) => JSON.parse(line) as { msg: string; route: string; trace_id?: string })
      .filter(({ msg, route }) => msg === "answered" && route === "/api/tasks");
    assert.deepEqual(
      answered.map(({ trace_id }) => trace_id),
      [undefined, trace],
    );
  });
