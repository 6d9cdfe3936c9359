import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { RESUME_KINDS } from "../../src/resume/registered.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { APP_KEY } from "../support/engines/github.ts";
import { freePort } from "../support/free-port.ts";
import { follow, until, type Plan, type Reader } from "../support/guide.ts";

/** What does not end by then hangs. */
const TEST_MS = 300_000;

type Step = NonNullable<Plan["after"]>[number];
const CONNECTED: Step = ["api/connections", (_reader, said) => assert.match(said, /"id":"con_\w+"/)];
/** Of a page with other requests about connections. */
const CREATED: Step = ["tee connection.json", CONNECTED[1]];
const WAITS: Step = ["api/tasks", (_reader, said) => assert.match(said, /"status":"waiting"/)];
/** Of a page that gives a role first. */
const JOINS: Step = ["users add", (_reader, said) => assert.match(said, /lee@example\.com/)];
const ASKS: Step = ["-X PATCH", (_reader, said) => assert.match(said, /"asks":\{"agent_id":"agt_/)];

/** The other pages of kinds, and which of the steps they type. Others show a request in the program of the engine. */
const PAGES: Readonly<Record<string, readonly Step[]>> = {
  "docs/resume/temporal.md": [CONNECTED, WAITS],
  "docs/resume/langgraph.md": [CONNECTED, WAITS],
  "docs/resume/mastra.md": [CONNECTED, WAITS],
  "docs/resume/inngest.md": [CONNECTED, WAITS],
  "docs/resume/ag-ui.md": [CONNECTED, WAITS],
  "docs/resume/github.md": [CONNECTED, JOINS, ASKS],
  "docs/resume/step-functions.md": [CONNECTED],
  "docs/resume/cloudflare.md": [CONNECTED],
  "docs/resume/camunda.md": [CONNECTED, WAITS],
  "docs/resume/a2a.md": [CONNECTED, WAITS],
};

void test("every kind of engine has a page", () => {
  assert.deepEqual(
    ["docs/resume/url.md", ...Object.keys(PAGES)].toSorted(),
    RESUME_KINDS.map(({ name }) => `docs/resume/${name}.md`).toSorted(),
  );
});

for (const [page, after] of Object.entries(PAGES))
  void test(`${page}: its connection and its task are accepted`, { timeout: TEST_MS }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "app-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const key = join(folder, "app.pem");
    writeFileSync(key, APP_KEY);
    const instead = page.endsWith("github.md") ? { "cat app.pem": `cat ${key}` } : {};
    await follow(t, { page, isRunning: true, instead, after });
  });

void test(
  "docs/resume/url.md: its receiver shows the answers, and its function creates one task for a key",
  { timeout: TEST_MS },
  async (t) => {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const reader = await follow(t, {
      page: "docs/resume/url.md",
      isRunning: true,
      instead: { "4000": port },
      after: [["createServer", async () => until("the receiver", () => fetch(url).catch(() => null))], WAITS],
    });
    await answerIt(reader, "/resume/november", { approved: true });

    Object.assign(process.env, { SERVICE_URL: reader.url, SERVICE_TOKEN: reader.token() });
    const program = pathToFileURL(join(reader.folder, "create-task.ts")).href;
    const { createTask } = (await import(program)) as Record<
      "createTask",
      (title: string, url: string, key: string) => Promise<void>
    >;
    await createTask("December", `${url}/resume/december`, "run_1/publish");
    // A run that is retried.
    await createTask("December", `${url}/resume/december`, "run_1/publish");
    await answerIt(reader, "/resume/december", { approved: false });
    assert.equal((await reader.call<TaskRecord[]>("GET", "/api/tasks")).length, 2);
    await assert.rejects(createTask("December", "no address", "run_2/publish"), /The service answered 422/);
  },
);

/** Answers the one open task of a reader, whose receiver shows the answer then, on a line of its own. */
async function answerIt({ call, shown }: Reader, path: string, response: object): Promise<void> {
  const [task, ...others] = await call<TaskRecord[]>("GET", "/api/tasks?status=created");
  assert.deepEqual(others, []);
  await call("POST", `/api/tasks/${task!.id}/complete`, { response });
  await until("the answer at the receiver", async () => {
    const { resume } = await call<TaskRecord>("GET", `/api/tasks/${task!.id}`);
    return resume![0]!.status === "done" && shown().includes(`\nPOST ${path} ${JSON.stringify(response)}\n`);
  });
}

void test(
  "docs/resume.md: a connection, a probe, and a task that resumes something",
  { timeout: TEST_MS },
  async (t) => {
    const reader = await follow(t, {
      page: "docs/resume.md",
      isRunning: true,
      after: [CREATED, ["/probe", (_reader, said) => assert.match(said, /\{"ok":false,"detail":"/)], WAITS],
    });
    const [task] = await reader.call<TaskRecord[]>("GET", "/api/tasks");
    assert.equal(task!.idempotency_key, "newsletter-november");
  },
);

void test("docs/events.md: a subscription, and a new secret for it", { timeout: TEST_MS }, async (t) => {
  await follow(t, {
    page: "docs/events.md",
    isRunning: true,
    after: [
      ["subscription.json", (_reader, said) => assert.match(said, /"secret":"whsec_[A-Za-z0-9+/]{43}="/)],
      ["/rotate", (_reader, said) => assert.match(said, /"rotated_at":"\d/)],
    ],
  });
});
