import { NoAnswerError, type ListedTask, type Question } from "../../sdk/index.ts";
import { isWrapped } from "../../sdk/single-value.ts";
import { isJsonObject } from "../lib/json.ts";
import { isTerminal } from "../tasks/lifecycle.ts";
import { readActions, type ActionOptions } from "./actions.ts";
import { readTask, sendAnswer, type AnswerCommand, type Output, type TaskCommand } from "./clients.ts";
import { readJson, readObject, requireObject } from "./json.ts";
import { need, UsageError } from "./options.ts";
import { visible } from "./show.ts";
import { table } from "./table.ts";

/** The schema of a question without one: yes or no, with a note. */
const YES_OR_NO = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve?" }, note: { type: "string", title: "Note" } },
  required: ["approved"],
};

export interface CreateOptions extends ActionOptions {
  task?: string;
  payload?: string;
  schema?: string;
  timeout?: string;
  key?: string;
  assignTo?: string;
  notify?: string[];
  callbackUrl?: string;
  escalation?: string;
  onTimeout?: string;
  wait?: boolean;
}

/** @throws UsageError */
export async function createTask(given: CreateOptions): Promise<TaskCommand> {
  const isAction = given.action !== undefined || given.actions !== undefined;
  if (isAction && (given.payload ?? given.schema) !== undefined)
    throw new UsageError("An action has --args and --args-schema, and no --payload or --schema.");
  const question = {
    ...((await readActions(given, given.task)) ?? (await readQuestion(given))),
    timeoutSeconds: given.timeout === undefined ? undefined : seconds(given.timeout),
    idempotencyKey: given.key,
    assignTo: given.assignTo === undefined ? null : { email: given.assignTo },
    notify: given.notify,
    callbackUrl: given.callbackUrl,
    escalation: given.escalation === undefined ? undefined : await readEscalation(given.escalation),
    onTimeout:
      given.onTimeout === undefined ? undefined : { response: await readObject(given.onTimeout, "--on-timeout") },
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

/** Reads steps, or returns the name of a template. @throws UsageError */
async function readEscalation(given: string): Promise<NonNullable<Question["escalation"]>> {
  if (/^[\w.-]+$/.test(given) && given !== "-") return given;
  const steps = await readJson(given, "--escalation");
  if (!Array.isArray(steps))
    throw new UsageError("--escalation is neither a list of steps nor the name of a template.");
  return steps as Exclude<NonNullable<Question["escalation"]>, string>;
}

async function readQuestion(given: CreateOptions): Promise<Question> {
  return {
    task: need(given.task, "--task"),
    payload: await readObject(given.payload ?? "{}", "--payload"),
    responseSchema: given.schema === undefined ? YES_OR_NO : await readObject(given.schema, "--schema"),
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
  return async (answering, { result, note }) => {
    // Only a question for a single value is answered with one.
    if (!isJsonObject(answer)) {
      const { response_schema } = await readTask(answering, id);
      if (!isWrapped(response_schema)) requireObject(answer, "The answer");
    }
    const { status, verifier_result } = await sendAnswer(answering, id, answer as object, email);
    if (status !== "completed") note(`Sent back: ${verifier_result?.reason ?? ""}`);
    result(status);
    return status === "completed" ? 0 : 1;
  };
}

export async function listTasks({ all }: { all?: boolean }): Promise<TaskCommand> {
  return async (client, { result }) => {
    const rows: string[][] = [];
    for await (const task of client.list(all === true ? {} : { terminal: false })) {
      const status = task.urgent && !isTerminal(task.status) ? `${task.status}, urgent` : task.status;
      rows.push([task.id, status, task.timeout_at, tallyOf(task), actionNamesOf(task), firstLine(task.task)]);
    }
    result(table(["id", "status", "open until", "approved", "action", "task"], rows));
    return 0;
  };
}

/** "1 of 2", or "hidden, needs 2" while people must not know; "" where one person decides. */
function tallyOf({ approvals }: ListedTask): string {
  if (approvals == null) return "";
  const { have, need } = approvals;
  return have === null ? `hidden, needs ${need}` : `${have} of ${need}`;
}

function actionNamesOf({ action, actions }: ListedTask): string {
  const names = action === null ? (actions ?? []).map(({ name }) => name) : [action.name];
  return firstLine(visible(names.join(", ")));
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

function seconds(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--timeout is "${text}"; it takes whole seconds.`);
  return Number(text);
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0]!;
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
