import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "../..");

/**
 * The programs of a page in docs/: each fenced `ts` block that begins with the name of its file, such as `// agent.ts`.
 */
export interface Page {
  /** Checks the types of all of them. @throws Error with the compiler's output */
  check(): void;
  /** Runs one of them, and returns its exports. */
  run(file: string): Promise<Record<string, unknown>>;
  path(file: string): string;
}

/**
 * Copies the programs of the page unchanged, except that adapters are imported from the source.
 * @param page - below docs/
 */
export function openPage(t: TestContext, page: string): Page {
  const text = readFileSync(join(ROOT, "docs", page), "utf8");
  const folder = mkdtempSync(join(ROOT, "adapters", ".page-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const files: string[] = [];
  for (const [, file, program] of text.matchAll(/```ts\n\/\/ (\S+\.ts)\n([^]*?)```/g)) {
    const path = join(folder, file!);
    files.push(path);
    writeFileSync(path, program!.replaceAll(/"@human-task-service\/adapters\/([a-z/-]+)"/g, sourceOf));
  }
  const compilerOptions = { types: ["node"], noUnusedLocals: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../tsconfig.json", compilerOptions, files, include: [], exclude: [] }),
  );
  return {
    check: () => {
      const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
      try {
        execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", stdio: "pipe" });
      } catch (error) {
        throw new Error((error as { stdout: string }).stdout, { cause: error });
      }
    },
    path: (file) => join(folder, file),
    run: async (file) => (await import(pathToFileURL(join(folder, file)).href)) as Record<string, unknown>,
  };
}

function sourceOf(_: string, entry: string): string {
  return `"../${entry.replaceAll("/", "-")}.ts"`;
}
