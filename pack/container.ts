import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, matchesGlob, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/*
 * Carries a Dockerfile out without a container engine: each stage in a folder of its own, each `RUN` with that folder as its
 * root, and what is to run in namespaces of its own, on a root that cannot be written to. As root of the machine, on Linux.
 * It knows the instructions that ours has, and refuses the rest.
 */

export interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  from: string;
  /** What other stages copy from it by; of the last one, which is the image, "". */
  name: string;
  instructions: Instruction[];
}

/** @throws Error when a line is not an instruction */
export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
  const whole = lines.join("\n").replaceAll(/\\\n\s*/g, "");
  for (const line of whole.split("\n")) {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) throw new Error(`Not an instruction: ${line}`);
    if (name === "FROM") {
      const [, from = "", as = ""] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? [];
      stages.push({ from, name: as, instructions: [] });
    } else stages.at(-1)!.instructions.push({ name, text: rest });
  }
  return stages;
}

/** What an image says about the process that is made of it. */
export interface Image {
  root: string;
  env: Record<string, string>;
  workdir: string;
  user: number;
  group: number;
  volumes: string[];
  command: string[];
  healthcheck: string[];
}

export interface BuildOptions {
  /** What `COPY` copies from, without what .dockerignore names. */
  context: string;
  /** Stands for the image that `FROM` names; it is copied. */
  base: string;
  /** An empty folder for the stages. */
  into: string;
  /** Roots of stages that are there already; their instructions are not carried out. */
  given?: Readonly<Record<string, string>>;
  /** For each RUN, beside the image's own: where packages come from. */
  env?: Readonly<Record<string, string>>;
}

/** Carries all stages out. @returns the last one */
export async function buildImage(dockerfile: string, { context, base, into, given = {}, env = {} }: BuildOptions) {
  const roots: Record<string, string> = { ...given };
  const ignored = readFileSync(join(context, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => !/^(#|$)/.test(line));
  let image: Image | null = null;
  for (const stage of readDockerfile(dockerfile)) {
    if (stage.name in given) continue;
    const root = join(into, stage.name || "image");
    await run("cp", ["-a", base, root]);
    roots[stage.name] = root;
    image = { root, env: {}, workdir: "/", user: 0, group: 0, volumes: [], command: [], healthcheck: [] };
    let entrypoint: string[] = [];
    for (const { name, text } of stage.instructions) {
      if (name === "WORKDIR") mkdirSync(join(root, (image.workdir = text)), { recursive: true });
      else if (name === "RUN") {
        const inside = [...system(root), `exec chroot "${root}" /usr/bin/env -C "${image.workdir}" /bin/sh -c "$1"`];
        const args = [...NAMESPACES, "sh", "-c", inside.join("\n"), "sh", text];
        await run("unshare", args, { PATH: SEARCHED, HOME: "/root", ...env, ...image.env });
      } else if (name === "COPY") copy(text, { image, context, ignored, roots });
      else if (name === "ENV") for (const [, key, value] of text.matchAll(/(\w+)=(\S+)/g)) image.env[key!] = value!;
      else if (name === "USER") [image.user, image.group] = text.split(":").map(Number) as [number, number];
      else if (name === "VOLUME") image.volumes.push(text);
      else if (name === "HEALTHCHECK") image.healthcheck = words(text.replace(/^.*?\bCMD\s+/, ""));
      else if (name === "ENTRYPOINT") entrypoint = words(text);
      else if (name === "CMD") image.command = words(text);
      else if (name !== "EXPOSE") throw new Error(`${name} is not known here.`);
    }
    image.command = [...entrypoint, ...image.command];
  }
  if (image === null) throw new Error("There is no stage.");
  return image;
}

/** Whom this machine believes about names in its network. */
export const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const SEARCHED = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Only the form without a shell: with one, a shell would be the first process and keep signals to itself. */
function words(text: string): string[] {
  return JSON.parse(text) as string[];
}

function copy(
  text: string,
  at: { image: Image; context: string; ignored: readonly string[]; roots: Readonly<Record<string, string>> },
): void {
  const { image, context, ignored, roots } = at;
  const [, from, rest = ""] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(text) ?? [];
  const names = rest.split(/\s+/);
  const to = join(image.root, resolve(image.workdir, names.pop()!));
  for (const name of names) {
    const source = from === undefined ? join(context, name) : join(roots[from]!, name);
    const isKept = (path: string) =>
      from !== undefined || !ignored.some((pattern) => matchesGlob(path.slice(context.length + 1), pattern));
    // A folder's content goes to the place, a file goes into it.
    const target = statSync(source).isDirectory() ? to : join(to, basename(name));
    cpSync(source, target, { recursive: true, filter: isKept, verbatimSymlinks: true });
  }
}

export interface RunOptions {
  env: Readonly<Record<string, string>>;
  /** Folders of this machine, by where they are in the container; each volume of the image needs one. */
  mounts: Readonly<Record<string, string>>;
  /** Instead of the image's. */
  command?: readonly string[];
}

export interface Container {
  child: ChildProcess;
  /** Lines of its output so far. */
  log: string[];
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  /** To the first process of the container, as `docker stop` sends it; with SIGKILL, all others end with it. */
  signal(name: NodeJS.Signals): void;
  /** Another process in it, as `docker exec` starts it. */
  exec(command: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

/**
 * Runs an image as `docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges` does, in namespaces
 * of mounts and processes of its own; the network is that of the machine.
 */
export function runImage(image: Image, { env, mounts, command = image.command }: RunOptions): Container {
  const { root, user, group } = image;
  for (const volume of image.volumes) if (!(volume in mounts)) throw new Error(`The volume ${volume} needs a folder.`);
  for (const path of ["tmp", ...Object.keys(mounts)]) mkdirSync(join(root, path), { recursive: true });
  const script = [
    ...system(root),
    `mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "${root}/tmp"`,
    `mount -o remount,ro,bind "${root}"`,
    ...Object.entries(mounts).map(([path, folder]) => `mount --bind "${folder}" "${root}${path}"`),
    `exec setpriv --no-new-privs chroot --userspec=${user}:${group} --groups= "${root}" /usr/bin/env -C "${image.workdir}" "$@"`,
  ];
  const environment = { PATH: SEARCHED, HOME: "/", ...image.env, ...env };
  const child = spawn("unshare", [...NAMESPACES, "sh", "-c", script.join("\n"), "sh", ...command], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", (l) => log.push(l));
  const ended = once(child, "close").then(([code]) => code as number | null);
  const first = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ")[0]);
  return {
    child,
    log,
    ended,
    signal: (name) => void process.kill(first(), name),
    exec: async (words) => {
      const inside = ["--target", `${first()}`, "--mount", "--pid", "--root", `--wdns=${image.workdir}`];
      const args = [...inside, `--setuid=${user}`, `--setgid=${group}`, "--", ...words];
      try {
        return { code: 0, ...(await promisify(execFile)("nsenter", args, { env: environment })) };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { code, stdout, stderr };
      }
    },
  };
}

/**
 * A root with this very Node and the least that a Dockerfile's steps need of a system, from this machine: less than any
 * image of Node has.
 */
export async function leastRoot(into: string): Promise<string> {
  const programs = ["sh", "env", "chmod", "ln", "install", "touch"];
  const found = await run("/bin/sh", ["-c", programs.map((name) => `command -v ${name}`).join("; ")], {
    PATH: SEARCHED,
  });
  const files = new Map<string, string>();
  for (const path of found.trim().split("\n")) files.set(`/usr/bin/${basename(path)}`, path);
  files.set("/usr/local/bin/node", process.execPath);
  for (const program of Array.from(files.values()))
    for (const [library] of (await run("ldd", [program])).matchAll(/\/\S+/g)) files.set(library, library);
  for (const [to, from] of files) {
    mkdirSync(dirname(join(into, to)), { recursive: true });
    await run("cp", ["--dereference", from, join(into, to)]);
  }
  await run("ln", ["-s", "usr/bin", join(into, "bin")]);
  return into;
}

/**
 * A copy of a Debian root with this very Node and npm, as the image of Node has them, and what names and packages are
 * looked up by on this machine.
 */
export async function rootWithNode(debian: string, into: string): Promise<string> {
  await run("cp", ["-a", debian, into]);
  const npm = dirname(dirname(realpathSync((await run("/bin/sh", ["-c", "command -v npm"])).trim())));
  cpSync(process.execPath, join(into, "usr/local/bin/node"));
  cpSync(npm, join(into, "usr/local/lib/node_modules/npm"), { recursive: true });
  await run("ln", ["-sf", "/usr/local/lib/node_modules/npm/bin/npm-cli.js", join(into, "usr/local/bin/npm")]);
  for (const path of ["/etc/resolv.conf", "/etc/hosts", AUTHORITIES])
    if (existsSync(path)) await run("install", ["-D", "-m", "644", path, join(into, path)]);
  const settings = join(homedir(), ".npmrc");
  if (existsSync(settings)) cpSync(settings, join(into, "root/.npmrc"));
  return into;
}

const NAMESPACES = ["--mount", "--pid", "--fork", "--kill-child"];

/** A script's beginning: what programs expect to find of the system below `root`, in a namespace of their own. */
function system(root: string): string[] {
  for (const path of ["dev", "proc"]) mkdirSync(join(root, path), { recursive: true });
  return [
    "set -e",
    `mount --bind "${root}" "${root}"`,
    `mount -t proc proc "${root}/proc"`,
    `mount --rbind /dev "${root}/dev"`,
  ];
}

/** Names of the packages in a folder, wherever they are nested. */
export function packagesIn(folder: string): string[] {
  const names = globSync("**/node_modules/{*,@*/*}/package.json", { cwd: folder }).map((path) =>
    dirname(path).replace(/^.*node_modules\//, ""),
  );
  return [...new Set(names)].toSorted();
}

/** Whether this machine lets us do all that; null, or why not. */
export function whyNot(): string | null {
  if (process.platform !== "linux") return "containers are a thing of Linux";
  if (process.getuid?.() !== 0) return "changing the root of a process takes root's rights";
  const missing = ["unshare", "nsenter", "setpriv", "chroot", "mount"].filter(
    (name) => !SEARCHED.split(":").some((folder) => existsSync(folder) && readdirSync(folder).includes(name)),
  );
  return missing.length === 0 ? null : `this machine has no ${missing.join(", ")}`;
}

async function run(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { ...(env && { env }), maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
