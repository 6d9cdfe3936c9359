import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";

/** A program that runs in a separate process, such as an unchanged one of a page. */
export interface RunningProgram {
  /** Its output so far. */
  lines: readonly string[];
  /** Resolves with the first line of its output that matches. @param from - the number of lines to skip */
  says(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  /** Resolves at its end. */
  ended: Promise<number | null>;
  /** Ends it as a crash does. */
  crash(): Promise<void>;
}

/** Follows the output of a process, and ends it with the test. @param child - with pipes for its output */
export function watchProgram(t: TestContext, child: ChildProcess): RunningProgram {
  t.after(() => child.kill("SIGKILL"));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout!, child.stderr!])
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    lines,
    ended,
    crash: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    says: async (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines
            .slice(from)
            .map((line) => pattern.exec(line))
            .find((match) => match !== null);
          if (found) {
            waiting.delete(look);
            resolve(found);
          }
        };
        waiting.add(look);
        look();
        void ended.then((code) =>
          reject(new Error(`it ended with ${code} and never said ${pattern}:\n${lines.join("\n")}`)),
        );
      }),
  };
}
