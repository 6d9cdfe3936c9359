import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fenced block of a page, with the text after the fence. */
export interface Block {
  info: string;
  text: string;
}

export function blocksOf(page: string): Block[] {
  const found = readFileSync(page, "utf8").matchAll(/^```(\S.*)\n([^]*?)^```$/gm);
  return Array.from(found, ([, info, text]) => ({ info: info!, text: text! }));
}

/** A shell that runs one block after the other, like a terminal. */
export interface Shell {
  /** Resolves with the standard output. @throws Error when a command fails */
  run(text: string): Promise<string>;
  /** Ends it and everything that it started. */
  end(): Promise<void>;
}

export function openShell(cwd: string, env: Readonly<Record<string, string | undefined>>): Shell {
  const folder = mkdtempSync(join(tmpdir(), "shell-"));
  const child = spawn("bash", ["-e", "-o", "pipefail"], { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  let listener = () => {};
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString();
    listener();
  });
  child.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
  const closed = once(child, "exit");
  let count = 0;
  return {
    run: async (text) => {
      const file = join(folder, `${++count}.sh`);
      writeFileSync(file, text);
      const mark = `--- ${count} is done ---\n`;
      [output, errors] = ["", ""];
      const done = new Promise<true>((resolve) => {
        listener = () => {
          if (output.endsWith(mark)) resolve(true);
        };
      });
      child.stdin.write(`. ${file} < /dev/null\nprintf '%s\\n' '${mark.trim()}'\n`);
      const isDone = await Promise.race([done, closed]);
      if (isDone !== true) throw new Error(`This failed:\n${text}\n${output}\n${errors}`);
      return output.slice(0, -mark.length);
    },
    end: async () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
      await closed;
      rmSync(folder, { recursive: true });
    },
  };
}
