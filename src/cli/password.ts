import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";

/**
 * Reads a password from the terminal without showing it, or from standard input. A password is never an argument, because
 * the process list and the shell history would show it.
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
