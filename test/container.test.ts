import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parse } from "yaml";
import {
  buildImage,
  AUTHORITIES,
  leastRoot,
  packagesIn,
  readDockerfile,
  rootWithNode,
  runImage,
  whyNot,
  type Container,
  type Image,
} from "../pack/container.ts";
import { KNOWN_NAMES, readConfig } from "../src/config.ts";
import { freePort } from "./support/free-port.ts";
import { packed, ROOT, run } from "./support/packed.ts";
import { createCluster } from "./support/postgres.ts";

/*
 * What the Dockerfile says, carried out without a container engine. In a run of the tests its last stage is, on a root that
 * has less than the image of Node, and with what the first two would make made on this machine. `CONTAINER_DEBIAN=<folder>`
 * names a Debian root (`debootstrap --variant=minbase bookworm <folder>`) in which all of it is carried out, from `npm ci` on.
 */
const DEBIAN = process.env["CONTAINER_DEBIAN"];
const DOCKERFILE = readFileSync(join(ROOT, "Dockerfile"), "utf8");
const skip = whyNot() ?? false;

interface Compose {
  services: Record<string, Record<string, unknown>>;
  volumes: Record<string, unknown>;
}
const compose = parse(readFileSync(join(ROOT, "compose.yaml"), "utf8")) as Compose;

void test("settings that the files for containers name are settings of the service", () => {
  for (const file of ["Dockerfile", "compose.yaml", "docs/operating.md"]) {
    const names = new Set(readFileSync(join(ROOT, file), "utf8").match(/\bSERVICE_[A-Z_]+/g));
    assert.deepEqual(names.difference(KNOWN_NAMES), new Set(), file);
  }
});

void test("both containers of compose.yaml have a root they cannot write to, and no rights they do not need", () => {
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service["read_only"], true, name);
    assert.deepEqual(service["cap_drop"], ["ALL"], name);
    assert.equal(service["cap_add"], undefined, name);
    assert.deepEqual(service["security_opt"], ["no-new-privileges:true"], name);
    // Secrets come from files that are neither in git nor in the image.
    assert.match(String(service["env_file"]), /^(service|database)\.env$/, name);
  }
  const { service, database } = compose.services;
  assert.deepEqual(service!["depends_on"], { database: { condition: "service_healthy" } });
  assert.ok(database!["healthcheck"]);
  const port = (service!["environment"] as Record<string, unknown>)["SERVICE_PORT"];
  assert.deepEqual(service!["ports"], [`127.0.0.1:${String(port)}:${String(port)}`]);
  assert.deepEqual(database!["volumes"], ["database:/var/lib/postgresql"]);
  assert.deepEqual(Object.keys(compose.volumes), ["database"]);
});

void test("no secret, and nothing that is made, goes into an image", () => {
  const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  for (const pattern of ["**/*.env", "**/data", "**/node_modules", "**/dist", ".git"])
    assert.ok(ignored.includes(pattern), pattern);
});

void test("every stage begins with the Node that the package needs, without the development tools of a clone", () => {
  const stages = readDockerfile(DOCKERFILE);
  assert.deepEqual(new Set(stages.map(({ from }) => from)), new Set(["node:24-slim"]));
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { engines: { node: string } };
  assert.match(engines.node, /^>=24\./);
});

void describe("the image", { skip, timeout: 1_200_000 }, () => {
  let around: string;
  let image: Image;
  const running: Container[] = [];
  // However the tests end, what they have started ends with them.
  const endAll = () => {
    for (const container of running) if (container.child.exitCode === null) container.signal("SIGKILL");
  };

  before(async () => {
    process.once("exit", endAll);
    around = mkdtempSync(join(tmpdir(), "container-test-"));
    const stages = join(around, "stages");
    mkdirSync(stages);
    const context = ROOT;
    if (DEBIAN !== undefined) {
      const base = await rootWithNode(DEBIAN, join(around, "base"));
      // The authorities of this machine, which may stand between it and where packages come from.
      const env = { NODE_EXTRA_CA_CERTS: AUTHORITIES };
      image = await buildImage(DOCKERFILE, { context, base, into: stages, env });
      return;
    }
    const given = { package: join(around, "package"), dependencies: join(around, "dependencies") };
    for (const folder of Object.values(given)) mkdirSync(join(folder, "app"), { recursive: true });
    await run("tar", ["-xzf", await packed("."), "-C", "app", "--strip-components=1"], given.package);
    // The very steps of that stage.
    const stage = readDockerfile(DOCKERFILE).find(({ name }) => name === "dependencies")!;
    for (const { name, text } of stage.instructions) {
      const to = join(given.dependencies, "app");
      if (name === "COPY") await run("cp", [...text.split(" ").slice(0, -1), to], ROOT);
      if (name === "RUN")
        await run("/bin/sh", ["-c", `npm_config_prefer_offline=true; export npm_config_prefer_offline; ${text}`], to);
    }
    const base = await leastRoot(join(around, "base"));
    image = await buildImage(DOCKERFILE, { context, base, into: stages, given });
  });
  after(async () => {
    process.off("exit", endAll);
    endAll();
    await Promise.all(running.map(({ ended }) => ended));
    rmSync(around, { recursive: true });
  });

  /** A folder of this machine for the container's user, as a volume is. */
  const volume = () => {
    const folder = mkdtempSync(join(around, "volume-"));
    chownSync(folder, image.user, image.group);
    return folder;
  };
  const start = (
    env: Record<string, string>,
    {
      data = volume(),
      mounts = {},
      command,
    }: { data?: string; mounts?: Record<string, string>; command?: string[] } = {},
  ) => {
    const container = runImage(image, { env, mounts: { "/data": data, ...mounts }, ...(command && { command }) });
    running.push(container);
    return container;
  };
  const healthy = async (container: Container) => {
    for (let tries = 0; container.child.exitCode === null; tries++) {
      if ((await container.exec(image.healthcheck)).code === 0) return tries;
    }
    throw new Error(`it ended:\n${container.log.join("\n")}`);
  };
  // Only this machine reaches it, unlike a container in a network of its own.
  const local = async () => {
    const port = await freePort();
    return { SERVICE_HOST: "127.0.0.1", SERVICE_PORT: `${port}`, SERVICE_PUBLIC_URL: `http://localhost:${port}` };
  };

  /** An agent asks, somebody answers, the agent has the answer; with the commands in the container. */
  async function used(container: Container, env: Record<string, string>): Promise<string> {
    const url = `http://127.0.0.1:${env["SERVICE_PORT"]}`;
    const agent = ["env", `SERVICE_URL=${url}`, `SERVICE_KEY=${env["SERVICE_ADMIN_API_TOKEN"]}`, "human-task-service"];
    const created = await container.exec([...agent, "tasks", "create", "--task", "Refund?"]);
    assert.equal(created.code, 0, created.stderr);
    const id = /tsk_\w+/.exec(created.stdout + created.stderr)![0];
    assert.equal((await container.exec([...agent, "tasks", "answer", id, '{"approved":true}'])).code, 0);
    const watched = await container.exec([...agent, "tasks", "watch", id]);
    assert.deepEqual([watched.code, JSON.parse(watched.stdout)], [0, { approved: true }]);
    return id;
  }

  test("it holds what the service runs with, and nothing of what it is made with", () => {
    interface Manifest {
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
      peerDependencies?: Record<string, string>;
      peerDependenciesMeta?: Record<string, { optional?: boolean }>;
    }
    const app = join(image.root, "app");
    const own = JSON.parse(readFileSync(join(app, "package.json"), "utf8")) as Manifest;
    const needed = new Set([...Object.keys(own.dependencies!), ...Object.keys(own.peerDependencies!)]);
    const there = packagesIn(app);
    for (const name of needed) {
      const path = join(app, "node_modules", name, "package.json");
      if (statSync(path, { throwIfNoEntry: false }) === undefined) continue;
      const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
        readFileSync(path, "utf8"),
      ) as Manifest;
      for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) needed.add(other);
      for (const other of Object.keys(peerDependencies ?? {}))
        if (peerDependenciesMeta?.[other]?.optional !== true) needed.add(other);
    }
    assert.deepEqual(
      there.filter((name) => !needed.has(name)),
      [],
    );
    for (const name of ["fastify", "pg", "ai", "@ai-sdk/openai"]) assert.ok(there.includes(name), name);
    for (const name of Object.keys(own.devDependencies ?? {}).filter((name) => !needed.has(name)))
      assert.ok(!there.includes(name), name);
    assert.ok(statSync(join(app, "dist/web/dist/dashboard")).isDirectory());
  });

  test("told nothing, it says what it must be told, since other machines reach it", async () => {
    const container = start({});
    assert.equal(await container.ended, 1);
    assert.match(container.log.join("\n"), /SERVICE_PUBLIC_URL is required when SERVICE_HOST \(0\.0\.0\.0\)/);
  });

  // Whoever does not hear that it is to stop, is not waited for.
  const enough = { timeout: 300_000 };

  test(
    "on SQLite it runs as nobody in particular, writes to its data and /tmp alone, and stops when it is told",
    enough,
    async () => {
      const env = { ...(await local()), SERVICE_ADMIN_API_TOKEN: "a-token-for-this-container" };
      const data = volume();
      const container = start(env, { data });
      await healthy(container);
      const id = await used(container, env);
      assert.equal(statSync(join(data, "service.db")).uid, 1000);
      for (const path of ["/app/x", "/usr/x", "/x"]) {
        const tried = await container.exec(["touch", path]);
        assert.match(tried.stderr, /Read-only file system/, path);
      }
      assert.equal((await container.exec(["touch", "/tmp/x"])).code, 0);
      const status = await container.exec(["node", "-p", "require('fs').readFileSync('/proc/1/status', 'utf8')"]);
      assert.match(status.stdout, /^Name:\s+(node|MainThread)$/m);
      assert.match(status.stdout, /^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
      assert.match(status.stdout, /^CapEff:\s+0+$/m);
      assert.match(status.stdout, /^NoNewPrivs:\s+1$/m);

      container.signal("SIGTERM");
      assert.equal(await container.ended, 0);
      assert.match(container.log.at(-1)!, /Stopped/);
      assert.deepEqual(
        container.log.filter((line) => !/"level":30,/.test(line)),
        [],
      );

      // What it wrote is there for the next one.
      const next = start(env, { data });
      await healthy(next);
      const answer = await fetch(`http://127.0.0.1:${env.SERVICE_PORT}/api/tasks/${id}`, {
        headers: { authorization: `Bearer ${env.SERVICE_ADMIN_API_TOKEN}` },
      });
      assert.equal(((await answer.json()) as { status: string }).status, "completed");
      next.signal("SIGTERM");
      assert.equal(await next.ended, 0);
    },
  );

  test("its health check fails while nothing answers", async () => {
    const container = start(await local(), { command: ["node", "-e", "setInterval(() => {}, 1e9)"] });
    while ((await container.exec(["node", "-e", ""]).catch(() => ({ code: 1 }))).code !== 0);
    assert.notEqual((await container.exec(image.healthcheck)).code, 0);
  });

  test("on PostgreSQL it takes its settings from the environment, and needs no data of its own", enough, async () => {
    const cluster = createCluster({});
    await cluster.start();
    const socket = new URL(cluster.address("postgres")).searchParams.get("host")!;
    chmodSync(socket, 0o755);
    try {
      const key = Buffer.alloc(32, 7).toString("base64");
      const env = {
        ...(await local()),
        SERVICE_DATABASE_URL: "postgres://postgres@localhost/postgres?host=/run/postgresql",
        SERVICE_ADMIN_API_TOKEN: "a-token-for-this-container",
        SERVICE_SECRET_KEY: key,
        SERVICE_PAYLOAD_KEY: key,
      };
      assert.equal(readConfig(env, () => assert.fail("no secrets are made")).config.database.kind, "postgres");
      const container = start(env, { mounts: { "/run/postgresql": socket } });
      await healthy(container);
      await used(container, env);
      container.signal("SIGTERM");
      assert.equal(await container.ended, 0);
    } finally {
      await cluster.remove();
    }
  });
});
