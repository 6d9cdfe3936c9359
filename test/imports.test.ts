import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, normalize } from "node:path";
import { test } from "node:test";

/** Which rooms a room may import from, besides itself and what every room may: `config` and `errors`. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "mcp-route": ["tasks", "conversation", "people", "http", "lib", "mcp"],
  projects: ["people", "security", "http", "db", "lib"],
  hooks: ["tasks", "actions", "people", "security", "http", "db", "lib", "sdk"],
  files: ["conversation", "tasks", "outbound", "people", "http", "db", "lib"],
  calendars: ["projects", "people", "http", "db", "lib"],
  agents: ["tasks", "subscriptions", "people", "security", "http", "db", "lib"],
  channels: [
    "actions",
    "approvals",
    "conversation",
    "escalation",
    "tasks",
    "drawing",
    "deliveries",
    "people",
    "security",
    "http",
    "db",
    "lib",
  ],
  embed: [
    "actions",
    "approvals",
    "channels",
    "conversation",
    "tasks",
    "drawing",
    "deliveries",
    "people",
    "http",
    "db",
    "lib",
  ],
  dashboard: ["http", "lib"],
  audit: ["tasks", "people", "security", "http", "db", "lib"],
  operations: ["channels", "deliveries", "people", "security", "http", "db", "lib"],
  // What is decided about the calls of an agent's tools. It knows nothing of tasks.
  actions: ["http", "lib"],
  // How the decisions of several people come to one.
  approvals: ["actions", "people", "http", "db", "lib"],
  // What is said about tasks. It knows nothing of them.
  conversation: ["http", "db", "lib"],
  // What lists of tasks show, under a name.
  views: ["tasks", "people", "http", "db", "lib"],
  templates: ["escalation", "projects", "tasks", "people", "http", "db", "lib"],
  escalation: ["calendars", "people", "security", "http", "db", "lib"],
  tasks: [
    "actions",
    "approvals",
    "conversation",
    "escalation",
    "resume",
    "subscriptions",
    "deliveries",
    "people",
    "security",
    "verifier",
    "outbound",
    "http",
    "db",
    "lib",
  ],
  // What waits for tasks in other systems.
  connections: ["agents", "tasks", "resume", "people", "security", "outbound", "http", "db", "lib"],
  subscriptions: ["callbacks", "conversation", "deliveries", "people", "security", "outbound", "http", "db", "lib"],
  // How people learn that something waits for them, besides what tasks ask for.
  notifications: [
    "approvals",
    "calendars",
    "channels",
    "tasks",
    "deliveries",
    "people",
    "outbound",
    "http",
    "db",
    "lib",
  ],
  resume: ["callbacks", "deliveries", "outbound", "people", "http", "db", "lib"],
  callbacks: ["deliveries", "outbound", "db", "lib"],
  deliveries: ["people", "security", "http", "db", "lib"],
  people: ["security", "http", "db", "lib"],
  // Below people, so that they can record what they do. Operators read it through `operations`.
  security: ["http", "db", "lib"],
  drawing: ["http", "lib"],
  // Below the app: it does in a thread what others do with small bodies.
  "large-bodies": ["tasks", "http", "lib"],
  verifier: ["lib"],
  http: ["lib"],
  // A migration says which receiver an address leads to.
  db: ["outbound", "lib"],
  outbound: ["lib"],
  lib: [],
  threads: [],
  // Its server half matches patterns in a thread.
  "json-schema": ["threads"],
  form: ["json-schema", "languages"],
  // Texts in the language of their reader.
  languages: [],
  // How a task can end, and what each audience is told of it.
  endings: ["languages"],
  web: ["form", "json-schema", "endings", "languages", "vendor"],
  sdk: [],
  "sdk/testing": [
    "sdk",
    "json-schema",
    "channels",
    "actions",
    "approvals",
    "conversation",
    "escalation",
    "tasks",
    "callbacks",
    "resume",
    "people",
    "verifier",
    "outbound",
    "http",
    "db",
    "lib",
  ],
  adapters: [],
  mcp: ["sdk", "endings", "languages"],
  // Not part of what ships: they look at the service from outside, and nothing that ships imports them.
  prove: [
    "worker",
    "agents",
    "connections",
    "conversation",
    "resume",
    "subscriptions",
    "projects",
    "calendars",
    "callbacks",
    "channels",
    "tasks",
    "deliveries",
    "people",
    "outbound",
    "http",
    "db",
    "lib",
    "test",
  ],
  bench: ["tasks", "agents", "deliveries", "escalation", "people", "db", "lib", "test"],
  pack: [],
  test: [
    "app",
    "callbacks",
    "start",
    "context",
    "cli",
    "version",
    "gallery",
    "mcp-route",
    "mcp",
    "agents",
    "connections",
    "conversation",
    "resume",
    "outbound",
    "projects",
    "channels",
    "embed",
    "deliveries",
    "tasks",
    "people",
    "security",
    "db",
    "lib",
    "sdk",
    "web",
    "examples",
    "pack",
    "prove",
  ],
};
/** Rooms that do not ship; of these, tests obey the table as well. */
const OUTSIDE = new Set(["prove", "bench", "pack", "test"]);
const LEAVES = new Set(["threads", "json-schema", "form", "endings", "languages"]);
/** Rooms that also run in a browser: they know nothing of the service. */
const BROWSER = [
  "json-schema/**/*.ts",
  "form/**/*.ts",
  "endings/*.ts",
  "languages/{languages,text}.ts",
  "web/**/*.{ts,tsx}",
];
const FOR_EVERYBODY = new Set(["config", "errors"]);
/** What the configuration loads of channels: how each reads its own variables, which lies in the channel's folder. */
const READS_ENVIRONMENT = "src/channels/*/environment.ts";
/** What puts the house together: may import everything, and no room below imports it. */
const TOP = new Set(["main", "cli", "discovery", "app", "start", "worker", "context", "generate", "gallery"]);

function roomOf(path: string): string {
  const parts = path.replace(/\.tsx?$/, "").split("/");
  // A channel like any other, though it is for tests.
  if (path.startsWith("test/support/file-channel/")) return "channels";
  if (parts[0] === "sdk" && parts[1] === "testing") return "sdk/testing";
  return parts[0] === "src" ? parts[1]! : parts[0]!;
}

/** What of the service is inside the published testing entry of the client, besides what these files load. */
const IN_TESTING_ENTRY = [
  "src/callbacks/schedule.ts",
  "src/actions/{action,decision,embed-schema,form,infer-schema,patch,pointers,request}.ts",
  "src/approvals/{count,policy,proposal,record}.ts",
  "src/conversation/open-questions.ts",
  "src/conversation/record.ts",
  "src/escalation/{default,ladder,record}.ts",
  "src/channels/{email,slack}/notifiable.ts",
  "src/errors.ts",
  "src/http/{paging,refused-shape}.ts",
  "src/lib/text.ts",
  "src/outbound/url-form.ts",
  "src/people/memberships.ts",
  "src/tasks/{asker,assign-to,attribution,client-schemas,decide,entries,fallback,labels,lifecycle,listing,locale}.ts",
  "src/tasks/{new-task,notify,outcome,search-terms}.ts",
  "src/tasks/{record,request-form,routed,same-request}.ts",
  "src/verifier/config.ts",
];

/** What a file loads: modules by their paths, packages and parts of Node by their names. Types are not loaded. */
function loadedBy(file: string): string[] {
  const source = readFileSync(file, "utf8");
  const imports = source.matchAll(/^(?:import|export) (?!type )(?:[^;"]*? from )?"([^"]+)";/gm);
  return Array.from(imports, ([, name]) => (name!.startsWith(".") ? normalize(join(dirname(file), name!)) : name!));
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, "utf8");
  return [...source.matchAll(/(?:from|import\(|import)\s*"(\.{1,2}\/[^"]+)"/g)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );
}

void test("imports go down the table only", () => {
  const wrong: string[] = [];
  const outside = [...OUTSIDE].map((room) => `${room}/**/*.ts`);
  const files = globSync([
    "src/**/*.ts",
    "threads/*.ts",
    "sdk/**/*.ts",
    "mcp/**/*.ts",
    "adapters/*.ts",
    ...BROWSER,
    ...outside,
  ]);
  for (const file of files) {
    if (/(^|\/)node_modules\/|^(web|sdk|mcp)\/dist\/|^adapters\/build\.ts$/.test(file)) continue;
    const room = roomOf(file);
    if (file.endsWith(".test.ts") && !OUTSIDE.has(room)) continue;
    for (const imported of importsOf(file)) {
      const other = roomOf(imported);
      if (other === room || TOP.has(room)) continue;
      const allowed = MAY_IMPORT[room] ?? ["lib"];
      const isLeaf = LEAVES.has(other) && !LEAVES.has(room);
      if (room === "config" && matchesGlob(imported, READS_ENVIRONMENT)) continue;
      if (!allowed.includes(other) && !isLeaf && !FOR_EVERYBODY.has(other)) wrong.push(`${file} imports ${imported}`);
    }
  }
  assert.deepEqual(wrong, []);
});

void test("the testing entry of the client has a few files of the service inside, and loads one package and nothing of Node's", () => {
  const files = globSync("sdk/testing/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const ofService = new Set(files.flatMap(loadedBy).filter((path) => path.startsWith("src/")));
  assert.deepEqual(
    [...ofService].filter((path) => !IN_TESTING_ENTRY.some((glob) => matchesGlob(path, glob))),
    [],
  );
  const loaded = new Set(files);
  const wrong: string[] = [];
  for (const file of loaded)
    for (const other of loadedBy(file)) {
      if (other.endsWith(".ts")) loaded.add(other);
      else wrong.push(`${file} loads ${other}`);
    }
  assert.deepEqual(wrong, ["src/actions/patch.ts loads rfc6902"]);
  assert.ok(loaded.has("src/tasks/lifecycle.ts") && loaded.has("json-schema/evaluate.ts"));
});

void test("only the thread that asks verifiers' vendors loads their packages, and nothing else loads what it runs", () => {
  const files = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const loading = (what: RegExp) => files.filter((file) => what.test(readFileSync(file, "utf8")));
  assert.deepEqual(loading(/^import (?!type )[^;]*"(ai|@ai-sdk\/.*)"|await import\("(ai|@ai-sdk\/.*)"\)/m), [
    "src/verifier/worker.ts",
  ]);
  assert.deepEqual(loading(/^import (?!type )[^;]*"\.\/worker\.ts"|import\("\.\/worker\.ts"\)/m), ["src/start.ts"]);
});

void test("the package for passkeys is loaded when a passkey is used, and not at the start", () => {
  const files = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const naming = files.filter((file) => /simplewebauthn/.test(readFileSync(file, "utf8")));
  assert.deepEqual(naming, ["src/people/passkeys/verify.ts"]);
  assert.ok(!naming.flatMap(loadedBy).some((name) => name.includes("simplewebauthn")));
});

void test("packages that a start does not need are loaded when they are used", () => {
  const loadedAtStart = new Set(["src/main.ts", "src/start.ts"]);
  const packages = new Set<string>();
  for (const file of loadedAtStart)
    for (const name of loadedBy(file)) {
      if (name.endsWith(".ts")) loadedAtStart.add(name);
      else packages.add(name);
    }
  // Of TypeBox, only the types are used. An import of `node:http` loads Node's fetch: src/lib/node-http.ts.
  const later = /^(jose|cockatiel|undici|openid-client|nodemailer|pg|typebox|node:http|@modelcontextprotocol\/.*)$/;
  assert.deepEqual(
    [...packages].filter((name) => later.test(name)),
    [],
  );
  assert.ok(packages.has("fastify") && packages.has("pino"));
});

void test("the first TypeScript that a start reads comes from the cache as well", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const name of ["start", "service"])
    assert.match(scripts[name]!, /--import \.\/src\/node-version\.mjs (pack\/start\.mjs|src\/)/);
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const program = "process.stdout.write(String(require('node:module').getCompileCacheDir()))";
  const args = ["--import", "./src/node-version.mjs", "--eval", program];
  assert.notEqual(execFileSync(process.execPath, args, { env, encoding: "utf8" }), "undefined");
});

void test("leaf rooms import no setting and no error of the service", () => {
  const wrong = globSync([...BROWSER, "threads/*.ts", "src/lib/**/*.ts", "src/outbound/**/*.ts"])
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) =>
      importsOf(file)
        .filter((imported) => FOR_EVERYBODY.has(roomOf(imported)))
        .map((imported) => `${file} imports ${imported}`),
    );
  assert.deepEqual(wrong, []);
});

void test("only the entrances read the environment", () => {
  const wrong = globSync("src/**/*.ts").filter(
    (file) => !/(^|\/)(main|cli)\.ts$|\.test\.ts$/.test(file) && /process\.env/.test(readFileSync(file, "utf8")),
  );
  assert.deepEqual(wrong, []);
});
