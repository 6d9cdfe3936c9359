import { resolve } from "node:path";
import { after, before, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { noteProcessorTime, processorSeconds } from "./processor-time.ts";

/**
 * Runs test files one after the other in this process, each as a suite with its name. Shared imports are loaded once.
 */
export async function runTogether(files: readonly string[]): Promise<void> {
  // A file is registered before the next one is loaded. Otherwise, if two files load the same module, one would get the
  // tests of both.
  for (const file of files)
    await new Promise<void>((registered) => {
      void describe(file, async () => {
        let used = 0;
        before(() => void (used = processorSeconds()?.all ?? 0));
        after(() => noteProcessorTime(file, used));
        await import(pathToFileURL(resolve(file)).href).finally(registered);
      });
    });
}
