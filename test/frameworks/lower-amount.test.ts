import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { testInBrowser, type Open } from "../browser/support/browser.ts";
import { signIn } from "../browser/support/sign-in.ts";
import { addAgent, addOperator, serve, type Service } from "../support/dashboard.ts";
import { freePort } from "../support/free-port.ts";
import { startModel } from "../support/model.ts";
import { openPage } from "../support/page-programs.ts";
import { PlainPage } from "../support/plain-page.ts";
import { watchProgram, type RunningProgram } from "../support/program.ts";
import { PAYLOAD_KEY, WEBHOOK_KEY } from "../support/service.ts";
import { personIn } from "../support/slack-person.ts";
import { said } from "../support/slack-service.ts";
import { startSlack, type Slack } from "../support/slack.ts";
import type { Post } from "../support/slack/workspace.ts";
import { startSmtp, type TestSmtp } from "../support/smtp.ts";
import type { Start } from "./host.ts";

const DANA = "dana@example.com";
/** What the programs of the pages ask about. */
const ASKED = { order: "48219", amount: 90 };
/** What Dana makes of the amount. */
const LOWERED = 50;
/** What a program prints, in words that only its tool has. */
const REFUNDED = /\b(\d+) EUR of 48219 were refunded/;
/** The pages of docs/frameworks with a program `refund.ts`. */
const PAGES = ["ai-sdk", "langgraph", "openai-agents", "mastra", "ag-ui"] as const;
/** A test that takes longer hangs. */
const TEST_MS = 300_000;

/** A service that tells Dana of questions by email and in Slack, and the programs that ask. */
interface Stage {
  service: Service;
  slack: Slack;
  smtp: TestSmtp;
  programs: RunningProgram;
  /** Rejects with the output of the programs, once one of them fails. */
  failed(): Promise<never>;
  /** Starts a program, which listens on a port of its own. */
  start(url: string, env?: Record<string, string>): Promise<void>;
}

/** A question of a program, as it reached Dana. */
interface Asked {
  id: string;
  post: Post;
  /** The link in the email that leads to the form for an edit. */
  link: string;
}

testInBrowser(
  "agents of five pages, copied as they are, run with the amount that a person lowered on each surface",
  async (open, t) => {
    const stage = await prepare(t);
    const surfaces = await surfacesOf(stage, open);
    let count = 0;
    for (const page of PAGES) {
      const programs = openPage(t, `frameworks/${page}.md`);
      const program = pathToFileURL(programs.path("refund.ts")).href;
      const env: Record<string, string> = {};
      if (page === "ag-ui") {
        // The page has an agent for the program. With other frameworks, the program is the agent.
        await stage.start(pathToFileURL(programs.path("agent.ts")).href);
        env["AGENT_URL"] = (await stage.programs.says(/^The agent is at (\S+)$/))[1]!;
      }
      for (const [surface, lower] of Object.entries(surfaces))
        await t.test(`${page}: ${surface}`, async () => {
          const nth = count++;
          const from = stage.programs.lines.length;
          // A module that is loaded from another URL runs again.
          await stage.start(`${program}?${nth}`, env);
          const asked = await Promise.race([askedOf(stage, nth), stage.failed()]);
          await lower(asked);
          const [, ran] = await stage.programs.says(REFUNDED, from);
          assert.equal(ran, String(LOWERED));
          const { response, completed_via_channel, decided_by } = await stage.service.call<TaskRecord>(
            "GET",
            `/api/tasks/${asked.id}`,
          );
          assert.deepEqual(response, {
            decision: "edit",
            args: { ...ASKED, amount: LOWERED },
            patch: [{ op: "replace", path: "/amount", value: LOWERED }],
          });
          assert.deepEqual([completed_via_channel, decided_by?.name], [surface, "dana"]);
        });
    }
    // Each of them refunded once.
    assert.equal(stage.programs.lines.filter((line) => REFUNDED.test(line)).length, count);
    assert.deepEqual(stage.slack.failures, []);
  },
);

async function prepare(t: TestContext): Promise<Stage> {
  // This process is busy: how fast the service answers Slack is not shown here.
  const slack = await startSlack({ ackMs: TEST_MS });
  t.after(() => slack.close());
  slack.addChannel({ name: "finance" });
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const port = String(await freePort());
  const service = await serve(t, {
    SERVICE_PORT: port,
    SERVICE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
    SERVICE_EMAIL_FROM: "Desk <desk@example.com>",
    SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}`,
    SERVICE_SLACK_BOT_TOKEN: slack.token,
    SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
    SERVICE_SLACK_API_URL: slack.apiUrl,
  });
  slack.sendTo(service.url);
  await addOperator(service, DANA);
  const { token } = await addAgent(service, "refunds-bot");
  const host = fork(join(import.meta.dirname, "host.ts"), {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      PATH: process.env["PATH"],
      // Tests of adapters load the same frameworks.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      SERVICE_URL: service.url,
      SERVICE_TOKEN: token,
      WEBHOOK_KEY,
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      // The model of the pages about the AI SDK and OpenAI Agents.
      ...(await startModel(t, "refund", ASKED)),
    },
  });
  const programs = watchProgram(t, host);
  return {
    service,
    slack,
    smtp,
    programs,
    failed: async () => {
      await programs.ended;
      assert.fail(programs.lines.join("\n"));
    },
    start: async (url, env) => {
      const message: Start = { url, env: { ...env, PORT: String(await freePort()) } };
      host.send(message);
    },
  };
}

/** Returns the question of the nth run, once it has reached Dana everywhere. */
async function askedOf({ slack, smtp }: Stage, nth: number): Promise<Asked> {
  const post = await slack.until(() => slack.posts[nth]);
  const { text = "" } = await smtp.to(DANA, nth);
  const [, link, id] = /^\* Edit…\n(\S+\/(tsk_\w+)\S*)$/m.exec(text) ?? [];
  assert.ok(link !== undefined && id !== undefined, text);
  assert.ok(JSON.stringify(post.blocks).includes(id), "the email and the message are about one task");
  return { id, post, link };
}

/** Returns how Dana lowers the amount, by the channel that the task then names. */
async function surfacesOf(
  { service, slack }: Stage,
  open: Open,
): Promise<Record<string, (asked: Asked) => Promise<void>>> {
  const amount = String(LOWERED);
  const page = await open();
  const dana = personIn(slack, slack.addUser({ name: "dana", email: DANA }));
  return {
    dashboard: async ({ id }) => {
      await signIn(page, service, DANA, `/tasks/${id}`);
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("textbox", { name: "Amount" }).fill(amount);
      await page.getByRole("button", { name: "Approve with changes" }).click();
      await page.getByText("Answer sent").waitFor();
    },
    slack: async ({ post }) => {
      const view = await dana.open(post, "answer:open:1");
      const { errors, blocked } = await dana.submit(view, { "/args/amount": amount });
      assert.deepEqual([errors, blocked], [{}, []]);
      await slack.until(() => said(post).includes(`90 → ${amount}`));
    },
    email: async ({ link }) => {
      const form = await new PlainPage(link).open();
      assert.equal(form.fields()["/args/amount"], "90");
      await form.post({ "/args/amount": amount });
      assert.equal(form.status, 200, form.text);
      assert.ok(form.text.includes(`90 → ${amount}`), form.text);
    },
  };
}
