import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RESUME_KINDS } from "../../src/resume/registered.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { APP_KEY } from "../support/engines/github.ts";
import { follow, type Plan } from "../support/guide.ts";

/** What does not end by then hangs. */
const TEST_MS = 300_000;

type Step = NonNullable<Plan["after"]>[number];
const CONNECTED: Step = ["api/connections", (_reader, said) => assert.match(said, /"id":"con_\w+"/)];
const WAITS: Step = ["api/tasks", (_reader, said) => assert.match(said, /"status":"waiting"/)];
const ASKS: Step = ["-X PATCH", (_reader, said) => assert.match(said, /"asks":\{"agent_id":"agt_/)];

/** The pages of kinds, and which of the steps they type. Others show a request in the program of the engine. */
const PAGES: Readonly<Record<string, readonly Step[]>> = {
  "docs/resume/url.md": [WAITS],
  "docs/resume/temporal.md": [CONNECTED, WAITS],
  "docs/resume/langgraph.md": [CONNECTED, WAITS],
  "docs/resume/inngest.md": [CONNECTED, WAITS],
  "docs/resume/ag-ui.md": [CONNECTED, WAITS],
  "docs/resume/github.md": [CONNECTED, ASKS],
  "docs/resume/step-functions.md": [CONNECTED],
  "docs/resume/cloudflare.md": [CONNECTED],
  "docs/resume/camunda.md": [CONNECTED, WAITS],
  "docs/resume/a2a.md": [CONNECTED, WAITS],
};

void test("every kind of engine has a page", () => {
  assert.deepEqual(Object.keys(PAGES).toSorted(), RESUME_KINDS.map(({ name }) => `docs/resume/${name}.md`).toSorted());
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
  "docs/resume.md: a connection, a probe, and a task that resumes something",
  { timeout: TEST_MS },
  async (t) => {
    const reader = await follow(t, {
      page: "docs/resume.md",
      isRunning: true,
      after: [
        ["tee connection.json", CONNECTED[1]],
        ["/probe", (_reader, said) => assert.match(said, /\{"ok":false,"detail":"/)],
        WAITS,
      ],
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
