import assert from "node:assert/strict";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { answer, testEachWay, textOf, tool, type Desk } from "../test/support/mcp.ts";
import type { Comment, TaskRecord } from "../sdk/index.ts";
import type { HumanRequest } from "./requests.ts";

/*
 * What people ask before they decide, and what the agent says and changes then. (beyond: Talk before deciding)
 */

interface Talk extends Desk {
  client: Client;
  /** Asks a question about a request, as a person of the service does. @returns its id */
  question(id: string, text: string): Promise<string>;
  said(id: string): Promise<Comment[]>;
  read(id: string): Promise<TaskRecord>;
  call(name: string, args: object): Promise<CallToolResult>;
}

/** Registers a test with an agent of its own: what the admin token says about its own tasks would be from the asker. */
function testTalk(name: string, run: (talk: Talk) => Promise<void>, options?: Parameters<typeof testEachWay>[2]): void {
  testEachWay(
    name,
    async (desk) => {
      const { call } = desk.house.service;
      const client = await desk.connect("unused", await newToken(desk));
      await run({
        ...desk,
        client,
        question: async (id, text) => {
          const asked = await call<{ id: string }>("POST", `/api/tasks/${id}/comments`, { text, kind: "question" });
          assert.equal(asked.status, 201);
          return asked.body.id;
        },
        said: async (id) => (await call<Comment[]>("GET", `/api/tasks/${id}/comments`)).body,
        read: async (id) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body,
        call: async (tool, args) => client.callTool({ name: tool, arguments: { ...args } }),
      });
    },
    options,
  );
}

async function newToken({ house }: Desk): Promise<string> {
  const { call } = house.service;
  const { body: agent } = await call<{ id: string }>("POST", "/api/agents", { name: `a-${crypto.randomUUID()}` });
  return (await call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {})).body.token;
}

const ASKED = { question: "Refund 42.50 EUR to Mia?", context: { amount: 42.5 }, wait_seconds: 0 };
const PRESENT = { eras: ["auto"], ways: ["stdio", "the service"] } as const;

testTalk(
  "a call that waits returns with the question of a person, and the agent's reply reaches them",
  async (talk) => {
    const { client } = talk;
    let question_id = "";
    const asking = client.callTool(
      { name: "ask_human", arguments: { ...ASKED, wait_seconds: 50 } },
      {
        onprogress: ({ message }) => {
          if (question_id !== "") return;
          question_id = "asking";
          void talk.question(/tsk_\w+/.exec(message ?? "")![0], "Which card?").then((id) => (question_id = id));
        },
      },
    );
    const result = await asking;
    const request = result.structuredContent as HumanRequest;
    assert.equal(request.status, "pending");
    assert.equal(request.needs_reply, true);
    assert.deepEqual(
      request.questions?.map(({ text, by }) => [text, by]),
      [["Which card?", "admin"]],
    );
    assert.match(textOf(result), /^No answer yet\. A person has a question for you before they decide: .*reply/);
    const { request_id } = request;
    const { question_id: reply_to } = request.questions[0]!;

    // Another wait would have nothing to wait for, and a list says so too.
    const again = await tool(client, "check_on_human", { request_id, wait_seconds: 50 });
    assert.deepEqual(again.questions, request.questions);
    const { requests } = await tool<{ requests: HumanRequest[] }>(client, "list_my_requests");
    const { questions: _, ...listed } = request;
    assert.deepEqual(requests, [listed]);

    const replied = await talk.call("reply", { request_id, text: "The one that ends with 4242.", reply_to });
    assert.match(textOf(replied), /^Sent\. No answer yet\. The request is open until/);
    const { needs_reply, questions, status } = replied.structuredContent as HumanRequest;
    assert.deepEqual([needs_reply, questions, status], [undefined, undefined, "pending"]);
    const [, reply] = await talk.said(request_id);
    assert.deepEqual([reply?.text, reply?.is_asker, reply?.by.kind], ["The one that ends with 4242.", true, "agent"]);
    assert.equal((await talk.read(request_id)).waiting_on, "people");

    await answer(talk.house, request_id, { answer: "yes" });
    assert.deepEqual((await tool(client, "check_on_human", { request_id })).answer, { answer: "yes" });
  },
);

testTalk(
  "a reply that is sent twice is said once, and the same words after another question are a new reply",
  async (talk) => {
    const { request_id } = await tool(talk.client, "ask_human", ASKED);
    const first = await talk.question(request_id, "Is it urgent?");
    for (let i = 0; i < 3; i++) await tool(talk.client, "reply", { request_id, text: "Yes.", reply_to: first });
    assert.equal((await talk.said(request_id)).length, 2);
    for (const [i, question] of ["Really?", "For certain?"].entries()) {
      await talk.question(request_id, question);
      for (let times = 0; times < 2; times++) await tool(talk.client, "reply", { request_id, text: "Yes." });
      assert.equal((await talk.said(request_id)).length, 4 + 2 * i);
    }
    assert.equal((await talk.read(request_id)).waiting_on, "people");
  },
  PRESENT,
);

testTalk(
  "a reply answers the question that it names and those before, and a later one stays open",
  async (talk) => {
    const { request_id } = await tool(talk.client, "ask_human", ASKED);
    const first = await talk.question(request_id, "Which card?");
    const second = await talk.question(request_id, "Since when?");
    const request = await tool(talk.client, "reply", { request_id, text: "4242.", reply_to: first });
    assert.deepEqual(
      request.questions?.map(({ question_id }) => question_id),
      [second],
    );
    const unknown = await talk.call("reply", { request_id, text: "Since May.", reply_to: "cmt_nothing" });
    assert.equal(unknown.isError, true);
    assert.match(textOf(unknown), /No question about this task has this id/);
    const blank = await talk.call("reply", { request_id, text: "  " });
    assert.match(textOf(blank), /has no words/);
    assert.equal((await talk.said(request_id)).length, 3);
  },
  PRESENT,
);

testTalk(
  "an agent changes the context of its question, and an answer to the version before does not count",
  async (talk) => {
    const { client } = talk;
    const { request_id, version } = await tool(client, "ask_human", ASKED);
    assert.equal(version, undefined);
    await talk.question(request_id, "Is shipping refunded?");
    const change = { request_id, context: { amount: 40 }, note: "Shipping is not refunded.", extend_seconds: 60 };
    const result = await talk.call("revise_request", change);
    assert.match(textOf(result), /^People see version 2 now\. No answer yet\./);
    const revised = result.structuredContent as HumanRequest;
    assert.deepEqual([revised.version, revised.needs_reply], [2, undefined]);
    const task = await talk.read(request_id);
    assert.deepEqual([task.payload, task.version, task.timeout_seconds], [{ amount: 40 }, 2, 86_460]);
    assert.equal((await talk.said(request_id)).at(-1)?.text, "Shipping is not refunded.");
    // The host repeats a call, because its result was lost.
    assert.equal((await tool(client, "revise_request", change)).version, 2);
    assert.equal((await talk.read(request_id)).timeout_seconds, 86_460);

    const path = `/api/tasks/${request_id}/complete`;
    const old = await talk.house.service.call<{ error_code: string }>("POST", path, {
      response: { answer: "yes" },
      version: 1,
    });
    assert.deepEqual([old.status, old.body.error_code], [409, "TASK_REVISED"]);
    await answer(talk.house, request_id, { answer: "yes" });
    const { status, version: decided, context } = await tool(client, "check_on_human", { request_id });
    assert.deepEqual([status, decided, context], ["completed", 2, { amount: 40 }]);
    assert.match(textOf(await talk.call("check_on_human", { request_id })), /You revised this question/);
  },
);

testTalk(
  "an agent changes the arguments of its action, and everything else of it stays",
  async (talk) => {
    const { client } = talk;
    const action = { name: "refund", args: { amount: 90 }, description: "Pays back.", risk: "normal" };
    const { request_id } = await tool(client, "approve_action", { ...action, wait_seconds: 0 });
    const before = (await talk.read(request_id)).action!;
    const revised = await tool(client, "revise_request", { request_id, args: { amount: 45 } });
    assert.deepEqual(revised.context, { amount: 45 });
    assert.deepEqual((await talk.read(request_id)).action, { ...before, args: { amount: 45 } });
    await tool(client, "revise_request", { request_id, description: "Pays back half." });
    assert.deepEqual((await talk.read(request_id)).action, {
      ...before,
      args: { amount: 45 },
      description: "Pays back half.",
    });
    const args_schema = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] };
    const wrong = await talk.call("revise_request", { request_id, args: { cents: "a lot" }, args_schema });
    assert.equal(wrong.isError, true);
    assert.match(textOf(wrong), /\/action\/args\/cents/);
    assert.equal((await talk.read(request_id)).version, 3);
    await tool(client, "revise_request", { request_id, args: { cents: 4500 }, args_schema });

    await answer(talk.house, request_id, { decision: "approve" });
    const checked = await talk.call("check_on_human", { request_id });
    assert.match(textOf(checked), /^Run the action now with exactly the args in the answer\./);
    const decided = (checked.structuredContent as HumanRequest).answer;
    assert.deepEqual(decided, { decision: "approve", args: { cents: 4500 } });
  },
  PRESENT,
);

testTalk(
  "what does not fit the kind of a request is refused with what to give, and nothing is changed",
  async (talk) => {
    const { client } = talk;
    const question = await tool(client, "ask_human", ASKED);
    const action = await tool(client, "approve_action", { name: "wipe", args: { disk: 1 }, wait_seconds: 0 });
    for (const [{ request_id }, fields, says] of [
      [question, {}, /^Give context/],
      [question, { note: "Nothing new." }, /^Give context/],
      [question, { args: {} }, /asks a question: give context/],
      [question, { context: {}, description: "?" }, /asks a question: give context/],
      [action, {}, /^Give args/],
      [action, { context: {} }, /about an action: give args/],
    ] as const) {
      const result = await talk.call("revise_request", { request_id, ...fields });
      assert.equal(result.isError, true);
      assert.match(textOf(result), says);
      assert.equal((await talk.read(request_id)).version, 1);
    }
  },
  PRESENT,
);

testTalk(
  "after the end of a request a reply is still said and a change is not made, and the agent gets the answer",
  async (talk) => {
    const { request_id } = await tool(talk.client, "ask_human", ASKED);
    await answer(talk.house, request_id, { answer: "yes" });
    const replied = await talk.call("reply", { request_id, text: "Thank you." });
    assert.match(textOf(replied), /^Sent\. Answered by dana@example\.com\./);
    const revised = await talk.call("revise_request", { request_id, context: { amount: 1 } });
    assert.equal(revised.isError, true);
    assert.match(
      textOf(revised),
      /^Nothing was sent, because the request is closed\.\nAnswered by dana@example\.com\./,
    );
    for (const { structuredContent } of [replied, revised])
      assert.deepEqual((structuredContent as HumanRequest).answer, { answer: "yes" });
    assert.deepEqual(
      (await talk.said(request_id)).map(({ text }) => text),
      ["Thank you."],
    );
  },
  PRESENT,
);

testTalk(
  "an agent neither replies to nor changes a request of another",
  async (talk) => {
    const { request_id } = await tool(talk.client, "ask_human", ASKED);
    await talk.question(request_id, "Which card?");
    const other = await talk.connect("unused", await newToken(talk));
    for (const [name, fields] of [
      ["reply", { text: "4242." }],
      ["revise_request", { context: { amount: 1 } }],
    ] as const) {
      const result = await other.callTool({ name, arguments: { request_id, ...fields } });
      assert.equal(result.isError, true);
      assert.match(textOf(result), /^You have no request/);
    }
    const task = await talk.read(request_id);
    assert.deepEqual([task.version, task.waiting_on, (await talk.said(request_id)).length], [1, "agent", 1]);
  },
  PRESENT,
);
