import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import {
  Client,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type ElicitRequestParams,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import { testEachWay, textOf, tool, transportOf, type House, type Way } from "../test/support/mcp.ts";
import type { TaskRecord } from "../sdk/index.ts";
import type { HumanRequest } from "./requests.ts";

/*
 * Questions that the client itself brings to the person who uses it. The official client does all rounds by itself; what a hostile
 * one sends is sent round by round. (MCP: Elicitation, Multi round-trip requests)
 */

const FORM = { elicitation: { form: {} } };
const URL_ONLY = { elicitation: { url: {} } };
const BOTH = { elicitation: { form: {}, url: {} } };

/** What the person does with what the client shows. */
type Person = (shown: ElicitRequestParams) => ElicitResult | Promise<ElicitResult>;

const nobody: Person = () => assert.fail("no one is asked here");
const accept = (content?: ElicitResult["content"]): ElicitResult => ({ action: "accept", ...(content && { content }) });

interface Desk {
  house: House;
  /** An agent whose host is trusted, unless it says otherwise. @returns its token */
  agent(fields?: object): Promise<string>;
  connect(token: string, capabilities: ClientCapabilities, person: Person): Promise<Client>;
  read(id: string): Promise<TaskRecord>;
}

/** @param mode - of the clients: with the present revision of the protocol, or with the one before */
function testDesk(name: string, run: (desk: Desk) => Promise<void>, mode: "auto" | "legacy" = "auto"): void {
  testEachWay(
    name,
    async ({ house, way, t }) => {
      const { call } = house.service;
      await run({
        house,
        agent: async (fields) => {
          const body = { name: `a-${crypto.randomUUID()}`, host_answers: true, ...fields };
          const { body: agent } = await call<{ id: string }>("POST", "/api/agents", body);
          return (await call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {})).body.token;
        },
        connect: async (token, capabilities, person) => connect(t, way, house, token, capabilities, person, mode),
        read: async (id) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body,
      });
    },
    { eras: [mode] },
  );
}

async function connect(
  t: Pick<TestContext, "after">,
  way: Way,
  house: House,
  token: string,
  capabilities: ClientCapabilities,
  person: Person,
  mode: "auto" | "legacy" = "auto",
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode }, capabilities });
  client.setRequestHandler("elicitation/create", async ({ params }) => person(params));
  await client.connect(transportOf(way, house, "bot", token));
  t.after(async () => client.close());
  return client;
}

/** Sends one round of a call, and does nothing by itself. */
async function round(client: Client, params: object): Promise<Record<string, unknown>> {
  const sent = { method: "tools/call", params } as Parameters<Client["request"]>[0];
  return client.request(sent as never, LOOSE as never, { allowInputRequired: true });
}
/** Takes every result. */
const LOOSE = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
};

const formOf = (shown: ElicitRequestParams): ElicitRequestFormParams => {
  assert.equal(shown.mode ?? "form", "form");
  return shown as ElicitRequestFormParams;
};
const urlOf = (shown: ElicitRequestParams): string => {
  assert.equal(shown.mode, "url");
  return (shown as { url: string }).url;
};

testDesk(
  "the person answers in the form of the client, and the request was stored before they saw it",
  async (desk) => {
    const token = await desk.agent();
    const open: { status: string; task: string }[] = [];
    const client = await desk.connect(token, BOTH, async (shown) => {
      const { message, requestedSchema } = formOf(shown);
      assert.match(message, /^Which size\?\ncustomer: Mia\nitems: \["shoes"\]$/);
      assert.deepEqual(requestedSchema.properties, {
        choice: { type: "string", title: "Choice", enum: ["S", "M"] },
        comment: { type: "string", title: "Comment" },
      });
      assert.deepEqual(requestedSchema.required, ["choice"]);
      open.push(...(await desk.house.service.call<TaskRecord[]>("GET", "/api/tasks?q=Which&terminal=false")).body);
      return accept({ choice: "M", comment: "" });
    });
    const context = { customer: "Mia", items: ["shoes"] };
    const given = await tool(client, "ask_human", { question: "Which size?", choices: ["S", "M"], context });
    assert.ok(open.some(({ task }) => task === "Which size?"));
    assert.deepEqual([given.status, given.answer, given.answered_by], ["completed", { choice: "M" }, null]);
    const { completed_via_channel, decided_by } = await desk.read(given.request_id);
    assert.deepEqual([completed_via_channel, decided_by?.at_host], ["mcp", true]);
  },
);

testDesk("an action is decided in the form, where no page can offer more", async (desk) => {
  const token = await desk.agent();
  const action = { name: "refund", args: { amount: 45 }, description: "Pays the customer back." };
  const client = await desk.connect(token, FORM, (shown) => {
    const { message, requestedSchema } = formOf(shown);
    assert.match(
      message,
      /^Pays the customer back\.\naction: refund\namount: 45\n.*on the page of the request only\.$/,
    );
    const { oneOf } = requestedSchema.properties["decision"] as { oneOf: { const: string }[] };
    assert.deepEqual(
      oneOf.map((one) => one.const),
      ["approve", "reject", "respond"],
    );
    return accept({ decision: "approve" });
  });
  const result = await client.callTool({ name: "approve_action", arguments: action });
  assert.match(textOf(result), /^Run the action now with exactly the args in the answer\./);
  const { answer } = result.structuredContent as HumanRequest;
  assert.deepEqual(answer, { decision: "approve", args: { amount: 45 } });

  const pages: string[] = [];
  const other = await desk.connect(token, BOTH, (shown) => {
    pages.push(urlOf(shown));
    return { action: "decline" };
  });
  await tool(other, "approve_action", { ...action, args: { amount: 46 } });
  assert.equal(pages.length, 1, "with a page, the arguments can be changed too");
});

testDesk("what does not fit is asked again with what is wrong, five times at most", async (desk) => {
  const token = await desk.agent();
  const schema = {
    type: "object",
    properties: { amount: { type: "number", title: "Amount", maximum: 100 } },
    required: ["amount"],
    additionalProperties: false,
  };
  const question = { question: `How much? ${crypto.randomUUID()}`, answer_schema: schema };
  const seen: string[] = [];
  let answers: (ElicitResult["content"] & object)[] = [
    { amount: 400 },
    { amount: 101 },
    { amount: 40, more: "ignored" },
  ];
  const client = await desk.connect(token, BOTH, (shown) => {
    seen.push(formOf(shown).message);
    return accept(answers.shift() ?? {});
  });
  assert.deepEqual((await tool(client, "ask_human", question)).answer, { amount: 40 });
  assert.equal(seen.length, 3);
  assert.match(seen[1]!, /^This does not fit yet\. Amount: Must be at most 100, is 400\.\n\nHow much\?/);

  answers = [];
  const result = await client.callTool({ name: "ask_human", arguments: { ...question, context: { again: true } } });
  const { status, request_id } = result.structuredContent as HumanRequest;
  assert.deepEqual([status, seen.length], ["pending", 3 + 5]);
  assert.match(textOf(result), /Do not treat it as approved/);
  assert.equal((await desk.read(request_id)).status, "created");
});

testDesk(
  "a person who declines or closes the form has decided nothing, and is asked again with the question",
  async (desk) => {
    const token = await desk.agent();
    const action = { name: "deploy", args: { to: "production" }, allowed: ["approve", "reject"] };
    const ids: string[] = [];
    let given: ElicitResult = { action: "decline" };
    const client = await desk.connect(token, BOTH, () => given);
    for (const does of ["decline", "cancel"] as const) {
      given = { action: does };
      const result = await client.callTool({ name: "approve_action", arguments: action });
      const { status, answer, request_id } = result.structuredContent as HumanRequest;
      assert.deepEqual([status, answer], ["pending", null]);
      assert.match(textOf(result), /^The person did not answer here\. No answer yet\. .*Do not treat it as approved/);
      assert.equal((await desk.read(request_id)).status, "created");
      ids.push(request_id);
    }
    given = accept({ decision: "reject" });
    const { status, request_id } = await tool(client, "approve_action", action);
    assert.deepEqual([status, new Set([...ids, request_id]).size], ["completed", 1]);
  },
);

testDesk("an answer counts for what the person read: after a change, the client asks again", async (desk) => {
  const token = await desk.agent();
  const { call } = desk.house.service;
  const revise = async (id: string, amount: number) =>
    assert.equal((await call("POST", `/api/tasks/${id}/revise`, { payload: { amount } })).status, 200);
  const asked = { question: `Refund? ${crypto.randomUUID()}`, context: { amount: 90 }, choices: ["yes", "no"] };
  const { request_id } = await tool(await desk.connect(token, FORM, nobody), "ask_human", {
    ...asked,
    wait_seconds: 0,
  });
  const seen: string[] = [];
  const client = await desk.connect(token, FORM, async (shown) => {
    seen.push(formOf(shown).message);
    if (seen.length === 1) await revise(request_id, 40);
    return accept({ choice: seen.length === 1 ? "yes" : "no" });
  });
  const { status, answer, version } = await tool(client, "ask_human", asked);
  assert.deepEqual([status, answer, version], ["completed", { choice: "no" }, 2]);
  assert.equal(seen.length, 2);
  assert.match(seen[0]!, /amount: 90/);
  assert.match(
    seen[1]!,
    /^The request has changed since you read it, and nothing was sent\..*\n\nRefund\?.*\namount: 40/s,
  );
});

testDesk("a question of a person ends the wait for the page, and the agent gets it", async (desk) => {
  const client = await desk.connect(await desk.agent(), URL_ONLY, async (shown) => {
    const id = urlOf(shown).split("/").at(-1)!;
    await desk.house.service.call("POST", `/api/tasks/${id}/comments`, { text: "Which shade?", kind: "question" });
    return accept();
  });
  const { status, questions } = await tool(client, "ask_human", { question: "Which color?", wait_seconds: 50 });
  assert.deepEqual([status, questions?.map(({ text }) => text)], ["pending", ["Which shade?"]]);
});

const NESTED = {
  type: "object",
  properties: { lines: { type: "array", items: { type: "object", properties: { text: { type: "string" } } } } },
};

/** Asks each question with a client that can open a page, and with one that cannot. */
async function haveNoForm(desk: Desk, token: string, questions: Record<string, object>): Promise<void> {
  const pages: string[] = [];
  const both = await desk.connect(token, BOTH, (shown) => {
    pages.push(urlOf(shown));
    return { action: "cancel" };
  });
  const plain = await desk.connect(token, FORM, nobody);
  for (const [what, fields] of Object.entries(questions)) {
    const question = { question: `Ready? ${what}`, wait_seconds: 1, ...fields };
    const { request_id, status, url } = await tool(both, "ask_human", question);
    assert.deepEqual([status, pages.splice(0)], ["pending", [url]], what);
    const waited = await tool(plain, "ask_human", question);
    assert.deepEqual([waited.request_id, waited.status], [request_id, "pending"], what);
  }
}

testDesk("a question that is not for this form has its page, and without a page the bounded wait", async (desk) => {
  await haveNoForm(desk, await desk.agent(), {
    "to a person": { assign_to: "dana@example.com" },
    "that people are told of": { notify: ["email:dana@example.com"] },
    "that is confidential": { confidential: true },
    "with a richer answer": { answer_schema: NESTED },
    "with a pattern": { answer_schema: { type: "string", pattern: "^A-\\d+$" } },
    "with more than a message can show": { context: { text: "word ".repeat(1000) } },
  });
});

testDesk("an agent whose host no operator trusts has no forms", async (desk) => {
  await haveNoForm(desk, await desk.agent({ host_answers: false }), { "by an agent": {} });
});

testDesk("an action of high risk, and one that several must approve, are decided on their page", async (desk) => {
  const token = await desk.agent();
  let pages = 0;
  const client = await desk.connect(token, BOTH, (shown) => {
    assert.ok(urlOf(shown));
    pages++;
    return { action: "decline" };
  });
  const plain = await desk.connect(token, FORM, nobody);
  for (const fields of [{ risk: "high" }, { approvals: { need: 1 } }]) {
    const action = { name: "wipe", args: {}, allowed: ["approve", "reject"], ...fields };
    assert.equal((await tool(client, "approve_action", action)).status, "pending");
    assert.equal((await tool(plain, "approve_action", { ...action, wait_seconds: 1 })).status, "pending");
  }
  assert.equal(pages, 2);
});

testDesk("wait_seconds 0 asks no one here", async (desk) => {
  const client = await desk.connect(await desk.agent(), BOTH, nobody);
  assert.equal((await tool(client, "ask_human", { question: "Later?", wait_seconds: 0 })).status, "pending");
});

testDesk("the person opens the page, and the call has the answer once it is there", async (desk) => {
  const token = await desk.agent();
  const client = await desk.connect(token, URL_ONLY, async (shown) => {
    const id = urlOf(shown).split("/").at(-1)!;
    await desk.house.service.call("POST", `/api/tasks/${id}/complete`, {
      response: { answer: "blue" },
      completed_by_email: "dana@example.com",
    });
    return accept();
  });
  const { status, answer, answered_by } = await tool(client, "ask_human", { question: "Which color?" });
  assert.deepEqual([status, answer, answered_by], ["completed", { answer: "blue" }, "dana@example.com"]);
});

testDesk("a page that stays open is waited for in rounds, and shown once", async (desk) => {
  const pages: string[] = [];
  const client = await desk.connect(await desk.agent(), URL_ONLY, (shown) => {
    pages.push(urlOf(shown));
    return accept();
  });
  const { status, url } = await tool(client, "ask_human", { question: "Which color?", wait_seconds: 1 });
  assert.deepEqual([status, pages], ["pending", [url]]);
});

const CALL = { name: "ask_human", arguments: { question: "Which color?" } };
const BLUE = { inputResponses: { answer: { action: "accept", content: { answer: "blue" } } } };

testDesk("a state that was changed, cut, or made up is refused, and nothing is answered", async (desk) => {
  const token = await desk.agent();
  const client = await desk.connect(token, BOTH, nobody);
  const first = await round(client, CALL);
  assert.equal(first["resultType"], "input_required");
  const state = first["requestState"] as string;
  const [version, body, mac] = state.split(".") as [string, string, string];
  const payload = JSON.parse(Buffer.from(body, "base64url").toString()) as { p: { id: string }; exp: number };
  const seal = (changed: object) => `${version}.${Buffer.from(JSON.stringify(changed)).toString("base64url")}.${mac}`;
  for (const [what, requestState] of Object.entries({
    "without its end": state.slice(0, -4),
    "without its signature": `${version}.${body}`,
    "of another request": seal({ ...payload, p: { ...payload.p, id: "tsk_01m81bvfgf92apdy632xfsjkcp" } }),
    "of a later time": seal({ ...payload, exp: payload.exp + 1 }),
    empty: "",
    "no state at all": "x",
    huge: state + "A".repeat(100_000),
  })) {
    const sent = round(client, { ...CALL, ...BLUE, requestState });
    await assert.rejects(sent, { code: -32_602, message: /Invalid or expired requestState/ }, what);
  }
  assert.equal((await desk.read(payload.p.id)).status, "created");
});

testDesk("a state counts for its own agent and its own call", async (desk) => {
  const [token, other] = [await desk.agent(), await desk.agent()];
  const client = await desk.connect(token, BOTH, nobody);
  const { requestState } = await round(client, CALL);
  const stranger = await desk.connect(other, BOTH, nobody);
  await assert.rejects(round(stranger, { ...CALL, ...BLUE, requestState }), { code: -32_602 });
  for (const call of [
    { ...CALL, arguments: { question: "Which size?" } },
    { ...CALL, arguments: { ...CALL.arguments, timeout_seconds: 60 } },
    { name: "approve_action", arguments: { name: "answer", args: {} } },
  ]) {
    const result = await round(client, { ...call, ...BLUE, requestState });
    assert.equal(result["isError"], true);
    assert.match(textOf(result as CallToolResult), /other arguments\. Nothing was answered\./);
  }
  const open = await tool<{ requests: HumanRequest[] }>(client, "list_my_requests", { status: "ended" });
  assert.deepEqual(open.requests, []);
});

testDesk("a state that is sent twice decides once", async (desk) => {
  const client = await desk.connect(await desk.agent(), BOTH, nobody);
  const { requestState } = await round(client, CALL);
  const wait = { ...CALL, arguments: { ...CALL.arguments, wait_seconds: 5 } };
  for (const given of [
    { action: "accept", content: { answer: "blue" } },
    { action: "accept", content: { answer: "red" } },
    { action: "decline" },
  ]) {
    const result = (await round(client, {
      ...wait,
      inputResponses: { answer: given },
      requestState,
    })) as CallToolResult;
    assert.deepEqual((result.structuredContent as HumanRequest).answer, { answer: "blue" });
    assert.doesNotMatch(textOf(result), /did not answer here/);
  }
});

testDesk("answers that are missing or of another kind are asked for again, and nothing is answered", async (desk) => {
  const client = await desk.connect(await desk.agent(), BOTH, nobody);
  const { requestState } = await round(client, CALL);
  for (const inputResponses of [
    undefined,
    {},
    { other: { action: "accept", content: { answer: "blue" } } },
    { answer: { roots: [] } },
    { answer: { action: "accept" } },
    { answer: { action: "accept", content: { response: { answer: "blue" }, answer: 7 } } },
  ]) {
    const result = await round(client, { ...CALL, requestState, ...(inputResponses && { inputResponses }) });
    assert.equal(result["resultType"], "input_required", JSON.stringify(inputResponses));
  }
});

testDesk("a question that was given to a person while its form was open is no longer the host's", async (desk) => {
  const client = await desk.connect(await desk.agent(), BOTH, async () => {
    const { body } = await desk.house.service.call<TaskRecord[]>("GET", `/api/tasks?q=${mark}`);
    await desk.house.service.call("POST", `/api/tasks/${body[0]!.id}/assign`, { email: "dana@example.com" });
    return accept({ answer: "blue" });
  });
  const mark = crypto.randomUUID();
  const result = await client.callTool({ name: "ask_human", arguments: { question: `Which color? ${mark}` } });
  assert.match(textOf(result), /is for particular people.*No answer yet/);
});

testDesk("what a client enters in place of a visit to the page answers nothing", async (desk) => {
  const client = await desk.connect(await desk.agent(), BOTH, nobody);
  const call = { ...CALL, arguments: { ...CALL.arguments, confidential: true, wait_seconds: 1 } };
  const { requestState } = await round(client, call);
  const result = await round(client, { ...call, ...BLUE, requestState });
  assert.equal(result["resultType"], "input_required");
  assert.deepEqual(result["inputRequests"] ?? {}, {}, "the page is open already");
  const { requests } = await tool<{ requests: HumanRequest[] }>(client, "list_my_requests");
  assert.deepEqual(
    requests.map(({ status }) => status),
    ["pending"],
  );
});

testDesk(
  "a client of an earlier revision waits as ever, whatever it declares",
  async (desk) => {
    const client = await desk.connect(await desk.agent(), BOTH, nobody);
    const question = { question: "Which color?", wait_seconds: 1 };
    assert.equal((await tool(client, "ask_human", question)).status, "pending");
  },
  "legacy",
);
