import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { createClient, HumanTaskError, NoAnswerError, type Client } from "../../sdk/index.ts";
import { isWrapped } from "../../sdk/single-value.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { isTerminal } from "../tasks/lifecycle.ts";
import { need, parse, read, UsageError } from "./options.ts";
import { table } from "./table.ts";

/** Where a command writes: its result for programs, and what only people want to read beside it. */
export interface Output {
  result: (text: string) => void;
  note: (text: string) => void;
}

/**
 * Runs `tasks ...`, as an agent: against the service of SERVICE_URL, else the one that runs on this machine.
 * @returns the exit code: 1 when there was no answer, or it was sent back
 * @throws UsageError, Error in a sentence for whoever typed it
 */
export async function runTasks([verb = "", ...args]: readonly string[], output: Output): Promise<number> {
  const run = Object.hasOwn(COMMANDS, verb) ? COMMANDS[verb] : undefined;
  if (run === undefined) throw new UsageError(`There is no command "${`tasks ${verb}`.trim()}".`);
  const prepared = await run(args);
  return prepared(clientOfCommand(), output);
}

/** The client as the environment has it, or why there is none, in the words of somebody at a terminal. */
export function clientOfCommand(): Client {
  try {
    return createClient();
  } catch (error) {
    if (!(error instanceof HumanTaskError)) throw error;
    throw new Error(error.message.replace(/, or give createClient\(.*$/, `. ${WHERE_TOKEN_IS}`), { cause: error });
  }
}

const WHERE_TOKEN_IS =
  "A service that was given no token made one: adminToken in secrets.json, in its data directory (./data unless SERVICE_DATA_DIR says otherwise).";

/** Reads what it is given before anything is asked. */
type Command = (args: readonly string[]) => Promise<(client: Client, output: Output) => Promise<number>>;

/** What a yes or no takes, where no other shape was asked for. */
const YES_OR_NO = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve?" }, note: { type: "string", title: "Note" } },
  required: ["approved"],
};

const COMMANDS: Readonly<Record<string, Command>> = {
  create: async (args) => {
    const given = read(args, {
      task: { type: "string" },
      payload: { type: "string" },
      schema: { type: "string" },
      timeout: { type: "string" },
      key: { type: "string" },
      "assign-to": { type: "string" },
      notify: { type: "string", multiple: true },
      "callback-url": { type: "string" },
      wait: { type: "boolean" },
    });
    const question = {
      task: need(given.task, "--task"),
      payload: await readObject(given.payload ?? "{}", "--payload"),
      responseSchema: given.schema === undefined ? YES_OR_NO : await readObject(given.schema, "--schema"),
      timeoutSeconds: given.timeout === undefined ? undefined : seconds(given.timeout),
      idempotencyKey: given.key,
      assignTo: given["assign-to"] === undefined ? null : { email: given["assign-to"] },
      notify: given.notify,
      callbackUrl: given["callback-url"],
    };
    return async (client, { result, note }) => {
      const { id, url, isReplay, answer } = await client.ask(question);
      note(`${isReplay ? "This was asked before" : "Asked"}: ${url}`);
      if (given.wait !== true) {
        result(id);
        return 0;
      }
      return answered(answer, { result, note });
    };
  },

  watch: async (args) => {
    const { values, positionals } = parse(args, { timeout: { type: "string" } });
    const id = one(positionals, "the id of a task");
    const limit = values.timeout === undefined ? undefined : seconds(values.timeout);
    return async (client, output) => {
      const task = await client.get(id);
      if (!isTerminal(task.status)) output.note(`Waiting for somebody until ${task.timeout_at}: ${task.task}`);
      const signal = limit === undefined ? undefined : AbortSignal.timeout(limit * 1000);
      const answer = async () => {
        const response = await client.wait(id, { signal });
        return isWrapped(task.response_schema) ? response["value"] : response;
      };
      return answered(answer, output, signal);
    };
  },

  answer: async (args) => {
    const { values, positionals } = parse(args, { email: { type: "string" } });
    if (positionals.length !== 2) throw new UsageError("tasks answer takes the id of a task and the answer.");
    const [id, given] = positionals as [string, string];
    const answer = await readJson(given, "The answer");
    return async (client, { result, note }) => {
      // Only a question for a single value is answered with one.
      if (!isJsonObject(answer) && !isWrapped((await client.get(id)).response_schema))
        requireObject(answer, "The answer");
      const as = values.email === undefined ? {} : { email: values.email };
      const { status, verifier_result } = await client.complete(id, answer as object, {
        channel: "command line",
        ...as,
      });
      if (status !== "completed") note(`It was sent back: ${verifier_result?.reason ?? ""}`);
      result(status);
      return status === "completed" ? 0 : 1;
    };
  },

  list: async (args) => {
    const { all } = read(args, { all: { type: "boolean" } });
    return async (client, { result }) => {
      const rows: string[][] = [];
      for await (const { id, status, task, timeout_at } of client.list(all === true ? {} : { terminal: false }))
        rows.push([id, status, timeout_at, firstLine(task)]);
      result(table(["id", "status", "open until", "task"], rows));
      return 0;
    };
  },
};

async function answered(
  answer: () => Promise<unknown>,
  { result, note }: Output,
  limit?: AbortSignal,
): Promise<number> {
  try {
    result(JSON.stringify(await answer(), null, 2));
    return 0;
  } catch (error) {
    if (limit?.aborted === true && error === limit.reason) {
      note("Nobody has answered yet.");
      return 1;
    }
    if (!(error instanceof NoAnswerError)) throw error;
    note(error.message);
    result(error.status);
    return 1;
  }
}

async function readObject(given: string, name: string): Promise<JsonObject> {
  return requireObject(await readJson(given, name), name);
}

/** @throws UsageError */
function requireObject(value: unknown, name: string): JsonObject {
  if (!isJsonObject(value)) throw new UsageError(`${name} is not a JSON object, such as {"approved": true}.`);
  return value;
}

/** JSON as it is, from a file (`@file`), or from standard input (`-`). @throws UsageError */
async function readJson(given: string, name: string): Promise<unknown> {
  const source = given.startsWith("@") ? fileText(given.slice(1)) : given === "-" ? await text(process.stdin) : given;
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${(error as Error).message}`);
  }
}

function fileText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function seconds(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--timeout is "${text}"; it takes whole seconds.`);
  return Number(text);
}

function one(positionals: readonly string[], what: string): string {
  if (positionals.length !== 1) throw new UsageError(`This command takes ${what}, and nothing else.`);
  return positionals[0]!;
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0]!;
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
