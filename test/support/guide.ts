import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { freePort } from "./free-port.ts";
import { pause } from "./pause.ts";

/** A fenced block of a page. */
export interface Block {
  language: string;
  /** The second word after the fence: how to run a command that is not simply run. */
  how: string | null;
  text: string;
  /** The number of its first line, from 1. */
  line: number;
}

const ROOT = join(import.meta.dirname, "../..");

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: (Block & { indent: number; lines: string[] }) | null = null;
  for (const [i, line] of readFileSync(join(ROOT, page), "utf8").split("\n").entries()) {
    const fence = /^( *)```(\w*) ?(\w*)/.exec(line);
    if (open !== null && fence !== null) {
      const { indent: _indent, lines, ...block } = open;
      blocks.push({ ...block, text: lines.join("\n") });
      open = null;
    } else if (open !== null) open.lines.push(line.slice(open.indent));
    else if (fence !== null)
      open = {
        language: fence[2]!,
        how: fence[3] || null,
        text: "",
        line: i + 1,
        indent: fence[1]!.length,
        lines: [],
      };
  }
  return blocks;
}

/** A reader of a page, who has followed it up to some block. */
export interface Reader {
  /** The address of the service, once the page has started it. */
  url: string;
  /** The folder for all commands. It looks like a clone. */
  folder: string;
  token(): string;
  /** Returns the output of the terminal so far. */
  shown(): string;
  /** Calls the API with the admin token. */
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface Plan {
  page: string;
  env?: Record<string, string>;
  /** Starts the service before the first block, for pages that require a running service. */
  isRunning?: boolean;
  /** Replacements for texts of the page, such as an address or a placeholder. */
  instead?: Readonly<Record<string, string | ((reader: Reader) => string)>>;
  /** Actions of a person after the block that contains this text, such as answering, or checks at that point. */
  after?: readonly (readonly [text: string, act: (reader: Reader, said: string) => unknown])[];
}

/** Replaces some commands of a page in the folder of a reader. All other commands run unchanged. */
const PRELUDE = `
set -eu
npm() {
  case "$*" in
    # The packages are those that these tests run with.
    "ci") ;;
    # This is what runs here.
    "test") ;;
    "start") start ;;
    *) command npm "$@" ;;
  esac
}
start() {
  if [ -n "\${SERVICE:-}" ]; then kill "$SERVICE"; wait "$SERVICE" || true; fi
  : > service.log
  node --max-semi-space-size=16 --import ./src/node-version.mjs pack/start.mjs >> service.log 2>&1 &
  SERVICE=$!
  echo "$SERVICE" > service.pid
  tail --pid="$SERVICE" -n +1 -f service.log | grep -q -m 1 "listening at" || { cat service.log >&2; exit 1; }
}
`;

/** Everything that takes longer fails. */
const PATIENCE_MS = 90_000;

/**
 * Follows a page from the top, like a reader who has nothing else. It saves the programs under the names at their
 * beginning, and types the commands into one shell. Any failure fails the test.
 */
export async function follow(
  t: TestContext,
  { page, env = {}, isRunning, instead = {}, after = [] }: Plan,
): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), "reader-"));
  for (const name of readdirSync(ROOT))
    if (!["data", ".git"].includes(name)) symlinkSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, "home"));
  const port = String(await freePort());
  const shell = spawn("bash", {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      SERVICE_PORT: port,
      ...env,
    },
  });
  let shown = "";
  let heard = () => undefined as void;
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
      heard();
    });
  const ended = once(shell, "exit");
  void ended.then(() => heard());
  t.after(async () => {
    // Ends the shell and all processes that it started.
    try {
      process.kill(-shell.pid!, "SIGKILL");
    } catch {
      // No process is left.
    }
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  const reader: Reader = {
    url: `http://127.0.0.1:${port}`,
    folder,
    token: () =>
      (JSON.parse(readFileSync(join(folder, "data/secrets.json"), "utf8")) as { adminToken: string }).adminToken,
    shown: () => shown,
    call: async <T>(method: string, path: string, body?: unknown) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${reader.token()}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
      return (text === "" ? null : JSON.parse(text)) as T;
    },
  };

  /** Types a text and waits until it is done. @returns its output */
  async function type(text: string, where: string): Promise<string> {
    const from = shown.length;
    const mark = `--- done ${crypto.randomUUID()}`;
    shell.stdin.write(`${text}\necho "${mark}"\n`);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(`${where} takes too long:\n${text}\n${shown.slice(from)}`)),
      PATIENCE_MS,
    );
    const done = new Promise<void>((resolve, reject) => {
      heard = () => {
        if (shown.includes(mark, from)) resolve();
        else if (shell.exitCode !== null) reject(new Error(`${where} failed:\n${text}\n${shown.slice(from)}`));
      };
      heard();
    });
    try {
      await Promise.race([done, late]);
    } finally {
      clearTimeout(timer);
    }
    return shown.slice(from, shown.indexOf(mark, from));
  }

  await type(PRELUDE, "the prelude");
  if (isRunning === true) await type("npm start", "npm start");
  const unused = new Set([...Object.keys(instead), ...after.map(([text]) => text)]);
  for (const { language, how, text, line } of blocksOf(page)) {
    const name = /^(?:\/\/|#) ([\w./-]+\.\w+)$/m.exec(text.split("\n", 1)[0]!)?.[1];
    if (language !== "sh" && name !== undefined) writeFileSync(join(folder, name), text);
    if (language !== "sh" || (how !== null && how !== "background")) continue;
    let typed = text.replaceAll(/(localhost|127\.0\.0\.1):3000/g, `$1:${port}`);
    for (const [was, is] of Object.entries(instead)) {
      if (!typed.includes(was)) continue;
      unused.delete(was);
      typed = typed.replaceAll(was, typeof is === "string" ? is : is(reader));
    }
    const said = await type(how === "background" ? `{ ${typed}\n} &` : typed, `${page}:${line}`);
    for (const [part, act] of after)
      if (text.includes(part)) {
        unused.delete(part);
        await act(reader, said);
      }
  }
  assert.deepEqual([...unused], [], `${page} has no such text any more`);
  return reader;
}

/** Repeats a request until it has a result. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    assert.ok(performance.now() < end, `${what} does not come`);
    await pause();
  }
}
