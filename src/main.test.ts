import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../test/support/free-port.ts";
import { NEEDED } from "./node-version.mjs";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

interface Run {
  process: ChildProcess;
  text: { out: string; err: string };
  /** Resolves with the exit code once everything that was printed has been read. */
  end: Promise<number | null>;
}

function run(args: string[], env: Record<string, string> = {}, command = process.execPath): Run {
  const child = spawn(command, args, { env, cwd: here("..") });
  const text = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (text.out += String(chunk)));
  child.stderr.on("data", (chunk) => (text.err += String(chunk)));
  return { process: child, text, end: once(child, "close").then(([code]) => code as number | null) };
}

async function readPackage() {
  return JSON.parse(await readFile(here("../package.json"), "utf8")) as {
    engines: { node: string };
    scripts: Record<string, string>;
  };
}

async function emptyDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "main-test-"));
  t.after(() => rm(dataDir, { recursive: true }));
  return dataDir;
}

test("a Node that is too old is told so in a sentence, before anything it cannot read", async () => {
  for (const version of ["20.20.2", "24.18.9"]) {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`;
    const { text, end } = run(["--import", pretend, "--import", here("node-version.mjs"), here("main.ts")]);
    assert.equal(await end, 1);
    assert.match(
      text.err,
      new RegExp(`^This service needs Node 24\\.19 or newer; this is Node ${version}\\.[^\n]*\n$`),
    );
  }
});

test("the version that is asked for is the one of package.json, and npm start checks it first", async () => {
  const { engines, scripts } = await readPackage();
  assert.equal(engines.node, `>=${NEEDED.join(".")}`);
  for (const name of ["start", "service"])
    assert.match(scripts[name]!, /^(exec )?node --max-semi-space-size=16 --import \.\/src\/node-version\.mjs /);
});

test("settings that cannot work stop the start with every problem, and without a stack", async () => {
  const { text, end } = run([here("main.ts")], { SERVICE_PORT: "x", SERVICE_LOG_LEVEL: "loud" });
  assert.equal(await end, 1);
  assert.match(text.err, /SERVICE_PORT.*\n.*SERVICE_LOG_LEVEL/);
  assert.doesNotMatch(text.err, /\n\s+at /);
});

test(
  "a signal that comes twice stops the service once, and whoever waits is answered",
  { timeout: 45_000 },
  async (t) => {
    const dataDir = await emptyDataDir(t);
    const token = "a-token-for-this-test";
    // As npm runs it: a shell in between that kept the signal for itself would leave the service behind.
    const { scripts } = await readPackage();
    const env = { SERVICE_DATA_DIR: dataDir, SERVICE_PORT: "0", SERVICE_ADMIN_API_TOKEN: token };
    const service = run(["-c", scripts["start"]!], { PATH: dirname(process.execPath), ...env }, "/bin/sh");
    t.after(() => service.process.kill("SIGKILL"));
    const base = await addressOf(service);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const created = await fetch(`${base}/api/tasks`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        task: "Approve?",
        payload: {},
        payload_schema: { type: "object" },
        response_schema: { type: "object" },
        timeout_seconds: 60,
        idempotency_key: "k",
      }),
    });
    const { id } = (await created.json()) as { id: string };
    const poll = fetch(`${base}/api/tasks/${id}/poll?timeout=60`, { headers });
    await untilWaiting(base, headers);

    service.process.kill("SIGTERM");
    service.process.kill("SIGTERM");
    const answer = await poll;
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { status: string }).status, "created");
    assert.equal(await service.end, 0);
    assert.equal(service.text.out.split('"msg":"Stopping"').length, 2);
    assert.match(service.text.out, /"msg":"Stopped"/);
  },
);

test("the command line says what it can do, and refuses what it cannot", async (t) => {
  const help = run([here("cli.ts"), "help"]);
  assert.equal(await help.end, 0);
  assert.match(help.text.out, /migrate/);

  const unknown = run([here("cli.ts"), "nonsense"]);
  assert.equal(await unknown.end, 2);
  assert.equal(unknown.text.out, "");
  assert.match(unknown.text.err, /There is no command "nonsense"[^]*migrate/);

  const migrate = run([here("cli.ts"), "migrate"], { SERVICE_DATA_DIR: await emptyDataDir(t) });
  assert.equal(await migrate.end, 0);
  assert.equal(migrate.text.out, "The database is up to date.\n");
});

test("each command describes itself, and a mistake is answered with how the command is typed", async () => {
  const command = async (...args: string[]) => {
    const { text, end } = run([here("cli.ts"), ...args]);
    return { code: await end, ...text };
  };
  const asked = await Promise.all([command("users", "set", "--help"), command("help", "users", "set")]);
  for (const { code, out, err } of asked) {
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^npm run service -- users set --email <address> [^]*--operator <yes\|no> +whether/);
    assert.doesNotMatch(out, /users add|webhook-key/);
  }
  const group = await command("keys", "--help");
  assert.equal(group.code, 0);
  assert.match(group.out, /keys create --name <what for>[^]*keys revoke <id>/);

  const mistakes: readonly [args: string[], says: RegExp][] = [
    [["keys", "revok", "key_1"], /^There is no command "keys revok"\. \(Did you mean revoke\?\)\n\n {2}keys list\n/],
    [["keys"], /^There is no command "keys"\.\n\n {2}keys list\n/],
    [["keys", "revoke"], /^"keys revoke" takes the id of the key, and nothing else\.\n\n/],
    [["keys", "list", "more"], /^"keys list" takes no arguments, only options\.\n\n/],
    [["users", "list", "--al"], /^Unknown option '--al'\. \(Did you mean --all\?\)\n\n/],
    [["users", "add", "--email"], /^Option '--email <address>' argument missing\.\n\n/],
    [["users", "add", "--email", ""], /^--email is missing\.\n\n {2}users list /],
    [["users", "add"], /^--email is missing\.\n\n {2}users list /],
    [["help", "users", "nonsense"], /^There is no command "users nonsense"\.\n\n/],
  ];
  for (const [args, says] of mistakes) {
    const { code, out, err } = await command(...args);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.match(err, says);
  }
});

const SECRETS = {
  SERVICE_ADMIN_API_TOKEN: "test-admin-token-0123456789",
  SERVICE_SECRET_KEY: "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=",
};

test("the command line prints the key that receivers check callbacks with, and makes none up", async (t) => {
  const payloadKey = "tlR5UCElY4QIjThpO4TlL1GzTzXrQQJYa3BtvZ0FOBQ";
  const given = run([here("cli.ts"), "webhook-key"], { SERVICE_PAYLOAD_KEY: payloadKey, ...SECRETS });
  assert.equal(await given.end, 0);
  const key = Buffer.from(given.text.out.trim(), "base64");
  assert.equal(
    createHmac("sha256", key).update('{"task":"x"}').digest("hex"),
    "eec51be281af1c96d2fcecf31388838811c3b2c66fa34f8a5c2debaaafbc6d33",
  );

  const previous = Buffer.alloc(32, 1).toString("base64");
  const env = { SERVICE_PAYLOAD_KEY: payloadKey, SERVICE_PAYLOAD_KEY_PREVIOUS: previous, ...SECRETS };
  const both = run([here("cli.ts"), "webhook-key", "--standard"], env);
  assert.equal(await both.end, 0);
  const [current, second, ...more] = both.text.out.trim().split("\n");
  assert.equal(current, `whsec_${key.toString("base64")}`);
  assert.match(second!, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(more, []);
  assert.match(both.text.err, /second one the previous key/);

  const none = run([here("cli.ts"), "webhook-key"], { SERVICE_DATA_DIR: await emptyDataDir(t) });
  assert.equal(await none.end, 1);
  assert.equal(none.text.out, "");
  assert.match(none.text.err, /secrets\.json does not exist yet/);
});

async function addressOf({ process: child, text }: Run): Promise<string> {
  for (;;) {
    const address = /"address":"([^"]+)"/.exec(text.out)?.[1];
    if (address !== undefined) return address;
    assert.equal(child.exitCode, null, text.err);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function untilWaiting(base: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${base}/metrics`, { headers })).text();
    if (/polls_waiting\S* 1\n/.test(metrics)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("the command line looks after people, with and without a service that runs", { timeout: 600_000 }, async (t) => {
  const dataDir = await emptyDataDir(t);
  const env = { SERVICE_DATA_DIR: dataDir, SERVICE_PORT: String(await freePort()) };
  const command = async (args: string[], input = "") => {
    const { process: child, text, end } = run([here("cli.ts"), ...args], env);
    child.stdin!.end(input);
    return { code: await end, ...text };
  };
  const early = await command(["users", "list"]);
  assert.equal(early.code, 1);
  assert.match(early.err, /The first start creates it/);

  const service = run([here("main.ts")], env);
  t.after(() => service.process.kill("SIGKILL"));
  const base = await addressOf(service);
  const made = await command(
    ["create-operator", "--email", "ada@example.com", "--name", "Ada"],
    "correct horse battery\n",
  );
  assert.match(made.out, /^ada@example\.com is now an operator \(usr_\w+\)\.\n$/, made.err);
  const login = await fetch(`${base}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com", password: "correct horse battery" }),
  });
  assert.equal(login.status, 200);
  const last = await command(["users", "deactivate", "--email", "ada@example.com"]);
  assert.deepEqual([last.code, last.out], [1, ""]);
  assert.match(last.err, /^This is the last operator/);

  service.process.kill("SIGTERM");
  assert.equal(await service.end, 0);
  assert.match(
    (await command(["users", "add", "--email", "dana@example.com", "--role", "approver"])).out,
    /^Added dana@example\.com \(usr_/,
  );
  assert.match(
    (await command(["users", "set", "--email", "DANA@example.com", "--role", "", "--pool", "refunds"])).out,
    /dana@example\.com +- +no +- +- +refunds/,
  );
  const invited = await command(["users", "add", "--email", "lee@example.com", "--invite"]);
  assert.match(
    invited.out,
    /\/invitation#token=hts_invite_\w+[\s\S]*The link is shown only once[\s\S]*Added lee@/,
    invited.err,
  );
  const again = await command(["users", "invite", "--email", "lee@example.com"]);
  assert.match(again.out, /\/invitation#token=hts_invite_/, again.err);
  const weak = await command(["users", "set-password", "--email", "dana@example.com"], "password1");
  assert.match(weak.err, /password: This is one of the passwords/);
  const reset = () => command(["users", "reset-passkeys", "--email", "Dana@example.com"]);
  assert.equal((await reset()).out, "Dana@example.com has no passkeys.\n");
  const writable = new DatabaseSync(join(dataDir, "service.db"));
  writable.exec(
    `insert into passkeys
       select 'psk_1', 'c1', id, 'localhost', 'key', 0, '[]', 'Phone', 0, null from users where email_key = 'dana@example.com'`,
  );
  writable.close();
  assert.match((await reset()).out, /^Removed from Dana@example\.com: Phone\. All sessions are signed out\./);
  assert.equal((await reset()).out, "Dana@example.com has no passkeys.\n");
  const key = await command(["keys", "create", "--name", "Shop"]);
  assert.match(key.out, /^hsk_[\w-]{43}\n/);
  const id = /key_\w+/.exec(key.out)![0];
  assert.match((await command(["keys", "revoke", id])).out, /^key_\w+ is revoked\.\n$/);
  assert.match((await command(["keys", "list"])).out, new RegExp(`${id} +Shop .*Z\\n$`));
  for (const wrong of [
    ["users"],
    ["users", "fly"],
    ["users", "add"],
    ["keys", "create", "--nme", "x"],
    ["keys", "revoke"],
  ]) {
    const { code, out } = await command(wrong);
    assert.deepEqual([code, out], [2, ""], wrong.join(" "));
  }

  // The first of them went through the service, which knows the command line by its name only.
  const database = new DatabaseSync(join(dataDir, "service.db"), { readOnly: true });
  const created = database.prepare(
    "select actor_kind, user_agent from security_events where type = 'user_created' order by id",
  );
  const seen = created.all().map((row) => [row["actor_kind"], String(row["user_agent"]).endsWith("(command line)")]);
  database.close();
  assert.deepEqual(seen, [
    ["admin_token", true],
    ["command_line", true],
    ["command_line", true],
  ]);
});
