import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";

/**
 * Asks at the terminal, without showing what is typed; else takes what comes in. A password never stands in a command,
 * where the list of processes and the history of the shell would show it.
 */
export async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, "");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    process.stderr.write("Password: ");
    return await new Promise<string>((resolve, reject) => {
      terminal.once("line", resolve);
      terminal.once("SIGINT", () => reject(new Error("Nothing was changed.")));
    });
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
