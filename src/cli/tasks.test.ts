import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
/** What does not end by then hangs. */
const TEST_MS = 180_000;

interface Person {
  home: string;
  /** Runs a command to its end, as this person does. */
  run: (...args: string[]) => Promise<{ code: number | null; out: string; err: string }>;
  /** Runs `demo`, and gives the id of what its agent asks. */
  demo: () => Promise<{ id: string; out: () => string; err: () => string; stop: () => Promise<number | null> }>;
}

/** Somebody with an empty home on a machine where nothing runs yet. */
function person(t: TestContext, more: Record<string, string> = {}): Person {
  const home = mkdtempSync(join(tmpdir(), "person-"));
  const demos: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const stop of demos) await stop();
    rmSync(home, { recursive: true });
  });
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: join(home, "data"),
    ...more,
  };
  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    const end = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, end };
  };
  return {
    home,
    run: async (...args) => {
      const { child, end } = start(args);
      const [code, out, err] = await Promise.all([end, text(child.stdout), text(child.stderr)]);
      return { code, out: out.trim(), err: err.trim() };
    },
    demo: async () => {
      const { child, end } = start(["demo"]);
      const stop = async () => {
        child.kill("SIGTERM");
        return end;
      };
      demos.push(stop);
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk) => (out += String(chunk)));
      const id = await new Promise<string>((resolve, reject) => {
        child.stderr.on("data", (chunk) => {
          err += String(chunk);
          const found = /\/tasks\/(tsk_\w+)\n/.exec(err)?.[1];
          if (found !== undefined) resolve(found);
        });
        void end.then((code) => reject(new Error(`demo ended with ${code}: ${err}`)));
      });
      return { id, out: () => out, err: () => err, stop };
    },
  };
}

test(
  "the demo starts a service, asks, and prints the typed answer; tasks are asked and answered beside it",
  { timeout: TEST_MS },
  async (t) => {
    const { home, run, demo } = person(t);
    const none = await run("tasks", "list");
    assert.deepEqual([none.code, none.out], [1, ""]);
    assert.match(none.err, /No service was found/);

    const shown = await demo();
    assert.match((await run("tasks", "list")).out, new RegExp(`^id .*\n${shown.id} +created .*Mia Keller`));
    // The agent cannot answer itself: that needs the admin token, which only the data directory has.
    const stranger = person(t, { HOME: home });
    const itself = await stranger.run("tasks", "answer", shown.id, '{"approved":true}');
    assert.equal(itself.code, 1);
    assert.match(itself.err, /AGENT_SCOPE_MISSING/);
    const wrong = await person(t, { HOME: home, SERVICE_ADMIN_API_TOKEN: "wrong" }).run(
      "tasks",
      "answer",
      shown.id,
      "true",
    );
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /HTTP 401.*\n.*The admin token came from SERVICE_ADMIN_API_TOKEN\.$/s);
    const answered = await run(
      "tasks",
      "answer",
      shown.id,
      '{"approved":true,"note":"Sorry."}',
      "--email",
      "dana@example.com",
    );
    assert.deepEqual([answered.code, answered.out], [0, "completed"]);
    while (!shown.err().includes("Press Ctrl+C to stop it.")) await new Promise(setImmediate);
    assert.match(shown.out(), /^\{ approved: true, note: 'Sorry\.' \}$/m);
    assert.match(shown.err(), /The agent pays the refund, and writes to her: "Sorry\."/);

    // Asked with a schema from a file, waited for, answered from another terminal.
    const schema = join(home, "schema.json");
    writeFileSync(schema, '{"type":"object","properties":{"version":{"type":"string"}},"required":["version"]}');
    const created = await run(
      "tasks",
      "create",
      "--task",
      "Which version?",
      "--schema",
      `@${schema}`,
      "--payload",
      '{"now":"1.2"}',
    );
    const id = created.out;
    const soon = await run("tasks", "watch", id, "--timeout", "0");
    assert.deepEqual([soon.code, soon.out], [1, ""]);
    assert.match(soon.err, /^Waiting for an answer until 20.*: Which version\?\nNo answer yet\.$/);
    assert.match(created.err, new RegExp(`^Asked: http://127\\.0\\.0\\.1:\\d+/tasks/${id}$`));
    const again = run(
      "tasks",
      "create",
      "--task",
      "Which version?",
      "--schema",
      `@${schema}`,
      "--payload",
      '{"now":"1.2"}',
      "--wait",
    );
    const refused = await run("tasks", "answer", id, '{"version":13}');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /\/response\/version/);
    assert.equal((await run("tasks", "answer", id, '{"version":"1.3"}')).code, 0);
    const waited = await again;
    assert.match(waited.err, /^Already asked: /);
    assert.deepEqual([waited.code, JSON.parse(waited.out)], [0, { version: "1.3" }]);
    assert.deepEqual(JSON.parse((await run("tasks", "watch", id)).out), { version: "1.3" });
    // Asked for a single value, which is then what is answered with and what is printed.
    const tags = '{"type":"array","items":{"$ref":"#/$defs/tag"},"$defs":{"tag":{"enum":["red","blue"]}}}';
    for (const [schema, value] of [
      ['{"type":"boolean"}', "true"],
      ['{"enum":["approve","reject"]}', '"reject"'],
      ['{"type":["number","null"]}', "null"],
      [tags, '["blue"]'],
    ] as const) {
      const asking = ["tasks", "create", "--task", `Which one? ${schema}`, "--schema", schema];
      const { out: one } = await run(...asking);
      const wrong = await run("tasks", "answer", one, '"green"');
      assert.deepEqual([wrong.code, /\/response\/value/.test(wrong.err)], [1, true], wrong.err);
      const waiting = run(...asking, "--wait");
      assert.deepEqual((await run("tasks", "answer", one, value)).out, "completed");
      assert.equal(JSON.stringify(JSON.parse((await waiting).out)), value);
      assert.equal(JSON.stringify(JSON.parse((await run("tasks", "watch", one)).out)), value);
    }
    const boolean = await run("tasks", "create", "--task", "And this?", "--schema", '{"type":"boolean"}');
    assert.equal((await run("tasks", "answer", boolean.out, '{"value":false}')).out, "completed");
    // An object that only looks like one of those is printed as it is.
    const own = '{"type":"object","properties":{"value":{}},"required":["value"],"additionalProperties":false}';
    const { out: like } = await run("tasks", "create", "--task", "And that?", "--schema", own);
    const bare = await run("tasks", "answer", like, "5");
    assert.deepEqual([bare.code, bare.out], [2, ""]);
    assert.match(bare.err, /The answer is not a JSON object/);
    assert.equal((await run("tasks", "answer", like, '{"value":5}')).code, 0);
    assert.deepEqual(JSON.parse((await run("tasks", "watch", like)).out), { value: 5 });
    // An action, with a flag of each kind.
    const args = '{"amount":90}';
    const about = ["--action", "refund", "--args", args, "--allowed", "approve,edit", "--editable", "/amount"];
    const { out: action } = await run("tasks", "create", ...about, "--risk", "high");
    assert.match(
      (await run("tasks", "show", action)).out,
      /^Run refund\?\n[^]*\nrefund \(high risk\)\n {2}Amount: 90\n/,
    );
    const byItself = await stranger.run("tasks", "decide", action, "approve");
    assert.deepEqual([byItself.code, /AGENT_SCOPE_MISSING/.test(byItself.err)], [1, true], byItself.err);
    const decided = await run(
      "tasks",
      "decide",
      action,
      "edit",
      "--args",
      '{"amount":45}',
      "--email",
      "dana@example.com",
    );
    assert.deepEqual((JSON.parse(decided.out) as { patch: unknown }).patch, [
      { op: "replace", path: "/amount", value: 45 },
    ]);
    assert.deepEqual(JSON.parse((await run("tasks", "watch", action)).out), JSON.parse(decided.out));
    const never = await run("tasks", "create", "--task", "Never?", "--schema", '{"not":{}}');
    assert.equal(never.code, 1);
    assert.match(never.err, /RESPONSE_SCHEMA_NOT_OBJECT/);
    assert.equal((await run("tasks", "list")).out, "None.");
    assert.match((await run("tasks", "list", "--all")).out, new RegExp(id));

    assert.equal(await shown.stop(), 0);
    assert.match((await run("tasks", "list")).err, /No service was found/);
  },
);

test("a command that is mistyped is told what is wrong, and nothing is asked", { timeout: TEST_MS }, async (t) => {
  const { run } = person(t);
  const wrong: readonly [args: string[], says: RegExp][] = [
    [["tasks"], /There is no command "tasks"\./],
    [["tasks", "create"], /--task is missing/],
    [["tasks", "create", "--task", "x", "--payload", "{"], /--payload is not JSON/],
    [["tasks", "create", "--task", "x", "--schema", "[]"], /--schema is not a JSON object/],
    [["tasks", "create", "--task", "x", "--schema", "@/none"], /no such file/],
    [["tasks", "create", "--task", "x", "--timeout", "1h"], /--timeout is "1h"; it takes whole seconds/],
    [["tasks", "answer", "tsk_1"], /takes the id of a task and the answer/],
    [["tasks", "watch"], /takes the id of a task/],
    [["tasks", "show"], /takes the id of a task/],
    [["tasks", "decide", "tsk_1"], /takes the id of a task and approve, edit, reject, respond or a JSON list/],
    [["tasks", "decide", "tsk_1", "allow"], /one of approve, edit, reject, respond, or a JSON list/],
    [["tasks", "create", "--action", "refund", "--schema", "{}"], /no --payload or --schema/],
    [["tasks", "watch", "tsk_1", "--timeout", "soon"], /it takes whole seconds/],
  ];
  for (const [args, says] of wrong) {
    const { code, out, err } = await run(...args);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.match(err, says);
    assert.match(err, /\n\n {2}tasks create/);
    assert.doesNotMatch(err, /webhook-key|Settings come/);
  }
});

test("a service without a local agent is found, and how to get a token is said", { timeout: TEST_MS }, async (t) => {
  const { home, run } = person(t);
  mkdirSync(join(home, ".human-task-service"));
  const there = { url: "http://127.0.0.1:1", public_url: "http://localhost:1", token: null, pid: process.pid };
  writeFileSync(join(home, ".human-task-service/service.json"), JSON.stringify(there));
  for (const command of [["demo"], ["tasks", "list"]]) {
    const { code, err } = await run(...command);
    assert.equal(code, 1);
    assert.match(err, /^There is no token for http:\/\/127\.0\.0\.1:1\. Set SERVICE_TOKEN\. .*agents create --name/);
  }
  assert.deepEqual(readdirSync(home), [".human-task-service"]);
});

test("the demo starts nothing that it could not find, or that was not meant", { timeout: TEST_MS }, async (t) => {
  for (const [env, says] of [
    [{ SERVICE_DISCOVERY_FILE: "0" }, /discovery file, which is off/],
    [{ SERVICE_URL: "http://127.0.0.1:1" }, /There is no token for http:\/\/127/],
  ] as const) {
    const { home, run } = person(t, env);
    const { code, err } = await run("demo");
    assert.equal(code, 1);
    assert.match(err, says);
    assert.deepEqual(readdirSync(home), []);
  }
});
