import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { ApiError, createClient, HumanTaskError, NoAnswerError, type Client } from "../../sdk/index.ts";
import { isWrapped } from "../../sdk/single-value.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { SERVICE_COMMAND } from "../lib/command.ts";
import { findSecrets, NoSecretsYet } from "../secrets.ts";
import { isTerminal } from "../tasks/lifecycle.ts";
import { need, UsageError } from "./options.ts";
import { table } from "./table.ts";

/** The output of a command: results for programs, and notes for people. */
export interface Output {
  result: (text: string) => void;
  note: (text: string) => void;
}

/** Returns the client of an agent for this environment. @throws Error in a sentence for the user */
export function clientOfCommand(token?: string): Client {
  try {
    return createClient({ token });
  } catch (error) {
    if (!(error instanceof HumanTaskError)) throw error;
    throw new Error(error.message.replace(/, or use createClient\(.*$/, `. ${HOW_TO_GET_A_TOKEN}`), { cause: error });
  }
}

const HOW_TO_GET_A_TOKEN = `Where the service runs, \`${SERVICE_COMMAND} agents create --name <name>\` creates an agent with a token.`;

/**
 * Returns a client that may answer for people, and where its token was found. No agent answers its own questions, so this is
 * the admin token: from the environment, or from the data directory of the service on this machine. Without one, the token
 * of an agent is used, which needs the scope `answer`.
 *
 * @throws Error in a sentence for the user
 */
export function clientOfAnswers(env: Readonly<Record<string, string | undefined>>): { client: Client; from?: string } {
  const setting = (name: string) => env[name]?.trim() || undefined;
  const token = setting("SERVICE_ADMIN_API_TOKEN");
  if (token !== undefined) return { client: clientOfCommand(token), from: "SERVICE_ADMIN_API_TOKEN" };
  // The secrets of this machine are not sent to another one.
  if (setting("SERVICE_URL") !== undefined) return { client: clientOfCommand() };
  const dataDir = setting("SERVICE_DATA_DIR") ?? "./data";
  try {
    const { adminToken } = findSecrets(dataDir);
    return { client: clientOfCommand(adminToken), from: resolve(dataDir, "secrets.json") };
  } catch (error) {
    if (!(error instanceof NoSecretsYet)) throw error;
    return { client: clientOfCommand() };
  }
}

/**
 * A `tasks` command whose options have been read. It acts as an agent: on the service of SERVICE_URL, else the one that runs
 * on this machine.
 * @returns the exit code: 1 when there was no answer, or it was sent back
 * @throws Error in a sentence for the user
 */
export type TaskCommand = (client: Client, output: Output) => Promise<number>;

/** A command that answers for a person. */
type AnswerCommand = (answering: ReturnType<typeof clientOfAnswers>, output: Output) => Promise<number>;

/** The schema of a question without one: yes or no, with a note. */
const YES_OR_NO = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve?" }, note: { type: "string", title: "Note" } },
  required: ["approved"],
};

export interface CreateOptions {
  task?: string;
  payload?: string;
  schema?: string;
  timeout?: string;
  key?: string;
  assignTo?: string;
  notify?: string[];
  callbackUrl?: string;
  wait?: boolean;
}

/** @throws UsageError */
export async function createTask(given: CreateOptions): Promise<TaskCommand> {
  const question = {
    task: need(given.task, "--task"),
    payload: await readObject(given.payload ?? "{}", "--payload"),
    responseSchema: given.schema === undefined ? YES_OR_NO : await readObject(given.schema, "--schema"),
    timeoutSeconds: given.timeout === undefined ? undefined : seconds(given.timeout),
    idempotencyKey: given.key,
    assignTo: given.assignTo === undefined ? null : { email: given.assignTo },
    notify: given.notify,
    callbackUrl: given.callbackUrl,
  };
  return async (client, { result, note }) => {
    const { id, url, isReplay, answer } = await client.ask(question);
    note(`${isReplay ? "Already asked" : "Asked"}: ${url}`);
    if (given.wait !== true) {
      result(id);
      return 0;
    }
    return answered(answer, { result, note });
  };
}

/** @throws UsageError */
export async function watchTask(id: string, { timeout }: { timeout?: string }): Promise<TaskCommand> {
  const limit = timeout === undefined ? undefined : seconds(timeout);
  return async (client, output) => {
    const task = await client.get(id);
    if (!isTerminal(task.status)) output.note(`Waiting for an answer until ${task.timeout_at}: ${task.task}`);
    const signal = limit === undefined ? undefined : AbortSignal.timeout(limit * 1000);
    const answer = async () => {
      const response = await client.wait(id, { signal });
      return isWrapped(task.response_schema) ? response["value"] : response;
    };
    return answered(answer, output, signal);
  };
}

/** @throws UsageError */
export async function answerTask(id: string, json: string, { email }: { email?: string }): Promise<AnswerCommand> {
  const answer = await readJson(json, "The answer");
  return async ({ client, from }, { result, note }) => {
    // Only a question for a single value is answered with one.
    if (!isJsonObject(answer)) {
      const { response_schema } = await client.get(id).catch((error: unknown) => {
        throw withSource(error, from);
      });
      if (!isWrapped(response_schema)) requireObject(answer, "The answer");
    }
    const as = email === undefined ? {} : { email };
    const { status, verifier_result } = await client
      .complete(id, answer as object, { channel: "command line", ...as })
      .catch((error: unknown) => {
        throw withSource(error, from);
      });
    if (status !== "completed") note(`Sent back: ${verifier_result?.reason ?? ""}`);
    result(status);
    return status === "completed" ? 0 : 1;
  };
}

/** Says where a token was found that the service refuses. */
function withSource(error: unknown, from: string | undefined): unknown {
  if (from === undefined || !(error instanceof ApiError) || error.status !== 401) return error;
  return new Error(`${error.message}\nThe admin token came from ${from}.`, { cause: error });
}

export async function listTasks({ all }: { all?: boolean }): Promise<TaskCommand> {
  return async (client, { result }) => {
    const rows: string[][] = [];
    for await (const { id, status, task, timeout_at } of client.list(all === true ? {} : { terminal: false }))
      rows.push([id, status, timeout_at, firstLine(task)]);
    result(table(["id", "status", "open until", "task"], rows));
    return 0;
  };
}

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
      note("No answer yet.");
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

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0]!;
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
