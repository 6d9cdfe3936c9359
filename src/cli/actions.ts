import { oneLine } from "../../form/plain-text.ts";
import { approval, type Action, type DecisionName, type Question, type TaskRecord } from "../../sdk/index.ts";
import { DECISIONS, RISKS } from "../actions/action.ts";
import type { JsonObject } from "../lib/json.ts";
import { readJson, readObject, requireObject } from "./json.ts";
import { oneOf, UsageError } from "./options.ts";
import { textOfAction } from "./show.ts";
import { readTask, sendAnswer, type AnswerCommand } from "./clients.ts";

/** Options of `tasks create` that are about actions. */
export interface ActionOptions {
  action?: string;
  args?: string;
  argsSchema?: string;
  uiSchema?: string;
  description?: string;
  allowed?: string;
  editable?: string[];
  risk?: string;
  messageRequired?: string;
  actions?: string;
}

/** The flags of the options that describe the action of `--action`. */
const OF_ACTION = {
  args: "--args",
  argsSchema: "--args-schema",
  uiSchema: "--ui-schema",
  description: "--description",
  allowed: "--allowed",
  editable: "--editable",
  risk: "--risk",
  messageRequired: "--message-required",
} as const satisfies Partial<Record<keyof ActionOptions, string>>;

/**
 * Returns the question about the actions that are given, or null if none is.
 *
 * @param task - the question in words, if it is given
 * @throws UsageError
 */
export async function readActions(given: ActionOptions, task: string | undefined): Promise<Question | null> {
  const { action, actions } = given;
  if (action !== undefined && actions !== undefined) throw new UsageError("Give --action or --actions, not both.");
  if (action === undefined)
    for (const [name, flag] of Object.entries(OF_ACTION))
      if (given[name as keyof typeof OF_ACTION] !== undefined) throw new UsageError(`${flag} belongs to --action.`);
  if (action !== undefined) return approval({ task, ...(await readAction(action, given)) });
  if (actions === undefined) return null;
  const all = await readList(actions, "--actions");
  // They have the names of the API already.
  return { ...approval({ task, actions: all as unknown as Action[] }), about: { actions: all as never } };
}

async function readAction(name: string, given: ActionOptions): Promise<Action> {
  const object = async (option: "argsSchema" | "uiSchema") =>
    given[option] === undefined ? undefined : readObject(given[option], OF_ACTION[option]);
  const decisions = (option: "allowed" | "messageRequired") =>
    given[option]?.split(",").map((one) => oneOf(one.trim(), DECISIONS, OF_ACTION[option]));
  return {
    name,
    args: await readObject(given.args ?? "{}", "--args"),
    argsSchema: await object("argsSchema"),
    uiSchema: await object("uiSchema"),
    description: given.description,
    allowed: decisions("allowed"),
    editable: given.editable,
    risk: given.risk === undefined ? undefined : oneOf(given.risk, RISKS, "--risk"),
    messageRequired: decisions("messageRequired"),
  };
}

/** @throws UsageError */
async function readList(given: string, name: string): Promise<JsonObject[]> {
  const list = await readJson(given, name);
  if (!Array.isArray(list)) throw new UsageError(`${name} is not a JSON list.`);
  return list.map((one, i) => requireObject(one, `${name}, number ${i + 1},`));
}

export interface DecideOptions {
  args?: string;
  message?: string;
  email?: string;
  yes?: boolean;
}

/** Asks the person at the terminal for a line; null if a program runs the command. */
export type Ask = ((question: string) => Promise<string>) | null;

type ActionRecord = NonNullable<TaskRecord["action"]>;

/**
 * Decides about the actions of a task.
 *
 * @param decision - one for all actions, or a JSON list with one for each
 * @throws UsageError
 */
export async function decideTask(id: string, decision: string, given: DecideOptions, ask: Ask): Promise<AnswerCommand> {
  const word = DECISIONS.find((one) => one === decision);
  const decisions = word === undefined ? await readDecisions(decision, given) : await readDecision(word, given);
  return async (answering, output) => {
    const task = await readTask(answering, id);
    const all = task.action === null ? task.actions : [task.action];
    if (all === null) throw new UsageError(`This task asks about no action. Use "tasks answer".`);
    if (word === "edit" && all.length > 1)
      throw new UsageError(`This task asks about ${all.length} actions: give a JSON list with a decision for each.`);
    const made = Array.isArray(decisions) ? decisions : all.map(() => decisions);
    if (made.length !== all.length)
      throw new UsageError(`This task asks about ${all.length} actions, and there are ${made.length} decisions.`);
    if (ask !== null && given.yes !== true)
      for (const [i, action] of all.entries())
        if (action.risk === "high" && isApproval(made[i]!)) {
          output.note(textOfAction(action, null, new Date()));
          await confirm(action, ask);
        }
    const answer = task.action === null ? { decisions: made } : made[0]!;
    const { status, response, verifier_result } = await sendAnswer(answering, id, answer, given.email);
    if (status !== "completed") output.note(`Sent back: ${verifier_result?.reason ?? ""}`);
    output.result(status === "completed" ? JSON.stringify(response, null, 2) : status);
    return status === "completed" ? 0 : 1;
  };
}

async function readDecision(decision: DecisionName, { args, message }: DecideOptions): Promise<JsonObject> {
  if (decision === "edit" && args === undefined)
    throw new UsageError("edit needs --args: all arguments to run it with.");
  if (decision !== "edit" && args !== undefined) throw new UsageError(`--args belongs to edit, not to ${decision}.`);
  if (decision === "respond" && message === undefined) throw new UsageError("respond needs --message.");
  return {
    decision,
    ...(args !== undefined && { args: await readObject(args, "--args") }),
    ...(message !== undefined && { message }),
  };
}

async function readDecisions(given: string, { args, message }: DecideOptions): Promise<JsonObject[]> {
  if (!/^[[@-]/.test(given)) throw new UsageError(`The decision is one of ${DECISIONS.join(", ")}, or a JSON list.`);
  if (args !== undefined || message !== undefined)
    throw new UsageError("In a JSON list, each decision has its own args and message.");
  return readList(given, "The list of decisions");
}

function isApproval(decision: JsonObject): boolean {
  return decision["decision"] === "approve" || decision["decision"] === "edit";
}

/** A person approves a high risk on purpose, as on every page. @throws Error if they typed something else */
async function confirm({ name }: ActionRecord, ask: NonNullable<Ask>): Promise<void> {
  // No one can type what is not visible.
  const word = oneLine(name) || "approve";
  const typed = await ask(`This action has a high risk. To approve it, type ${word}: `);
  if (oneLine(typed).toLowerCase() !== word.toLowerCase())
    throw new Error("That is not its name. Nothing was decided.");
}
