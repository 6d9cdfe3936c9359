/**
 * Records the statements that the service sends to PostgreSQL, if the environment names a folder for them. It is loaded into
 * each process of a test run, and `npm test` judges the statements at the end (home-rules.ts).
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { sourceOf } from "./bundled-service.ts";

/** Names the folder. */
export const STATEMENTS_FOLDER = "TEST_STATEMENTS";

/** Options of Node for a process that is to record. */
export const RECORDING: readonly string[] = ["--import", "./test/support/statements.ts"];

/** Frames between a statement and the function that sends it. */
const FRAMES = 60;

const folder = process.env[STATEMENTS_FOLDER];
if (folder !== undefined) record(join(folder, `${process.pid}-${threadId}.ndjson`));

function record(file: string): void {
  const known = new Set<string>();
  subscribe("human-task-service:postgres-statement", (message) => {
    const { text } = message as { text: string };
    if (known.has(text) || !isOfService(callersNow())) return;
    known.add(text);
    appendFileSync(file, `${JSON.stringify(text)}\n`);
  });
}

/** Returns whether the service sends the statement, and not a test. @param stack - as an error has it */
export function isOfService(stack: string): boolean {
  const files = Array.from(stack.matchAll(/file:\/\/(\/[^\s)]+?\.m?[jt]s)(?::(\d+))?/g), ([, path, line]) =>
    sourceOf(path!, Number(line ?? 1)),
  );
  // The database's own code sends all statements. Who asked it to is next.
  const at = files.findIndex((file) => !file.startsWith("node_modules/") && !isOfDatabase(file) && file !== OWN);
  // A migration runs on one database, and is about every row of it.
  if (files.slice(0, at).some((file) => file.startsWith("src/db/migrations/"))) return false;
  const sender = files[at];
  return sender !== undefined && sender.startsWith("src/") && !sender.endsWith(".test.ts");
}

const OWN = "test/support/statements.ts";

function isOfDatabase(file: string): boolean {
  return file.startsWith("src/db/") && !file.endsWith(".test.ts");
}

function callersNow(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = "" } = new Error("callers");
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** Returns the statements that were recorded in a folder, each once. */
export function readStatements(recorded: string): string[] {
  const lines = readdirSync(recorded).flatMap((file) =>
    // What follows the last line end is nothing, or half a line of a process that was killed.
    readFileSync(join(recorded, file), "utf8").split("\n").slice(0, -1),
  );
  return Array.from(new Set(lines), (line) => JSON.parse(line) as string);
}
