import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { cloneInto, packagesIn, packed, ROOT, SHIPPED } from "../support/packed.ts";

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  scripts?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional: boolean }>;
  devDependencies?: Record<string, string>;
}

interface Service {
  child: ChildProcess;
  url: string;
  token: string;
  /** Its whole output. */
  log: string[];
}

/** The Node of a user who installs the packages: this one, or that of `PACKAGES_NODE`, such as the newest. */
const NODE = process.env["PACKAGES_NODE"] ?? process.execPath;
const PATH = [dirname(NODE), process.env["PATH"]].join(":");

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env: { ...process.env, PATH } });
  return stdout;
}

/** Processes that are ended with the tests, however these end. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a service in `cwd`, like a user who has not set a folder for its data. */
async function start(args: readonly string[], cwd: string): Promise<Service> {
  const child = spawn(NODE, args, {
    cwd,
    env: {
      PATH,
      SERVICE_PORT: "0",
      SERVICE_EMBED_SIGNING_SECRET: "0123456789abcdef".repeat(4),
      SERVICE_EMBED_PARENT_ORIGINS: "https://app.example.com",
    },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const log: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        log.push(line);
        const address = /"address":"([^"]+)".*is running"/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
    child.once("exit", (code) => reject(new Error(`the service ended with code ${code}:\n${log.join("\n")}`)));
  });
  const secrets = await readFile(join(cwd, "data/secrets.json"), "utf8");
  return { child, url, log, token: (JSON.parse(secrets) as { adminToken: string }).adminToken };
}

async function stop({ child }: Service): Promise<number | null> {
  child.kill("SIGTERM");
  // And all of its log has been read.
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

void test("a clone whose pages are not built says so when it is started", { timeout: 180_000 }, async (t) => {
  const around = await mkdtemp(join(tmpdir(), "packages-test-"));
  t.after(() => rm(around, { recursive: true }));
  const service = await start(["src/main.ts"], await cloneInto(around));
  assert.equal(await stop(service), 0);
  assert.match(service.log.join("\n"), /"level":40,.*The pages are not built: run `npm run build`/);
});

const QUIETLY = ["--prefer-offline", "--no-audit", "--no-fund"];
const manifestOf = (name: string) => JSON.parse(readFileSync(join(ROOT, name, "package.json"), "utf8")) as Manifest;

interface Bom {
  components: { name: string; version: string; properties?: { name: string; value: string }[] }[];
}

/** Returns the packages that a package's bill of materials lists, and the folder that a part was built into. */
function listOf(installed: string): { name: string; version: string; builtInto: string[] }[] {
  const { components } = JSON.parse(readFileSync(join(installed, "sbom.cdx.json"), "utf8")) as Bom;
  return components.map(({ name, version, properties = [] }) => ({
    name,
    version,
    builtInto: properties.map(({ value }) => value),
  }));
}

void describe("every package that is shipped", { timeout: 600_000 }, () => {
  for (const name of SHIPPED) {
    const { name: title, version, dependencies = {}, peerDependencies = {} } = manifestOf(name);

    test(`${title} is as the tools of those who install it expect it`, async () => {
      const { buffer } = new Uint8Array(readFileSync(await packed(name)));
      const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
      assert.deepEqual(
        messages.map((message) => formatMessage(message, pkg)),
        [],
      );
    });

    test(`${title} brings its license, and says what it brings along`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), "packages-test-"));
      t.after(() => rm(folder, { recursive: true }));
      // Our own packages are not published yet.
      const ours = SHIPPED.filter(
        (other) => other !== name && manifestOf(other).name in { ...dependencies, ...peerDependencies },
      );
      const tarballs = await Promise.all([name, ...ours].map((one) => packed(one)));
      await run("npm", ["install", ...tarballs, ...QUIETLY], folder);
      const installed = join(folder, "node_modules", title);
      assert.match(readFileSync(join(installed, "LICENSE"), "utf8"), /Apache License\s+Version 2\.0/);
      // npm asks the user to allow each of these scripts.
      const { scripts = {} } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;
      for (const hook of ["preinstall", "install", "postinstall", "prepare"]) assert.ok(!(hook in scripts), hook);

      const list = listOf(installed);
      const builtIn = list.filter(({ builtInto }) => builtInto.length > 0);
      const brought = packagesIn(folder).filter((other) => other !== title);
      const listed = new Set(list.map((component) => component.name));
      assert.deepEqual(
        brought.filter((other) => !listed.has(other)),
        [],
      );
      const installs = list.filter(({ builtInto }) => builtInto.length === 0).map((component) => component.name);
      assert.deepEqual(
        installs.filter((other) => !brought.includes(other)),
        [],
      );
      for (const [other, wanted] of Object.entries(dependencies))
        assert.ok(
          list.some((component) => component.name === other && component.version === wanted),
          other,
        );
      // A notice is required if the package itself contains works of others.
      assert.equal(existsSync(join(installed, "NOTICE")), builtIn.length > 0);
      for (const file of globSync("dist/**/licenses.md", { cwd: installed }))
        for (const [, other, theirs] of readFileSync(join(installed, file), "utf8").matchAll(/^## (\S+) - (\S+) /gm))
          assert.ok(
            builtIn.some(
              (one) => one.name === other && one.version === theirs && one.builtInto.includes(dirname(file)),
            ),
            `${other} in ${file}`,
          );
      assert.match(version, /^\d+\.\d+\.\d+$/);
    });
  }

  test("together in one folder, agents with the client, an adapter and MCP ask the service", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "packages-test-"));
    t.after(() => rm(folder, { recursive: true }));
    const tarballs = await Promise.all(SHIPPED.map((name) => packed(name)));
    // A user installs a framework beside the adapters.
    const framework = `ai@${manifestOf(".").devDependencies!["ai"]}`;
    await run("npm", ["install", ...tarballs, framework, ...QUIETLY], folder);
    const service = await start([join(folder, "node_modules/.bin/service"), "start"], folder);
    const env = { PATH, SERVICE_URL: service.url, SERVICE_ADMIN_API_TOKEN: service.token };
    const version = (await run(NODE, ["--version"], folder)).trim();
    for (const [file, program] of Object.entries({ "agent.mjs": AGENT, "tool.mjs": TOOL })) {
      await writeFile(join(folder, file), program);
      const agent = spawn(NODE, [file], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
      const lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
      const asked = (await lines.next()).value as string;
      await promisify(execFile)(
        NODE,
        [join(folder, "node_modules/.bin/service"), "tasks", "answer", asked, '{"approved":true}'],
        { cwd: folder, env },
      );
      assert.equal((await lines.next()).value, `${version} approved`);
    }

    const capabilities = {
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
    };
    const host = new Client({ name: "test", version: "1" }, { capabilities });
    const mcp = join(folder, "node_modules/.bin/human-task-service-mcp");
    await host.connect(new StdioClientTransport({ command: NODE, args: [mcp], env: { ...env, PATH }, cwd: folder }));
    const asking = { name: "ask_human", arguments: { question: "Deploy?", wait_seconds: 0 } };
    const { structuredContent } = await host.callTool(asking);
    assert.equal((structuredContent as { status: string }).status, "pending");
    const { contents } = await host.readResource({ uri: "ui://human-task-service/form" });
    assert.match((contents[0] as { text: string }).text, /^<!doctype html>/);
    await host.close();
    assert.equal(await stop(service), 0, service.log.join("\n"));
  });
});

const AGENT = `
import { awaitHuman } from "@human-task-service/client";
const { approved } = await awaitHuman({
  task: "Refund?",
  responseSchema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
  onCreated: ({ id, task_id }) => console.log(task_id ?? id),
});
console.log(process.version, approved ? "approved" : "refused");
`;

/** A model's calls of a tool, as the AI SDK makes them: a repeated call waits for the same answer. */
const TOOL = `
import { humanTool } from "@human-task-service/adapters/ai-sdk";
import { jsonSchema } from "ai";
const ask = humanTool({
  description: "Asks a person.",
  inputSchema: jsonSchema({ type: "object" }),
  question: ({ order }) => ({
    task: "Refund order " + order + "?",
    responseSchema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
  }),
  run: "chat-1",
  waitSeconds: 1,
});
const call = () => ask.execute({ order: 17 }, { toolCallId: "1", messages: [] });
let outcome = await call();
console.log(outcome.taskId);
while (outcome.status === "pending") outcome = await call();
console.log(process.version, outcome.answer.approved ? "approved" : "refused");
`;

void describe("the package of the service", { timeout: 600_000 }, () => {
  let around: string;
  let tarball: string;
  /** A user's folder with only the package installed. */
  let folder: string;
  let installed: string;
  let manifest: Manifest;
  let service: Service | null = null;
  /** In milliseconds: the duration of `npm install`, and the time from the command until the service listens. */
  let installing = 0;
  let starting = 0;

  before(async () => {
    around = await mkdtemp(join(tmpdir(), "packages-test-"));
    folder = join(around, "folder");
    manifest = manifestOf(".");
    tarball = await packed(".");
    await mkdir(folder);
    const begun = performance.now();
    await run("npm", ["install", tarball, ...QUIETLY], folder);
    installing = performance.now() - begun;
    installed = join(folder, "node_modules", manifest.name);
  });

  after(async () => {
    await rm(around, { recursive: true });
  });

  const command = (...args: string[]) =>
    run(NODE, [join(folder, "node_modules/.bin/human-task-service"), ...args], folder);
  const files = () =>
    globSync("**/*", { cwd: installed, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(installed, join(entry.parentPath, entry.name)));

  /** Returns the running service, or starts it. */
  async function started(): Promise<Service> {
    if (service !== null) return service;
    const begun = performance.now();
    service = await start([join(folder, "node_modules/.bin/service"), "start"], folder);
    starting = performance.now() - begun;
    return service;
  }

  async function call<T>(
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<{ status: number; body: T }> {
    const { url, token: adminToken } = await started();
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token ?? adminToken}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  async function createTask(answer: object): Promise<string> {
    const { status, body } = await call<{ id: string }>("POST", "/api/tasks", {
      task: "Refund?",
      payload: { amount: 42 },
      payload_schema: { type: "object" },
      response_schema: { type: "object", properties: { answer }, required: ["answer"] },
      timeout_seconds: 600,
      idempotency_key: JSON.stringify(answer),
    });
    assert.equal(status, 201);
    return body.id;
  }

  const complete = async (id: string, answer: unknown) =>
    (await call("POST", `/api/tasks/${id}/complete`, { response: { answer }, completed_by_email: "dana@example.com" }))
      .status;

  async function page(path: string): Promise<string> {
    const response = await fetch((await started()).url + path);
    assert.equal(response.status, 200, path);
    return response.text();
  }

  void test("it holds what runs, what explains it and every license, and none of what it is made from", async () => {
    const all = files();
    for (const path of [
      "README.md",
      "LICENSE",
      "NOTICE",
      "CHANGELOG.md",
      "openapi.json",
      "docs/email.md",
      "sbom.cdx.json",
      "SECURITY.md",
      "provenance.intoto.json",
    ])
      assert.ok(all.includes(path), path);
    const licenses = (part: string) => readFileSync(join(installed, `dist/web/dist/${part}/licenses.md`), "utf8");
    assert.match(readFileSync(join(installed, "dist/src/licenses.md"), "utf8"), /^## kysely - \S+ \(MIT\)$/m);
    for (const part of ["embed", "light", "server"]) assert.match(licenses(part), /^## preact - /m);
    for (const name of ["react", "@mantine/core", "@fontsource-variable/inter"])
      assert.match(licenses("dashboard"), new RegExp(`^## ${name} - `, "m"));
    const strangers = all.filter(
      (path) => /\.(tsx?|map)$|\.test\.|fixtures|\bdata\//.test(path) || !/^(dist\/|docs\/|[^/]+$)/.test(path),
    );
    assert.deepEqual(strangers, []);
    const { size } = await stat(tarball);
    assert.ok(size < 4_900_000, `${size} bytes`);
  });

  void test("it depends on what it imports or contains, on nothing else, and on no Node of its own", () => {
    const imported = new Set<string>();
    for (const file of files().filter((path) => /^dist\/(?!web\/|vendor\/).*\.m?js$/.test(path)))
      for (const [, name] of readFileSync(join(installed, file), "utf8").matchAll(
        /(?:^(?:import|export) (?:[^="]* from )?|\bimport\()"([^".][^"]*)"/gm,
      ))
        imported.add(/^(@[^/]+\/)?[^/]+/.exec(name!)![0]);
    const packages = [...imported].filter((name) => !name.startsWith("node:") && !builtinModules.includes(name));
    const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    // A clone without the packages for development needs what is inside of the code.
    const inside = listOf(installed).filter(({ builtInto }) => builtInto.includes("dist/src"));
    packages.push(...inside.map((one) => one.name));
    assert.deepEqual(packages.toSorted(), Object.keys({ ...dependencies, ...peerDependencies }).toSorted());
    for (const name of Object.keys(peerDependencies)) assert.equal(peerDependenciesMeta[name]?.optional, true, name);

    const runtimes = globSync("node_modules/{node,node-bin-*,node-{linux,darwin,win}*}", { cwd: folder });
    assert.deepEqual(runtimes, []);
  });

  void test("its command tells how it is typed where it was installed", async () => {
    const help = await command("help");
    assert.match(help, /^npx human-task-service <command>\n/);
    assert.doesNotMatch(help, /npm run|npm start/);
    assert.equal(await command("version"), `${manifest.version}\n`);
  });

  void test("on a Node that is too old, which it runs on unasked, its command says what it needs", async () => {
    // Simulates an old Node, which lacks newer functions.
    const old = `import module from "node:module"; delete module.enableCompileCache; Object.defineProperty(process.versions, "node", { value: "20.20.2" });`;
    const args = [
      "--import",
      `data:text/javascript,${encodeURIComponent(old)}`,
      join(installed, "dist/src/cli.js"),
      "start",
    ];
    await assert.rejects(run(NODE, args, folder), (error: { code: number; stderr: string }) => {
      assert.equal(error.code, 1);
      assert.match(error.stderr, /^This service needs Node 24\.19 or newer; this is Node 20\.20\.2\.[^\n]*\n$/);
      return true;
    });
  });

  void test("started in an empty folder, it keeps its data there, takes tasks and answers, and lists them", async () => {
    const id = await createTask({ type: "boolean" });
    assert.equal(await complete(id, "yes"), 422);
    assert.equal(await complete(id, true), 200);
    const list = await call<{ id: string; status: string }[]>("GET", "/api/tasks?q=Refund");
    assert.deepEqual(
      list.body.map((task) => [task.id, task.status]),
      [[id, "completed"]],
    );
    assert.equal((await call("GET", "/api/stats")).status, 200);
    assert.ok((await stat(join(folder, "data/service.db"))).isFile());
  });

  void test("a pattern that only a thread can match in time is matched", async () => {
    const id = await createTask({ type: "string", pattern: String.raw`^(.+)-\1$` });
    assert.equal(await complete(id, "left-right"), 422);
    assert.equal(await complete(id, "both-both"), 200);
  });

  void test("the dashboard, the description of the API and its explanations come with it", async () => {
    const scripts = [...(await page("/")).matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path!);
    assert.ok(scripts.length > 0);
    for (const path of scripts) assert.ok((await page(path)).length > 0);
    const description = JSON.parse(await page("/api/openapi.json")) as { info: { version: string } };
    assert.equal(description.info.version, manifest.version);
    assert.match(await page("/api/docs"), /swagger-ui/);
    assert.ok((await page("/api/docs/static/swagger-ui-bundle.js")).length > 1_000_000);
    assert.match(await page("/api/redoc"), /POST<\/strong> \/api\/tasks</);
    const help = await page("/docs/troubleshooting");
    assert.match(help, /npx human-task-service create-operator/);
    assert.doesNotMatch(help, /npm run/);
  });

  void test("what there is to review is drawn for the form in other products", async () => {
    const task_id = await createTask({ type: "integer" });
    const { key } = (await call<{ key: string }>("POST", "/api/service-keys", { name: "Shop" })).body;
    const minted = { task_id, parent_origin: "https://app.example.com", sub: "customer-17" };
    const { embed_token } = (await call<{ embed_token: string }>("POST", "/api/embed/tokens", minted, key)).body;
    const shown = await call<{ review_html: string | null }>("GET", "/api/embed/task", undefined, embed_token);
    assert.match(shown.body.review_html ?? "", /42/);
    assert.match(await page(`/embed?id=${task_id}`), /<script type="module" src="\/embed\/[^"]+\.js"/);
  });

  void test("it is soon there, and small", async (t) => {
    await started();
    const packages = packagesIn(folder).length;
    const megabytes = Number.parseInt(await run("du", ["-sm", "node_modules"], folder), 10);
    t.diagnostic(
      `npm install of the package: ${packages} packages, ${megabytes} MB, ${(installing / 1000).toFixed(1)} s; ` +
        `listening after ${(starting / 1000).toFixed(2)} s`,
    );
    // README.md states the number.
    assert.ok(packages <= 145, `${packages} packages`);
    assert.ok(megabytes <= 104, `${megabytes} MB`);
  });

  void test("asked to stop, it ends in order", async () => {
    const stopping = await started();
    assert.equal(await stop(stopping), 0, stopping.log.join("\n"));
    // No output is a problem.
    assert.deepEqual(
      stopping.log.filter((line) => !/"level":30,/.test(line)),
      [],
    );
  });

  void test("its commands find what it has stored, in the same folder", async () => {
    assert.equal(await command("migrate"), "The database is up to date.\n");
    assert.match(await command("keys", "list"), /Shop/);
  });
});
