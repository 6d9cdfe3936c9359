import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { EMBED_ENV, PARENT } from "../support/embed.ts";
import { startFleet, type Fleet, type Reply, type Sent } from "../support/fleet.ts";
import { startHolders, webhookKeyOf, type Holder, type Holders } from "../support/key-holders.ts";
import { browser, PASSWORD } from "../support/people.ts";
import { postgres } from "../support/postgres.ts";
import { newTaskBody } from "../support/service.ts";
import { said } from "../support/slack-service.ts";
import { startSlack, type Slack } from "../support/slack.ts";
import { startSmtp, type TestSmtp } from "../support/smtp.ts";

/*
 * All three keys are rotated as docs/operating.md says, by restarts, while clients go on. Everything that was made before a
 * restart, by any process, is then used at any other.
 */

type Env = Record<string, string>;

const TEST_MS = 600_000;
const CLIENTS = 3;
const OPERATOR = { email: "root@example.com", password: PASSWORD };

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const OLD = { admin: "the-old-admin-token-0123456789", secret: keyOf(1), payload: keyOf(2) };
const NEW = { admin: "the-new-admin-token-0123456789", secret: keyOf(3), payload: keyOf(4) };
const envOf = ({ admin, secret, payload }: typeof OLD, end = ""): Env => ({
  [`SERVICE_ADMIN_API_TOKEN${end}`]: admin,
  [`SERVICE_SECRET_KEY${end}`]: secret,
  [`SERVICE_PAYLOAD_KEY${end}`]: payload,
});

const [OLD_WEBHOOK, NEW_WEBHOOK] = [webhookKeyOf(OLD.payload), webhookKeyOf(NEW.payload)];
const HOLDERS: Record<string, Holder> = {
  "old-key": { webhookKeys: [OLD_WEBHOOK], by: "client" },
  "old-key-library": { webhookKeys: [OLD_WEBHOOK], by: "library" },
  "old-key-older": { webhookKeys: [OLD_WEBHOOK], by: "older" },
  "new-key": { webhookKeys: [NEW_WEBHOOK], by: "client" },
  "new-key-library": { webhookKeys: [NEW_WEBHOOK], by: "library" },
  "both-keys": { webhookKeys: [NEW_WEBHOOK, OLD_WEBHOOK], by: "client" },
  "both-keys-older": { webhookKeys: [NEW_WEBHOOK, OLD_WEBHOOK], by: "older" },
};
const named = (start: string) => Object.keys(HOLDERS).filter((name) => name.startsWith(start));

/** What the test has at hand. */
interface Stage {
  fleet: Fleet;
  smtp: TestSmtp;
  slack: Slack;
  holders: Holders;
  /** An embed key. */
  embedKey: string;
  /** What agents send by now. */
  adminToken: string;
  /** The receivers that new tasks name. */
  receivers: string[];
  /** How often `make` was called. */
  made: number;
  /** Cookies, links and tokens that must work at every process, with what they are. */
  valid: { what: string; path: string; headers: Record<string, string> }[];
  /** Open pages of links, which are posted later. */
  pages: { task: string; path: string; form: Record<string, string> }[];
}

for (const [dialect, size] of [
  ["sqlite", 1],
  ["postgres", 2],
] as const)
  void test(
    `all keys are rotated under load, and nothing that was made before is lost (${dialect === "sqlite" ? "SQLite" : "two processes on PostgreSQL"})`,
    { timeout: TEST_MS },
    async (t) => {
      const { stage, env } = await setStage(t, dialect, size);
      const { fleet } = stage;
      const load = startLoad(stage);
      const makeAtEach = async () => {
        for (let process = 0; process < size; process++) await load.beside(make(stage, process));
        await load.settle();
      };
      await makeAtEach();
      const first = stage.valid.slice(0, 3);

      // 1: the new values are accepted before anything is made with them.
      const early = { SERVICE_SECRET_KEY_PREVIOUS: NEW.secret, SERVICE_ADMIN_API_TOKEN_PREVIOUS: NEW.admin };
      await fleet.roll({ ...envOf(OLD), ...early }, makeAtEach);
      for (let process = 0; process < size; process++)
        assert.equal((await asAgent(stage, NEW.admin, "/api/settings", {}, process)).status, 200);

      // 2: the values change places.
      const during = { ...envOf(NEW), ...envOf(OLD, "_PREVIOUS") };
      await fleet.roll(during, makeAtEach);

      // 3 and 4: settings are sealed again, agents and receivers get the new values.
      const sealed = await reseal({ ...env, ...during, SERVICE_PORT: new URL(fleet.urlOf(0)).port });
      assert.match(
        sealed,
        /^Encrypted again: [1-9]\d*\. Encrypted with the current SERVICE_SECRET_KEY: (\d+) of \1\.\n$/,
      );
      assert.match(await reseal({ ...env, ...during, SERVICE_PORT: new URL(fleet.urlOf(0)).port }), /again: 0\./);
      stage.adminToken = NEW.admin;
      stage.receivers = Object.keys(HOLDERS);
      await finishPages(stage, load);

      // 5: sessions and links that the old key has made have had their time, and people have new ones.
      stage.valid = [];
      await makeAtEach();
      stage.receivers = [...named("new"), ...named("both")];
      await load.settle();
      await fleet.roll(envOf(NEW), makeAtEach);
      await finishPages(stage, load);
      await load.end();

      const refused = await Promise.all(first.map(async ({ path, headers }) => fleet.send(path, { headers })));
      assert.deepEqual(
        refused.map(({ status }, index) => [first[index]!.what, status]),
        [
          ["session 1", 401],
          ["email link 1", 404],
          ["Slack link 1", 404],
        ],
      );
      assert.equal((await asAgent(stage, OLD.admin, "/api/settings")).status, 401);
      assert.deepEqual(stage.holders.refused, []);
    },
  );

async function setStage(t: TestContext, dialect: "sqlite" | "postgres", size: number) {
  const dataDir = mkdtempSync(join(tmpdir(), "rotation-"));
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  t.after(async () => {
    await database?.drop();
    rmSync(dataDir, { recursive: true });
  });
  const smtp = await startSmtp();
  const slack = await startSlack({ ackMs: TEST_MS });
  const holders = await startHolders(HOLDERS);
  for (const { close } of [smtp, slack, holders]) t.after(close);
  const env = {
    ...EMBED_ENV,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_DISCOVERY_FILE: "0",
    // Each sign-in has an address of its own, since so many from one would be too many.
    SERVICE_TRUSTED_PROXIES: "127.0.0.1",
    SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
    SERVICE_SLACK_API_URL: slack.apiUrl,
    ...(database && { SERVICE_DATABASE_URL: database.url }),
  };
  const fleet = await startFleet(t, size, env, envOf(OLD));
  const stage: Stage = {
    fleet,
    smtp,
    slack,
    holders,
    embedKey: "",
    adminToken: OLD.admin,
    receivers: [...named("old"), ...named("both")],
    made: 0,
    valid: [],
    pages: [],
  };
  const made = async (path: string, body: object) => {
    const { status, text } = await asAgent(stage, OLD.admin, path, { body });
    assert.ok([200, 201].includes(status), text);
    return JSON.parse(text) as { key?: string };
  };
  await made("/api/users", { ...OPERATOR, is_operator: true });
  await made("/api/channels/slack/installations", { bot_token: slack.token });
  stage.embedKey = (await made("/api/service-keys", { name: "Shop" })).key!;
  return { stage, env };
}

function asAgent({ fleet }: Stage, token: string, path: string, sent: Sent = {}, process?: number): Promise<Reply> {
  return fleet.send(path, { ...sent, headers: { ...sent.headers, authorization: `Bearer ${token}` } }, process);
}

interface Load {
  /** Waits for `work`. Rejects at once if a client fails, since what is waited for may never come then. */
  beside(work: Promise<void>): Promise<void>;
  /** Resolves once every client has done everything with what is valid by now. Rejects if a client has failed. */
  settle(): Promise<void>;
  end(): Promise<void>;
}

/** Clients that ask, answer as a person, and use everything that is valid, until the end. */
function startLoad(stage: Stage): Load {
  const rounds = Array.from({ length: CLIENTS }, () => 0);
  const waiting = new Set<() => void>();
  let isOver = false;
  const run = async (client: number) => {
    for (; !isOver; rounds[client]!++) {
      await round(stage, `${client}-${rounds[client]!}`);
      for (const look of waiting) look();
    }
  };
  const running = Promise.all(rounds.map((_, client) => run(client)));
  running.catch(() => {});
  const beside = async (work: Promise<void>) => void (await Promise.race([work, running]));
  return {
    beside,
    // Two rounds: the first one may have begun earlier.
    settle: async () => {
      const until = rounds.map((count) => count + 2);
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => rounds.every((count, client) => count >= until[client]!) && resolve();
      waiting.add(look);
      await beside(promise);
      waiting.delete(look);
    },
    end: async () => {
      isOver = true;
      await running;
    },
  };
}

/** A question for each receiver, with its answer and its callback; and everything that is valid works, wherever it was made. */
async function round(stage: Stage, name: string): Promise<void> {
  await Promise.all(stage.receivers.map(async (receiver) => ask(stage, receiver, `${name}-${receiver}`)));
  const check = async ({ what, path, headers }: Stage["valid"][number]) => {
    const { status, text } = await stage.fleet.send(path, { headers });
    assert.equal(status, 200, `${what}: ${text.slice(0, 300)}`);
  };
  await Promise.all(stage.valid.map(check));
}

async function ask(stage: Stage, receiver: string, idempotency_key: string): Promise<void> {
  const { fleet, holders } = stage;
  const body = newTaskBody({ idempotency_key, callback_url: holders.urlOf(receiver) });
  const created = await asAgent(stage, stage.adminToken, "/api/tasks", { body });
  assert.ok([200, 201].includes(created.status), created.text);
  const { id } = JSON.parse(created.text) as { id: string };
  const answer = { body: { response: { approved: true } } };
  const session = stage.valid.findLast(({ what }) => what.startsWith("session"));
  const path = `/api/tasks/${id}/complete`;
  const answered =
    session === undefined
      ? await asAgent(stage, stage.adminToken, path, answer)
      : await fleet.send(path, { ...answer, headers: session.headers });
  // Sent again after a restart, it may find itself done.
  assert.ok(answered.status === 200 || (answered.isRepeated && answered.status === 409), answered.text);
  await holders.accepted(id);
}

/** Has one process make one of everything that depends on a key. What was sealed is used by the messages. */
async function make(stage: Stage, process: number): Promise<void> {
  const { fleet, smtp, slack, valid, pages } = stage;
  const name = `${++stage.made}`;
  const call = async (path: string, token: string, body: object) => {
    const { status, text } = await asAgent(stage, token, path, { body }, process);
    assert.ok([200, 201].includes(status), text);
    return JSON.parse(text) as Record<string, string>;
  };
  const login = await fleet.send(
    "/api/auth/login",
    { body: OPERATOR, headers: { "x-forwarded-for": `203.0.113.${name}` } },
    process,
  );
  assert.equal(login.status, 200, login.text);
  valid.push({
    what: `session ${name}`,
    path: "/api/settings",
    headers: { ...browser(login.headers.get("set-cookie")!) },
  });

  await call("/api/channels/email/identities", stage.adminToken, {
    id: `desk-${name}`,
    display_name: "Desk",
    from_email: "desk@example.com",
    transport: "smtp",
    transport_config: { host: "127.0.0.1", port: smtp.port, user: "desk", password: "right" },
  });
  const member = slack.addUser({ name: `member-${name}` });
  const address = `dana-${name}@example.com`;
  // The first sender is as old as the installation in Slack: both were sealed with the first key.
  const notify = [`email+desk-1:${address}`, `email+desk-${name}:also-${address}`, `slack:${member.id}`];
  const body = newTaskBody({ notify, redact_payload: true });
  const { id } = (await call("/api/tasks", stage.adminToken, body)) as { id: string };
  const mails = await Promise.all([smtp.to(address), smtp.to(`also-${address}`)]);
  const [path, second] = mails.map(({ text }) => /\/api\/channels\/email\/action\/[\w.-]+/.exec(text ?? "")![0]);
  valid.push({ what: `email link ${name}`, path: path!, headers: {} });

  const post = await slack.until(() => slack.posts.find((one) => said(one).includes(id)));
  slack.sendTo(fleet.urlOf(process));
  const { failure } = await slack.click({ user: member, post, action_id: "answer:browser" });
  assert.equal(failure, null);
  // A busy process acknowledges the press before it has written the link.
  const whisper = await slack.until(() => slack.posts.find(({ ephemeral_to }) => ephemeral_to === member.id));
  const link = /\/api\/channels\/slack\/action\/[\w.-]+/.exec(JSON.stringify(whisper.blocks))![0];
  valid.push({ what: `Slack link ${name}`, path: link, headers: {} });

  const minted = await call("/api/embed/tokens", stage.embedKey, {
    task_id: id,
    parent_origin: PARENT,
    sub: "customer",
  });
  const headers = { authorization: `Bearer ${minted["embed_token"]}` };
  valid.push({ what: `embed token ${name}`, path: "/api/embed/task", headers });

  const page = await fleet.send(second!, {}, process);
  assert.equal(page.status, 200, page.text);
  const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const form = Object.fromEntries(hidden.map(([, field = "", value = ""]) => [field, value]));
  // The first task stays open, so that its links end with the key.
  if (stage.made > 1) pages.push({ task: id, path: second!, form: { ...form, "/approved": "true" } });
}

/** Posts the pages that were opened, each at any process. Their tasks end, and with them the links and tokens for them. */
async function finishPages(stage: Stage, load: Load): Promise<void> {
  stage.valid = stage.valid.filter(({ what }) => what.startsWith("session"));
  await load.settle();
  for (const { task, path, form } of stage.pages) {
    const headers = { "sec-fetch-site": "same-origin" };
    const posted = await stage.fleet.send(path, { form, headers });
    assert.equal(posted.status, 200, posted.text);
    const { text } = await asAgent(stage, stage.adminToken, `/api/tasks/${task}`);
    assert.equal((JSON.parse(text) as { status: string }).status, "completed");
  }
  stage.pages = [];
}

/** Runs the command as an operator does. */
async function reseal(env: Env): Promise<string> {
  const child = spawn(process.execPath, ["src/cli.ts", "reseal"], { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => (text += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, text);
  return text;
}
