import { createInterface } from "node:readline";

/**
 * Asks the person at the terminal for a line. The question is beside the result, which a program may read.
 *
 * @throws Error after Ctrl+C or Ctrl+D
 */
export async function askInTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      terminal.once("close", () => reject(new Error("\nNothing was decided.")));
      terminal.once("SIGINT", () => terminal.close());
      terminal.question(question, resolve);
    });
  } finally {
    terminal.close();
  }
}
