import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ensureInstalled } from "../../pack/installed.ts";
import type { AgentRecord } from "../../src/agents/schema.ts";
import { KNOWN_NAMES } from "../../src/config.ts";
import { freePort } from "../support/free-port.ts";
import { follow, until, type Reader } from "../support/guide.ts";
import { PlainPage } from "../support/plain-page.ts";
import { startSlack } from "../support/slack.ts";
import { startSmtp } from "../support/smtp.ts";
import { startVendors, VENDOR_KEY } from "../support/vendors.ts";

/** What does not end by then hangs. */
const TEST_MS = 300_000;

void test(
  "docs/quickstart.md: from nothing to an answer that a program goes on with",
  { timeout: TEST_MS },
  async (t) => {
    await follow(t, {
      page: "docs/quickstart.md",
      after: [
        ["tasks watch", (_reader, said) => assert.match(said, /"approved": ?true/)],
        [
          "npx node agent.mts",
          async (reader) => {
            const id = await until(
              "the question of agent.mts",
              () => /Answer it here: .*(tsk_\w+)/.exec(reader.shown())?.[1],
            );
            await reader.call("POST", `/api/tasks/${id}/complete`, { response: { approved: true, note: "Fine." } });
            await until("what agent.mts does with the answer", () => reader.shown().includes("Paid. Fine."));
          },
        ],
        ["/poll?timeout=60", (_reader, said) => assert.match(said, /"status":"completed".*"decision":"approve"/)],
        ["/tasks/batch", (_reader, said) => assert.match(said, /"results":\[\{"status":201,.*\{"status":422,"error":/)],
      ],
    });
  },
);

void test(
  "docs/agents.md: two agents and their tokens, a receiver of callbacks, and an outcome that it is told",
  { timeout: TEST_MS },
  async (t) => {
    const agent = async (reader: Reader, name: string) =>
      (await reader.call<AgentRecord[]>("GET", "/api/agents")).find((one) => one.name === name)!;
    await follow(t, {
      page: "docs/agents.md",
      isRunning: true,
      after: [
        ["tasks list", (_reader, said) => assert.match(said, /tsk_\w+ +created .*Refund 42\.50 EUR to Mia/)],
        [
          "on_behalf_of",
          (_reader, said) => {
            assert.match(said, /"asked_by":\{"kind":"agent","id":"agt_\w+","name":"refunds-bot"\}/);
            assert.match(said, /"on_behalf_of":\{"name":"Mia","id":"customer-17"\}/);
          },
        ],
        [
          "agents revoke",
          async (reader, said) => {
            assert.match(said, /atk_\w+ is revoked/);
            const { tokens, recipients } = await agent(reader, "refunds-bot");
            assert.deepEqual([tokens.length, recipients], [1, { mode: "directory" }]);
          },
        ],
        [
          "agents stop",
          async (reader, said) => {
            assert.match(said, /deploy-bot is stopped.*cancelled.*\n.*may go on/);
            const { scopes, tokens, disabled_at } = await agent(reader, "deploy-bot");
            assert.deepEqual([scopes, disabled_at], [["ask", "read"], null]);
            assert.notEqual(tokens[0]!.expires_at, null);
          },
        ],
        [
          "tasks answer",
          async (reader) => until("the callback", () => /tsk_\w+ completed \{ approved: true \}/.test(reader.shown())),
        ],
      ],
    });
  },
);

void test("docs/actions.md: an action is edited, and several are asked about", { timeout: TEST_MS }, async (t) => {
  await follow(t, {
    page: "docs/actions.md",
    isRunning: true,
    after: [
      [
        "/poll",
        (_reader, said) =>
          assert.match(
            said,
            /"response":\{"decision":"edit",.*"patch":\[\{"op":"replace","path":"\/amount","value":45\}\]\}/,
          ),
      ],
      ["trial-48220", (_reader, said) => assert.match(said, /"actions":\[\{"name":"close_account"/)],
      [
        "tasks decide",
        (_reader, said) =>
          assert.match(said, /Amount: €90\.00\n[^]*completed by dana[^]*Decision: edit\n {4}replace \/amount: 45\n/),
      ],
    ],
  });
});

void test("docs/approvals.md: an action that two people must approve", { timeout: TEST_MS }, async (t) => {
  await follow(t, {
    page: "docs/approvals.md",
    isRunning: true,
    after: [["pay-nordwind-11", (_reader, said) => assert.match(said, /"approvals":\{"need":2,"have":0,/)]],
  });
});

void test(
  "docs/conversation.md: a question before the answer, the reply to it, and a revision",
  { timeout: TEST_MS },
  async (t) => {
    await follow(t, {
      page: "docs/conversation.md",
      isRunning: true,
      after: [
        [
          "until=attention",
          (_reader, said) =>
            assert.match(
              said,
              /"waiting_on":"agent","version":1,"questions":\[\{"id":"cmt_\w+".*Which card was charged/,
            ),
        ],
        [
          "The one that ends with 4242.",
          (_reader, said) => assert.match(said, /"kind":"question".*"text":"The one that ends with 4242\."/),
        ],
        ["/revise", (_reader, said) => assert.match(said, /^2\n.*"error_code":"TASK_REVISED".*"version":2/s)],
      ],
    });
  },
);

void test("docs/escalation.md: a task with steps, and a template of them", { timeout: TEST_MS }, async (t) => {
  const reader = await follow(t, {
    page: "docs/escalation.md",
    isRunning: true,
    after: [["-X PUT", (_reader, said) => assert.match(said, /"name":"payments".*"is_built_in":false/)]],
  });
  const [task] = await reader.call<{ id: string; next_step: { do: string } }[]>("GET", "/api/tasks");
  assert.equal(task!.next_step.do, "remind");
  const templates = await reader.call<{ name: string }[]>("GET", "/api/escalations");
  assert.deepEqual(
    templates.map(({ name }) => name),
    ["payments", "standard"],
  );
});

void test("docs/hooks.md: a call of Claude Code is held, edited and answered", { timeout: TEST_MS }, async (t) => {
  await follow(t, {
    page: "docs/hooks.md",
    isRunning: true,
    after: [
      [
        "cat answer.json",
        (_reader, said) =>
          assert.ok(
            said.includes(
              '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"A person changed and approved this call.","updatedInput":{"command":"npm test -- --bail"}}}',
            ),
            said,
          ),
      ],
      [
        "rules/preview",
        (_reader, said) =>
          assert.match(said, /"would":\{"decision":"deny","rule":0,"simulated":null,"simulated_rule":null\}/),
      ],
      ['npm run lint" }', (_reader, said) => assert.match(said, /"version":1,.*\n.*"permissionDecision":"allow"/)],
    ],
  });
});

void test("docs/calendars.md: a calendar is set, read and deleted", { timeout: TEST_MS }, async (t) => {
  const reader = await follow(t, {
    page: "docs/calendars.md",
    isRunning: true,
    after: [
      [
        "-X PUT",
        (_reader, said) =>
          assert.match(
            said,
            /"project":"default","time_zone":"Europe\/Berlin","hours":\{"mon":\[\["09:00","17:00"\]\]/,
          ),
      ],
      ["support-bot", (_reader, said) => assert.match(said, /\[\{"name":"support".*\}\]\n\{"name":"support".*"fri":/)],
    ],
  });
  assert.deepEqual(await reader.call("GET", "/api/calendars"), []);
});

void test("docs/people.md: the first person, others, and what becomes of them", { timeout: TEST_MS }, async (t) => {
  const reader = await follow(t, { page: "docs/people.md", isRunning: true });
  const users = await reader.call<{ email: string; is_operator: boolean; active: boolean }[]>("GET", "/api/users");
  assert.deepEqual(users.map(({ email, is_operator, active }) => `${email} ${is_operator} ${active}`).toSorted(), [
    "ada@example.com true true",
    "dana@example.com false true",
    "kim@example.com true true",
    "lee@example.com false true",
  ]);
});

void test("docs/projects.md: a project with its people and its agent", { timeout: TEST_MS }, async (t) => {
  const reader = await follow(t, {
    page: "docs/projects.md",
    isRunning: true,
    after: [
      [
        "projects members refunds",
        (_reader, said) =>
          assert.match(said, /dana@example\.com +Dana Ek +operator .*\n.*kim@example\.com +Kim Ode +member /),
      ],
      [
        "?project=refunds",
        (_reader, said) => assert.match(said, /"project":"refunds".*"assigned_to_email":"kim@example/),
      ],
    ],
  });
  const [task] = await reader.call<{ project: string }[]>("GET", "/api/tasks");
  assert.equal(task!.project, "refunds");
});

void test("docs/channels.md: the doctor looks at everything", { timeout: TEST_MS }, async (t) => {
  const reader = await follow(t, { page: "docs/channels.md", isRunning: true });
  assert.match(reader.shown(), /database/);
});

void test(
  "docs/email.md: a mail without a mail server, its answer, and one through a real one",
  { timeout: TEST_MS },
  async (t) => {
    const smtp = await startSmtp();
    t.after(() => smtp.close());
    const reader = await follow(t, {
      page: "docs/email.md",
      isRunning: true,
      instead: {
        "sleep 1;": "until grep -qs email/action data/outbox/*.json; do :; done;",
        "mail.example.com:587": `${smtp.host}:${smtp.port}`,
        "user:password@": "user:right@",
        "https://tasks.example.com": ({ url }) => url,
      },
      after: [
        [
          "email/action",
          async ({ url }, said) => {
            const link = /http\S+/.exec(said)![0].replace(/^https?:\/\/[^/]+/, url);
            const page = await new PlainPage(link).open();
            await page.post({ "/approved": "true" });
            assert.equal(page.status, 200, page.text);
          },
        ],
        [
          "?key_prefix=mail-48219",
          (_reader, said) =>
            assert.match(said, /"completed_by_email":"dana@example\.com".*"completed_via_channel":"email"/),
        ],
        ["--mail-to", async () => smtp.to("dana@example.com")],
      ],
    });
    await reader.call("POST", "/api/tasks", {
      task: "Over the mail server?",
      payload: {},
      payload_schema: {},
      response_schema: { type: "object", properties: { yes: { type: "boolean" } }, required: ["yes"] },
      timeout_seconds: 3600,
      idempotency_key: "smtp",
      notify: ["email+default:kim@example.com"],
    });
    const mail = await smtp.to("kim@example.com");
    assert.ok(mail.html?.includes(`${reader.url}/api/channels/email/action/`));
  },
);

void test(
  "docs/embed.md: a shop with a form in its page, and the callback that it gets",
  { timeout: TEST_MS },
  async (t) => {
    const port = String(await freePort());
    const shop = `http://localhost:${port}`;
    await follow(t, {
      page: "docs/embed.md",
      env: { PORT: port },
      instead: {
        "http://localhost:3001": shop,
        "npm run example:embed": ({ url }) => `SERVICE_URL=${url} npm run example:embed`,
      },
      after: [
        [
          "example:embed",
          async (reader) => {
            await until("the shop", () => reader.shown().includes("The shop is at"));
            const post = async (path: string, body = {}) =>
              (await (await fetch(shop + path, { method: "POST", body: JSON.stringify(body) })).json()) as Record<
                string,
                string
              >;
            const task = (await post("/tasks"))["task_id"]!;
            const { embed_url: url = "" } = await post("/embed-url", { task_id: task });
            const token = new URL(url).hash.slice("#token=".length);
            const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
            const asked = (await (await fetch(`${reader.url}/api/embed/task`, { headers })).json()) as {
              response_schema: unknown;
            };
            assert.ok(asked.response_schema);
            await reader.call("POST", `/api/tasks/${task}/cancel`);
            const outcome = (await (await fetch(`${shop}/outcomes/${task}`)).json()) as { status: string };
            assert.equal(outcome.status, "cancelled", "the shop was called back");
          },
        ],
        ["/api/embed/tokens", (_reader, said) => assert.match(said, /"embed_token"/)],
      ],
    });
  },
);

void test(
  "docs/slack.md: the manifest, and a question in a channel by each way in",
  { timeout: TEST_MS },
  async (t) => {
    const slack = await startSlack();
    t.after(() => slack.close());
    slack.addChannel({ name: "approvals" });
    slack.addUser({ name: "dana", email: "dana@example.com" });
    const reader = await follow(t, {
      page: "docs/slack.md",
      isRunning: true,
      env: { SERVICE_SLACK_API_URL: slack.apiUrl },
      instead: {
        "xoxb-...": slack.token,
        "xapp-...": slack.appToken,
        "<signing secret>": slack.signingSecret,
        "https://tasks.example.com": ({ url }) => url,
        "<client id>": slack.clientId,
        "<client secret>": slack.clientSecret,
      },
      after: [
        ["/slack/manifest", (_reader, said) => assert.match(said, /chat:write/)],
        ["export SERVICE_SLACK_APP_TOKEN", async () => until("the connection", () => slack.connections() > 0)],
        [
          "export SERVICE_SLACK_CLIENT_ID",
          async ({ call }) => call("POST", "/api/channels/slack/installations", { bot_token: slack.token }),
        ],
        ["--notify slack:#approvals", async () => until("the message", () => slack.posts.length > 0)],
      ],
    });
    assert.deepEqual(slack.failures, []);
    assert.match(JSON.stringify(slack.posts), /Refund 42\.50 EUR to Mia/);
    assert.ok(reader.shown().includes("dana@example.com"));
  },
);

void test(
  "docs/verifier.md: an answer that a model sends back, and one that passes",
  { timeout: TEST_MS },
  async (t) => {
    const vendors = await startVendors();
    t.after(() => vendors.close());
    vendors.script.push(
      { passed: false, reason: "The note names no rule." },
      { passed: true, reason: "It names one." },
    );
    await follow(t, {
      page: "docs/verifier.md",
      instead: { "http://127.0.0.1:11434/v1": vendors.baseUrls.openai, "sk-...": VENDOR_KEY },
      after: [
        ['"note": "Yes."', (_reader, said) => assert.match(said, /"status":"rejected".*The note names no rule\./)],
        ["rule 4 applies", (_reader, said) => assert.match(said, /"status":"completed"/)],
      ],
    });
    assert.match(vendors.asked[0]!.instructions + vendors.asked[0]!.prompt, /must name the rule/);
  },
);

void test("examples/README.md: what it says to type starts each example", { timeout: TEST_MS }, async (t) => {
  const ask = async (reader: Reader, response: object) => {
    const id = await until(
      "the question",
      () => [...reader.shown().matchAll(/Answer it here: .*(tsk_\w+)/g)].at(-1)?.[1],
    );
    await reader.call("POST", `/api/tasks/${id}/complete`, { response });
  };
  await follow(t, {
    page: "examples/README.md",
    isRunning: true,
    env: { PORT: String(await freePort()) },
    instead: { "npm run example:mcp": ({ url }) => `SERVICE_URL=${url} npm run example:mcp` },
    after: [
      ["example:callback-receiver", async (reader) => ask(reader, { publish: true })],
      [
        "example:mcp",
        async (reader) => {
          await until("its question", () => [...reader.shown().matchAll(/Answer it here/g)].length === 2);
          await ask(reader, { choice: "deploy" });
          await until("its answer", () => reader.shown().includes('completed: {"choice":"deploy"}'));
        },
      ],
    ],
  });
});

void test(
  "README.md: its two commands, the demo, and the program on its first screen",
  { timeout: TEST_MS },
  async (t) => {
    const idIn = (reader: Reader) => /tsk_\w+/.exec(reader.shown())?.[0];
    const reader = await follow(t, {
      page: "README.md",
      after: [
        [
          "service -- demo",
          async (reader) => {
            const id = await until("the question of the demo", () => idIn(reader));
            const { response_schema: schema } = await reader.call<{ response_schema: { required: string[] } }>(
              "GET",
              `/api/tasks/${id}`,
            );
            assert.deepEqual(schema.required, ["approved"]);
            await reader.call("POST", `/api/tasks/${id}/complete`, { response: { approved: true } });
            await until("the end of the demo", () => /approved"?: true/.test(reader.shown()));
          },
        ],
      ],
    });
    const agent = spawn(process.execPath, ["agent.mts"], {
      cwd: reader.folder,
      // It finds the service as the reader's programs do.
      env: { PATH: process.env["PATH"], HOME: join(reader.folder, "home") },
    });
    const ended = once(agent, "exit");
    const task = await until("the question", async () =>
      (await reader.call<{ id: string }[]>("GET", "/api/tasks?terminal=false&q=Mia")).at(0),
    );
    await reader.call("POST", `/api/tasks/${task.id}/complete`, { response: { approved: true } });
    const [code] = (await ended) as [number];
    assert.equal(code, 0);
  },
);

void test(
  "docs/configuration.md: the doctor, and every setting that the service knows",
  { timeout: TEST_MS },
  async (t) => {
    await follow(t, { page: "docs/configuration.md", isRunning: true });
    const page = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
    assert.deepEqual(
      [...KNOWN_NAMES]
        .map((name) => name.replace(/VERIFIER_[A-Z]+_BASE/, "VERIFIER_<PROVIDER>_BASE"))
        .filter((name) => !page.includes(name)),
      [],
    );
  },
);

void test(
  "adapters/examples/langgraph/README.md: a graph that is interrupted, and resumed",
  { timeout: TEST_MS },
  async (t) => {
    // The first time that takes longer than a reader is waited for.
    ensureInstalled("adapters");
    await follow(t, {
      page: "adapters/examples/langgraph/README.md",
      env: { PORT: String(await freePort()) },
      after: [
        [
          "example:langgraph",
          async (reader) => {
            const id = await until("the question", () => /tsk_\w+/.exec(reader.shown())?.[0]);
            const task = await reader.call<{ response_schema: { required: string[] } }>("GET", `/api/tasks/${id}`);
            assert.deepEqual(task.response_schema.required, ["approved"]);
            await reader.call("POST", `/api/tasks/${id}/complete`, { response: { approved: true } });
            await until("what became of the refund", () => /refunded|paid/i.test(reader.shown().split(id)[1] ?? ""));
          },
        ],
      ],
    });
  },
);
