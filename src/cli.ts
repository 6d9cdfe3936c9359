#!/usr/bin/env node
// What a command loads is compiled once.
await import("./node-version.mjs");

const { runCommandLine } = await import("./cli/run.ts");
const { askInTerminal } = await import("./cli/ask.ts");
await runCommandLine(process.argv.slice(2), {
  env: process.env,
  // What a program may read goes to standard output, what only people read beside it.
  output: {
    result: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  },
  ask: process.stdin.isTTY && process.stderr.isTTY ? askInTerminal : null,
  color: process.stdout.isTTY && process.stdout.hasColors(),
  finish: (code) => void (process.exitCode = code),
  exit: (text, code) => void process.stdout.write(text, () => process.exit(code)),
});
