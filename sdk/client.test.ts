import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { startProcess, type ServiceProcess } from "../test/support/processes.ts";
import { postgres } from "../test/support/postgres.ts";
import { ADMIN_TOKEN } from "../test/support/service.ts";
import { callbackHandler } from "./callbacks.ts";
import { createClient, type Client, type ClientOptions } from "./client.ts";
import type { Question } from "./question.ts";
import type { Clock } from "./clock.ts";
import { HumanTaskError, NoAnswerError } from "./errors.ts";

const ANSWER = z.object({ approved: z.boolean(), note: z.string().default("none") });

let asked = 0;

/** Returns a new question. */
function question(more: Partial<Question> = {}): Question<typeof ANSWER> {
  const task = `Refund number ${++asked}?`;
  return { task, payload: { amount: 12.5 }, responseSchema: ANSWER, timeoutSeconds: 600, ...more } as never;
}

/** Registers the same test for both databases. All tests of a database share a process. */
function testOnBoth(name: string, run: (client: Client, t: TestContext, url: string) => Promise<void>): void {
  for (const dialect of ["sqlite", "postgres"] as const)
    void test(`${name} (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`, { timeout: TEST_MS }, async (t) => {
      const { client, service } = await (shared[dialect] ??= serve(dialect));
      await run(client, t, service.url);
    });
}

/** A test that takes longer hangs. */
const TEST_MS = 55_000;
const shared: { sqlite?: Promise<Served>; postgres?: Promise<Served> } = {};
after(async () => {
  for (const served of await Promise.all(Object.values(shared))) await served.end();
});

interface Served {
  service: ServiceProcess;
  client: Client;
  /** Kills the process and starts another one at the same address. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

async function serve(dialect: "sqlite" | "postgres", more: Record<string, string> = {}): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "client-"));
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  const env = { SERVICE_DATA_DIR: folder, ...(database && { SERVICE_DATABASE_URL: database.url }), ...more };
  let service = await startProcess(env);
  return {
    service,
    client: createClient({ baseUrl: service.url, token: ADMIN_TOKEN }),
    restart: async () => {
      await service.kill();
      service = await startProcess({ ...env, SERVICE_PORT: new URL(service.url).port });
    },
    end: async () => {
      await service.kill();
      await database?.drop();
      rmSync(folder, { recursive: true });
    },
  };
}

testOnBoth("one call asks about an action, and gives the arguments that a person edited", async (client) => {
  const decision = await client.approve({
    name: "refund",
    args: { amount: 90, number: ++asked },
    allowed: ["approve", "edit"],
    editable: ["/amount"],
    onCreated: async ({ id, record }) => {
      assert.equal(record.action?.name, "refund");
      await client.complete(id, { decision: "edit", args: { amount: 45, number: asked } });
    },
  });
  assert.deepEqual(decision, {
    decision: "edit",
    args: { amount: 45, number: asked },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
  });
});

testOnBoth("one call asks a person, and gives the answer with its type", async (client) => {
  const answer: { approved: boolean; note: string } = await client.awaitHuman({
    ...question(),
    onCreated: ({ id, url, isReplay, record }) => {
      assert.match(url, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/tasks/${id}$`));
      assert.deepEqual([isReplay, record.status, record.timeout_seconds], [false, "created", 600]);
      void client.complete(id, { approved: true });
    },
  });
  // The schema's defaults are filled in.
  assert.deepEqual(answer, { approved: true, note: "none" });
});

testOnBoth("a program that starts anew finds the question it had asked", async (client) => {
  const wanted = question();
  const first = await client.ask(wanted);
  const again = await client.ask(wanted);
  assert.deepEqual([again.id, again.isReplay], [first.id, true]);
  await client.complete(first.id, { approved: false });
  assert.equal((await client.awaitHuman(wanted)).approved, false);
  const other = await client.ask({ ...wanted, occasion: "the next day" });
  assert.notEqual(other.id, first.id);
  // The same holds with an explicit key: the answer to another question is not an answer to this one.
  const mine = { ...question(), idempotencyKey: "refund-1" };
  const { id } = await client.ask(mine);
  assert.equal((await client.ask({ ...mine, timeoutSeconds: 900 })).id, id);
  for (const changed of [
    { task: "Another?" },
    { payload: { amount: 4200 } },
    { responseSchema: z.object({ sum: z.number() }) },
  ])
    await assert.rejects(client.ask({ ...mine, ...changed } as typeof mine), { code: "OTHER_QUESTION", taskId: id });
});

testOnBoth("a task without an answer says why, to programs and to people", async (client) => {
  const withdrawn = await client.ask(question());
  await withdrawn.cancel("No longer needed.");
  const error = await withdrawn.answer().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof NoAnswerError && error instanceof HumanTaskError);
  assert.deepEqual([error.status, error.code, error.taskId], ["cancelled", "CANCELLED", withdrawn.id]);
  // Cancelling again is not an error, because the agent's goal is reached.
  assert.equal((await withdrawn.cancel()).status, "cancelled");
  const done = await client.ask(question());
  await client.complete(done.id, { approved: true });
  await assert.rejects(done.cancel(), { code: "TASK_ALREADY_TERMINAL", status: 409 });
});

testOnBoth("a refusal of the service says the place, and where to read on", async (client) => {
  const wrong = client.ask({ ...question(), timeoutSeconds: 5 });
  await assert.rejects(wrong, {
    name: "ApiError",
    status: 422,
    code: "VALIDATION_FAILED",
    message: /\/timeout_seconds: .*60[^]*troubleshooting/,
  });
  await assert.rejects(client.get("tsk_none"), { code: "TASK_NOT_FOUND", taskId: "tsk_none" });
  const { id } = await client.ask(question());
  const refused = client.complete(id, { approved: "yes" });
  await assert.rejects(refused, { status: 422, message: /\/response\/approved/ });
});

testOnBoth("an answer that only the schema here refuses is told as what it is", async (client) => {
  const strict = z.object({ code: z.string().refine((text) => text.startsWith("A-"), "Codes begin with A-.") });
  const { id, answer } = await client.ask({ ...question(), responseSchema: strict });
  await client.complete(id, { code: "B-1" });
  await assert.rejects(answer(), {
    name: "AnswerRefusedError",
    taskId: id,
    answer: { code: "B-1" },
    message: /begin with A-/,
  });
});

/** Answers as the dashboard does, through the form of the task's schema. */
async function answerByHand(client: Client, id: string, value: unknown): Promise<void> {
  const { response_schema } = await client.get(id);
  assert.deepEqual(Object.keys(response_schema["properties"] as object), ["value"]);
  await client.complete(id, { value });
}

testOnBoth("a question for a single value is answered in a form of one field, and gives the value", async (client) => {
  const asking = { task: question().task, timeoutSeconds: 600 };
  const cases: [string, Question["responseSchema"], unknown, unknown?][] = [
    ["boolean", z.boolean(), false],
    ["enum", z.enum(["approve", "reject"]), "reject"],
    ["text", z.string().min(2), "fine"],
    ["number", z.number().meta({ title: "Amount" }), 12.5],
    ["literal", z.literal("read"), "read"],
    ["list", z.array(z.object({ sku: z.string() })), [{ sku: "LN-204" }]],
    ["union", z.union([z.string(), z.number()]), 7],
    ["nothing", z.string().nullable(), null],
    ["changed by the schema", z.string().transform((text) => text.length), "four", 4],
    ["valibot", toStandardJsonSchema(v.picklist(["a", "b"])), "b"],
    ["arktype", type("boolean"), true],
    ["arktype union", type("'a' | 'b' | number"), "a"],
    ["JSON Schema", { type: "boolean" }, true],
    ["references", { type: "array", items: { $ref: "#/$defs/tag" }, $defs: { tag: { enum: ["x", "y"] } } }, ["x"]],
    ["a schema within itself", { type: "array", items: { $ref: "#" } }, [[], [[]]]],
    [
      "draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        $ref: "#/definitions/Flag",
        definitions: { Flag: { type: "boolean" } },
      },
      true,
    ],
  ];
  for (const [name, responseSchema, value, expected = value] of cases) {
    const answer = await client.awaitHuman({
      ...asking,
      occasion: name,
      responseSchema,
      onCreated: async ({ id }) => answerByHand(client, id, value),
    });
    assert.deepEqual(answer, expected, name);
  }
  // An invalid value is refused as in any form.
  const { id } = await client.ask({ ...asking, occasion: "refused", responseSchema: z.enum(["approve", "reject"]) });
  await assert.rejects(client.complete(id, { value: "perhaps" }), { status: 422, message: /\/response\/value/ });
  await assert.rejects(client.complete(id, {}), { status: 422 });
});

testOnBoth("a single value has its type, is found again, waited for and raced for", async (client) => {
  const asking = { task: question().task, timeoutSeconds: 600 };
  const flag = { ...asking, responseSchema: z.boolean() };
  const asked = await client.ask(flag);
  const again = await client.ask(flag);
  assert.deepEqual([again.id, again.isReplay], [asked.id, true]);
  // A program that answers for a person need not know how the answer is stored.
  await client.complete(asked.id, true);
  const isApproved: boolean = await again.answer();
  assert.equal(isApproved, true);
  const waited: boolean = await client.wait(asked.id, { responseSchema: z.boolean() });
  assert.equal(waited, true);
  // Without the schema, the answer is the stored response, as in the service's own records.
  assert.deepEqual(await client.wait(asked.id), { value: true });
  assert.deepEqual((await client.poll(asked.id)).response, { value: true });

  const choices = { ...asking, responseSchema: { enum: ["a", "b"] } as const };
  const first = client.anyOf([
    { ...choices, occasion: "1" },
    { ...choices, occasion: "2" },
  ]);
  const open = await eventually(async () => {
    const tasks = await all(client.list({ q: asking.task, terminal: false }));
    return tasks.length === 2 ? tasks : null;
  });
  await client.complete(open[0]!.id, "b");
  const { answer }: { answer: "a" | "b" } = await first;
  assert.equal(answer, "b");

  // Questions of different types at once.
  const mixed = client.anyOf([
    { ...asking, occasion: "3", responseSchema: z.number() },
    { ...asking, occasion: "4", responseSchema: { enum: ["a", "b"] } },
  ]);
  const mixedOpen = await eventually(async () => {
    const tasks = await all(client.list({ q: asking.task, terminal: false }));
    return tasks.length === 2 ? Promise.all(tasks.map(async ({ id }) => client.get(id))) : null;
  });
  const choice = mixedOpen.find(({ response_schema }) => JSON.stringify(response_schema).includes('"enum"'));
  await client.complete(choice!.id, "a");
  const { answer: either, index }: { answer: number | "a" | "b"; index: number } = await mixed;
  assert.deepEqual([either, index], ["a", 1]);

  const strict = z.string().refine((text) => text.startsWith("A-"), "Codes begin with A-.");
  const refused = await client.ask({ ...asking, responseSchema: strict });
  await client.complete(refused.id, "B-1");
  await assert.rejects(refused.answer(), { name: "AnswerRefusedError", answer: "B-1", message: /begin with A-/ });
});

testOnBoth("a question without a schema is one for yes or no", async (client) => {
  const { task } = question();
  const isApproved: boolean = await client.awaitHuman({
    task,
    timeoutSeconds: 600,
    onCreated: async ({ id }) => answerByHand(client, id, false),
  });
  assert.equal(isApproved, false);
  // The same question with the default schema given explicitly.
  assert.equal((await client.ask({ task, responseSchema: { type: "boolean" } })).isReplay, true);
});

testOnBoth("a schema that is none, and one that nothing fits, are told as that", async (client) => {
  for (const responseSchema of ["boolean", true] as unknown as Question["responseSchema"][])
    await assert.rejects(client.awaitHuman({ task: "x", responseSchema }), {
      name: "HumanTaskError",
      code: "NO_JSON_SCHEMA",
      message: /responseSchema/,
    });
  await assert.rejects(client.ask({ task: "x", responseSchema: z.never() }), {
    status: 422,
    code: "RESPONSE_SCHEMA_NOT_OBJECT",
  });
});

testOnBoth("tasks are listed page by page, read, followed and deleted", async (client) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await client.ask({ ...question(), task: `Listed ${i}?` })).id);
  const listed = (await all(client.list({ limit: 2, q: "Listed" }))).map(({ id }) => id);
  assert.deepEqual(listed, ids);
  await client.complete(ids[0]!, { approved: true }, { email: "dana@example.com", channel: "test" });
  const done = await all(client.list({ status: ["completed", "cancelled"], q: "Listed" }));
  assert.deepEqual(
    done.map(({ id }) => id),
    [ids[0]],
  );
  assert.equal((await client.get(ids[0]!)).completed_by_email, "dana@example.com");
  assert.equal((await client.poll(ids[1]!, { timeoutSeconds: 0 })).status, "created");
  assert.deepEqual(await client.wait(ids[0]!), { approved: true });
  assert.equal((await client.wait(ids[0]!, { responseSchema: ANSWER })).note, "none");
  // A schema without JSON Schema can still check an answer.
  assert.equal((await client.wait(ids[0]!, { responseSchema: v.object({ approved: v.boolean() }) })).approved, true);
  const actions = (await client.audit(ids[0]!)).map(({ action }) => action);
  assert.deepEqual(actions, ["created", "completed"]);
  await client.delete(ids[0]!);
  await assert.rejects(client.get(ids[0]!), { code: "TASK_NOT_FOUND" });
});

testOnBoth("of several questions the first answer counts, and the others are withdrawn", async (client) => {
  const task = question().task;
  const people = ["dana@example.com", "lee@example.com", "kim@example.com"];
  const questions = people.map((email) => ({ ...question(), task, assignTo: { email } }));
  const first = client.anyOf(questions);
  const open = await eventually(async () => {
    const tasks = await all(client.list({ q: task }));
    return tasks.length === 3 ? tasks : null;
  });
  const lee = open.find(({ assigned_to_email }) => assigned_to_email === "lee@example.com")!;
  await client.complete(lee.id, { approved: true });
  assert.deepEqual(await first, { index: 1, id: lee.id, answer: { approved: true, note: "none" }, leftOpen: [] });
  const statuses = (await all(client.list({ q: task }))).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), ["cancelled", "cancelled", "completed"]);
  await assert.rejects(client.anyOf([questions[0]!, questions[0]!]), { code: "SAME_QUESTION" });
});

testOnBoth(
  "where not all of several questions can be asked, those that were asked before stay open",
  async (client) => {
    const [before, fresh] = [question(), question()];
    const { id } = await client.ask(before);
    const wrong = { ...question(), timeoutSeconds: 5 };
    await assert.rejects(client.anyOf([before, fresh, wrong]), { code: "VALIDATION_FAILED" });
    assert.equal((await client.get(id)).status, "created");
    const [asked] = await all(client.list({ q: fresh.task }));
    assert.equal(asked!.status, "cancelled");
  },
);

testOnBoth("an abort ends the waiting, and the task only where that was asked for", async (client) => {
  for (const cancelOnAbort of [false, true]) {
    const controller = new AbortController();
    let id = "";
    const waiting = client.awaitHuman({
      ...question(),
      cancelOnAbort,
      signal: controller.signal,
      onCreated: (created) => {
        ({ id } = created);
        controller.abort(new Error("the agent was stopped"));
      },
    });
    await assert.rejects(waiting, /the agent was stopped/);
    assert.equal((await client.get(id)).status, cancelOnAbort ? "cancelled" : "created");
  }
});

testOnBoth("a callback that the service sends is read by the handler", async (client, t) => {
  const heard = Promise.withResolvers<unknown>();
  const handle = callbackHandler("tlR5UCElY4QIjThpO4TlL1GzTzXrQQJYa3BtvZ0FOBQ", heard.resolve);
  const callbackUrl = await listen(t, (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const asFetch = new Request("http://agent.example/", {
      method: "POST",
      headers,
      body: request as never,
      duplex: "half",
    });
    void handle(asFetch).then(({ status }) => response.writeHead(status).end());
  });
  const { id } = await client.ask(question({ callbackUrl }));
  await client.complete(id, { approved: true });
  const { task_id, response } = (await heard.promise) as { task_id: string; response: unknown };
  assert.deepEqual([task_id, response], [id, { approved: true }]);
});

/** Calls the service as the admin token. */
async function callAt<T>(url: string, path: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as T;
}

/** Returns the client of a new agent. */
async function agentAt(url: string): Promise<Client> {
  const { id } = await callAt<{ id: string }>(url, "/api/agents", { name: `agent-${++asked}` });
  const { token } = await callAt<{ token: string }>(url, `/api/agents/${id}/tokens`, {});
  return createClient({ baseUrl: url, token });
}

const askAt = (url: string, id: string, text: string) =>
  callAt<{ id: string }>(url, `/api/tasks/${id}/comments`, { text, kind: "question" });

testOnBoth(
  "questions are replied to while the answer is awaited, once, and again after a restart",
  async (admin, _t, url) => {
    const client = await agentAt(url);
    const refund = question();
    const { id } = await client.ask(refund);
    const first = await askAt(url, id, "Which card?");
    const heard: string[] = [];
    // The program is gone before it has replied.
    const gone = new AbortController();
    const left = client.awaitHuman({ ...refund, signal: gone.signal, onQuestion: () => gone.abort(new Error("gone")) });
    await assert.rejects(left, /gone/);

    const answer = client.awaitHuman({
      ...refund,
      onQuestion: async ({ text, task_id }, task) => {
        assert.deepEqual([task_id, task.id], [id, id]);
        heard.push(text);
        return text === "Why?" ? null : `${text} 4242.`;
      },
    });
    const said = async () => (await client.comments(id)).map(({ text }) => text);
    while ((await said()).length < 2);
    await askAt(url, id, "When?");
    while ((await said()).length < 4);
    await askAt(url, id, "Why?");
    while (heard.length < 3) await client.get(id);
    await client.comment(id, "I do not know.", { key: "once" });
    await client.comment(id, "I do not know.", { key: "once" });
    await admin.complete(id, { approved: true });
    assert.deepEqual(await answer, { approved: true, note: "none" });
    assert.deepEqual(heard, ["Which card?", "When?", "Why?"]);
    assert.deepEqual(await said(), [
      "Which card?",
      "Which card? 4242.",
      "When?",
      "When? 4242.",
      "Why?",
      "I do not know.",
    ]);
    assert.equal((await client.comments(id))[0]!.id, first.id);
  },
);

testOnBoth(
  "a question may be answered with a revision, once, and people answer the new version",
  async (admin, _t, url) => {
    const client = await agentAt(url);
    const refund = question();
    const { id } = await client.ask(refund);
    await askAt(url, id, "Without shipping?");
    const revision = { payload: { order: "A-7" }, note: "Without shipping.", extendSeconds: 60 };
    const answer = client.awaitHuman({ ...refund, onQuestion: () => revision });
    while ((await client.get(id)).version === 1);
    assert.deepEqual(
      (await client.versions(id)).map(({ version, payload, note }) => [version, payload, note]),
      [
        [1, refund.payload, null],
        [2, { order: "A-7" }, "Without shipping."],
      ],
    );
    await assert.rejects(admin.complete(id, { approved: true }, { version: 1 }), { code: "TASK_REVISED" });
    // After a restart, the same question finds the revised task.
    assert.equal((await client.ask(refund)).id, id);
    const again = await client.revise(id, { payload: { order: "A-8" } }, { key: "once" });
    assert.equal((await client.revise(id, { payload: { order: "A-8" } }, { key: "once" })).version, again.version);
    await admin.complete(id, { approved: true }, { version: again.version });
    assert.deepEqual(await answer, { approved: true, note: "none" });
  },
);

testOnBoth(
  "a reply that comes after the answer is said all the same, and the answer is returned",
  async (admin, _t, url) => {
    const client = await agentAt(url);
    const refund = question();
    const { id } = await client.ask(refund);
    await askAt(url, id, "Which card?");
    const onQuestion = async () => {
      await admin.complete(id, { approved: false });
      return "4242.";
    };
    assert.deepEqual(await client.awaitHuman({ ...refund, onQuestion }), { approved: false, note: "none" });
    assert.deepEqual(
      (await client.comments(id)).map(({ text }) => text),
      ["Which card?", "4242."],
    );
  },
);

testOnBoth("a question resumes what waits for it, and the same question may wait elsewhere", async (client, t) => {
  const bodies: string[] = [];
  const waiting = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      bodies.push(body);
      response.end();
    });
  });
  t.after(() => waiting.close());
  await new Promise<void>((resolve) => void waiting.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(waiting.address() as AddressInfo).port}`;
  const refund = question();
  const { id, record } = await client.ask({ ...refund, resume: [{ url: `${origin}/secret`, select: "response" }] });
  const [entry] = record.resume!;
  assert.deepEqual([entry!.kind, entry!.url, entry!.status], ["url", `${origin}/…`, "waiting"]);
  const again = await client.ask({ ...refund, resume: [{ url: `${origin}/elsewhere` }] });
  assert.deepEqual([again.id, again.isReplay], [id, true]);
  const resumed = once(waiting, "request");
  await client.complete(id, { approved: true });
  await resumed;
  while ((await client.get(id)).resume?.[0]?.status !== "done") await client.poll(id, { timeoutSeconds: 0 });
  assert.deepEqual(bodies, ['{"approved":true}']);
  await assert.rejects(client.ask({ ...question(), resume: [{ connection: "nowhere", signal: "decided" }] }), {
    code: "VALIDATION_FAILED",
    message: /\/resume\/0\/connection/,
  });
});

void test("a token for the form in another product is minted with the service key", async (t) => {
  const { client, service } = await served(t, {
    SERVICE_EMBED_SIGNING_SECRET: "ab".repeat(32),
    SERVICE_EMBED_PARENT_ORIGINS: "https://shop.example.com",
  });
  const { id } = await client.ask(question());
  const mint = { taskId: id, parentOrigin: "https://shop.example.com", sub: "user-7" };
  await assert.rejects(client.embedToken(mint), { code: "NOT_CONFIGURED", message: /SERVICE_KEY/ });
  const { body } = await service.call<{ key: string }>("POST", "/api/service-keys", { name: "Shop" });
  const shop = createClient({ baseUrl: service.url, token: ADMIN_TOKEN, serviceKey: body.key });
  const { embed_url } = await shop.embedToken(mint);
  assert.match(embed_url, new RegExp(`/embed\\?id=${id}#token=`));
});

void test("what Deno did not permit is said, where the service of this machine is looked for", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "discovery-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "service.json");
  writeFileSync(
    file,
    JSON.stringify({ url: "http://127.0.0.1:1", public_url: "http://localhost:1", token: "t", pid: process.pid }),
  );
  process.env["SERVICE_DISCOVERY_FILE"] = file;
  t.after(() => delete process.env["SERVICE_DISCOVERY_FILE"]);
  assert.ok(createClient());
  // As Deno 2 does without `--allow-run`.
  const refused = new Error("Requires run access, run again with the --allow-run flag");
  refused.name = "NotCapable";
  const { mock } = t.mock.method(process, "kill", () => {
    throw refused;
  });
  assert.throws(() => createClient(), refused);
  mock.mockImplementation(() => {
    throw new Error("kill ESRCH");
  });
  assert.throws(() => createClient(), { code: "NOT_CONFIGURED", message: /No service was found/ });
});

void test("an address where nothing listens, and one where something else does, are told soon and clearly", async (t) => {
  const elsewhere = await listen(t, (_request, response) => response.writeHead(404).end("<h1>Not here</h1>"));
  await assert.rejects(createClient({ baseUrl: elsewhere, token: "t" }).get("tsk_1"), {
    name: "UnreachableError",
    message: /Another program responds at .*HTTP 404/,
  });
  const moved = await listen(t, (_request, response) =>
    response.writeHead(308, { location: "https://x.example/" }).end(),
  );
  await assert.rejects(createClient({ baseUrl: moved, token: "t" }).get("tsk_1"), {
    message: /a redirect to https:\/\/x\.example/,
  });
  let now = 0;
  const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
  await assert.rejects(createClient({ baseUrl: "http://127.0.0.1:1", token: "t", clock }).get("tsk_1"), {
    name: "UnreachableError",
    message: /Is the service running there\?/,
  });
  // The last attempt is made at the end of the ten seconds, whatever the pauses before it were.
  assert.equal(Math.round(now), 10_000);
});

void test("a program that starts while the service restarts finds it up to the last moment of the ten seconds", async (t) => {
  const { client: direct, service } = await served(t);
  const { id } = await direct.ask(question());
  let now = 0;
  const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
  const closed = async (...given: Parameters<typeof fetch>) => {
    if (now < 9_999) throw new TypeError("fetch failed");
    return fetch(...given);
  };
  for (let program = 0; program < 20; program++) {
    now = 0;
    const client = createClient({ baseUrl: service.url, token: ADMIN_TOKEN, clock, fetch: closed });
    assert.equal((await client.get(id)).id, id);
  }
});

void test("a service that was there is waited for: proxies that speak in its place, errors, overload", async (t) => {
  const { client: direct, service } = await served(t);
  const { client, troubles, passed, clock } = await disturbed(t, service);
  const { id, answer } = await client.ask(question());
  const own = { error_code: "DATABASE_UNAVAILABLE", message: "Not now." };
  troubles.push(502, 404, "cut", 401, { status: 503, body: own }, { status: 429, body: own });
  await direct.complete(id, { approved: true });
  const begun = clock.now();
  assert.deepEqual(await answer(), { approved: true, note: "none" });
  assert.deepEqual([troubles.length, passed.length], [0, 2]);
  // The client respects the given retry time.
  assert.ok(clock.now() - begun >= 60_000);
  // An answer that may have succeeded is not sent twice.
  const second = await client.ask(question());
  troubles.push("cut");
  await assert.rejects(client.complete(second.id, { approved: true }), {
    name: "UnreachableError",
    message: /may have been done/,
  });
});

void test("what is not the service's ends no wait, and what was deleted is deleted", async (t) => {
  const { client: direct, service } = await served(t);
  const { client, troubles } = await disturbed(t, service);
  const { id, answer } = await client.ask(question());
  for (const body of [{}, { status: "maintenance" }, { status: "completed", task_id: "tsk_other", response: {} }, []])
    troubles.push({ status: 200, body });
  await direct.complete(id, { approved: false });
  assert.equal((await answer()).approved, false);
  assert.equal(troubles.length, 0);
  // The first request succeeds, and its response is lost.
  troubles.push("lost");
  await client.delete(id);
  await assert.rejects(direct.get(id), { code: "TASK_NOT_FOUND" });
  await assert.rejects(client.delete(id), { code: "TASK_NOT_FOUND" });
});

void test("what is done once a question is there belongs to the waiting", async (t) => {
  const { client } = await served(t);
  const failing = client.awaitHuman({ ...question(), onCreated: () => Promise.reject(new Error("the pager is away")) });
  await assert.rejects(failing, /the pager is away/);
});

void test("settings that cannot work are refused at once, without showing a secret", async () => {
  const refused = (options: ClientOptions, says: RegExp) =>
    assert.throws(
      () => createClient(options),
      (error: HumanTaskError) => {
        assert.equal(error.code, "NOT_CONFIGURED");
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /SECRET/);
        return true;
      },
    );
  for (const baseUrl of [
    "localhost:3000",
    "ftp://tasks.example.com",
    "https://dana:SECRET@tasks.example.com",
    "",
    "/api",
  ])
    refused({ baseUrl, token: "t" }, /must be like https:/);
  for (const token of ["SECRET\nLINE", "SECRET WORDS", "", "SECRÉT"])
    refused({ baseUrl: "http://127.0.0.1:1", token }, /no token/);
  const client = createClient({ baseUrl: "http://127.0.0.1:1", token: "t" });
  await assert.rejects(client.complete("tsk_1", { amount: 1n }), /BigInt/);
});

void test("polls that are answered at once, as by a service that is stopping, follow each other slowly", async (t) => {
  const { client: direct, service } = await served(t);
  const { client, passed, clock } = await disturbed(t, service, (path) => path.replace(/timeout=\d+/, "timeout=0"));
  const { id, answer } = await client.ask(question());
  const begun = clock.now();
  const answered = answer();
  await eventually(async () => passed.length > 5 || null);
  await direct.complete(id, { approved: true });
  await answered;
  const polls = passed.length - 1;
  assert.ok(clock.now() - begun >= (polls - 1) * 500, `${polls} polls in ${clock.now() - begun} ms`);
});

void test(
  "questions that could not be withdrawn are named, and are not waited for",
  { timeout: TEST_MS },
  async (t) => {
    const { client: direct, service } = await served(t);
    const { client, troubles, passed, givenUp } = await disturbed(t, service);
    const first = client.anyOf([question(), question()]);
    const tasks = await eventually(async () => {
      const found = await all(direct.list());
      return found.length === 2 && passed.length === 4 ? found : null;
    });
    // The answer succeeds, and then the service is unavailable.
    const [done, open] = tasks.map(({ id }) => id) as [string, string];
    troubles.push(...Array<"cut">(1000).fill("cut"));
    await direct.complete(done, { approved: true });
    const { id, leftOpen } = await first;
    assert.deepEqual([id, leftOpen], [done, [open]]);
    // Its poll was aborted, and did not just end.
    await eventually(async () => givenUp.some((url) => url.includes(open)) || null);
  },
);

type Trouble = number | "cut" | "lost" | { status: number; body: object };

/**
 * Returns a client behind a proxy, which answers for the service with each of `troubles`, and then passes requests on.
 * Pauses take no time.
 */
async function disturbed(t: TestContext, service: ServiceProcess, rewrite = (path: string) => path) {
  const troubles: Trouble[] = [];
  const passed: string[] = [];
  const givenUp: string[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const trouble = troubles.shift();
    if (trouble === "cut") return void response.socket?.destroy();
    if (typeof trouble === "number") return void response.writeHead(trouble).end("<h1>Deploying</h1>");
    if (typeof trouble === "object")
      return void response.writeHead(trouble.status, { "retry-after": "30" }).end(JSON.stringify(trouble.body));
    const { method = "GET", headers, url = "" } = request;
    passed.push(url);
    response.once("close", () => void (response.writableEnded || givenUp.push(url)));
    const chunks = await all(request as AsyncIterable<Buffer>);
    const answer = await fetch(service.url + rewrite(url), {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
      ...(method === "POST" && { body: Buffer.concat(chunks) }),
    });
    if (trouble === "lost") return void response.socket?.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  };
  const baseUrl = await listen(t, (request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  let now = Date.now();
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      now += ms;
    },
  };
  return { client: createClient({ baseUrl, token: ADMIN_TOKEN, clock }), troubles, passed, givenUp, clock };
}

void test("a service on this machine is found without any setting, as long as it runs", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "home-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, ".human-task-service/service.json");
  const { service, restart } = await served(t, { HOME: folder });
  await eventually(async () => existsSync(file) || null);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { HOME, SERVICE_URL, SERVICE_TOKEN, SERVICE_ADMIN_API_TOKEN } = process.env;
  t.after(() => Object.assign(process.env, { HOME }));
  assert.deepEqual([SERVICE_URL, SERVICE_TOKEN, SERVICE_ADMIN_API_TOKEN], [undefined, undefined, undefined]);
  process.env["HOME"] = folder;
  // An empty variable, as in a template, counts as not set.
  Object.assign(process.env, { SERVICE_URL: "", SERVICE_TOKEN: "", SERVICE_ADMIN_API_TOKEN: " " });
  t.after(() =>
    ["SERVICE_URL", "SERVICE_TOKEN", "SERVICE_ADMIN_API_TOKEN"].forEach((name) => delete process.env[name]),
  );
  const client = createClient();
  const { id, url, record } = await client.ask(question());
  assert.ok(url.startsWith(service.url));
  // It asks as the local agent, which cannot answer itself. The admin token is nowhere in the file.
  assert.equal(record.asked_by.name, "local");
  assert.ok(!readFileSync(file, "utf8").includes(ADMIN_TOKEN));
  await assert.rejects(client.complete(id, { approved: true }), {
    code: "AGENT_SCOPE_MISSING",
    message: /The token is from the discovery file\./,
  });
  // Its token is sent to no other address.
  assert.throws(() => createClient({ baseUrl: "https://tasks.example.com" }), {
    code: "NOT_CONFIGURED",
    message: /no token/,
  });
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
  await restart();
  // The file is written once the service listens.
  await eventually(async () => (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid !== pid || null);
  await createClient().get((await client.ask(question())).id);
  // A file that a dead process left behind is ignored.
  const found = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...found, pid: 2 ** 22 + 1 }));
  assert.throws(() => createClient(), { code: "NOT_CONFIGURED", message: /No service was found/ });
});

void test("for whom the agent acts is on the task, and makes another question of it", async (t) => {
  const { client } = await served(t);
  const onBehalfOf = { name: "Mia", email: "mia@example.com", id: "customer-17" };
  const asked = question();
  const { id, record } = await client.ask({ ...asked, onBehalfOf });
  assert.deepEqual([record.on_behalf_of, record.asked_by.kind], [onBehalfOf, "admin"]);
  const again = await client.ask({ ...asked, onBehalfOf });
  assert.deepEqual([again.id, again.isReplay], [id, true]);
  const other = await client.ask({ ...asked, onBehalfOf: { name: "Bo" } });
  assert.deepEqual([other.id === id, other.isReplay], [false, false]);
  await client.complete(id, { approved: true }, { email: "dana@example.com" });
  const outcome = await client.poll(id);
  assert.deepEqual([outcome.on_behalf_of, outcome.decided_by?.kind], [onBehalfOf, "admin"]);
});

void test("a token of its own comes before the admin token, and an error says which of them was refused", async (t) => {
  const names = ["SERVICE_TOKEN", "SERVICE_ADMIN_API_TOKEN"] as const;
  t.after(() => names.forEach((name) => delete process.env[name]));
  const tokens: string[] = [];
  const baseUrl = await listen(t, (request, response) => {
    tokens.push(request.headers.authorization!);
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error_code: "UNAUTHENTICATED", message: "No." }));
  });
  const message = async (options: object = {}) =>
    createClient({ baseUrl, ...options })
      .get("tsk_1")
      .then(
        () => "none",
        (error: Error) => error.message,
      );
  const refused = (from: string) => `No. The token is from ${from}. (HTTP 401, UNAUTHENTICATED)`;
  process.env["SERVICE_ADMIN_API_TOKEN"] = "admin";
  assert.equal(await message(), refused("SERVICE_ADMIN_API_TOKEN"));
  process.env["SERVICE_TOKEN"] = "agent";
  assert.equal(await message(), refused("SERVICE_TOKEN"));
  assert.equal(await message({ token: "given" }), "No. (HTTP 401, UNAUTHENTICATED)");
  const embed = { taskId: "tsk_1", parentOrigin: "https://shop.example.com", sub: "user-7" };
  await assert.rejects(createClient({ baseUrl, serviceKey: "hsk" }).embedToken(embed), {
    message: "No. (HTTP 401, UNAUTHENTICATED)",
  });
  assert.deepEqual(tokens, ["Bearer admin", "Bearer agent", "Bearer given", "Bearer hsk"]);
});

/** Starts a separate process for this test. */
async function served(t: TestContext, env?: Record<string, string>): Promise<Served> {
  const own = await serve("sqlite", env);
  t.after(() => own.end());
  return own;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
