import { resolve } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

/** Runs test files one after the other in this process, each as a suite of its name. What they load is loaded once. */
export function runTogether(files: readonly string[]): void {
  for (const file of files) void describe(file, async () => void (await import(pathToFileURL(resolve(file)).href)));
}
