import type { JsonObject } from "./json.ts";
import type { About, Question, WireAction } from "./question.ts";
import {
  isStandard,
  jsonSchemaOf,
  type AnswerOf,
  type AnySchema,
  type PayloadOf,
  type StandardSchema,
} from "./schemas.ts";

/** What a person may decide about an action. */
export type DecisionName = "approve" | "edit" | "reject" | "respond";

/** A step of a JSON Patch. (RFC 6902) */
export type PatchStep = { op: "add" | "replace"; path: string; value: unknown } | { op: "remove"; path: string };

/** What a program wants to do, for a person to decide. */
export interface Action<Schema extends AnySchema = AnySchema, Args = object, Name extends DecisionName = DecisionName> {
  /** What would run, such as the name of a tool. */
  name: string;
  /** The arguments that it would run with. */
  args: Args;
  /** Schema of the arguments. The form for edits is built from it. By default, it is made from the arguments. */
  argsSchema?: Schema | undefined;
  /** How the arguments are shown and edited, such as `{ amount: { "ui:widget": "currency" } }`. */
  uiSchema?: Readonly<Record<string, unknown>> | undefined;
  /** What it does, for a person. */
  description?: string | undefined;
  /** What a person may decide. Default: `approve` and `reject`. */
  allowed?: readonly Name[] | undefined;
  /** JSON Pointers to the arguments that an edit may change, such as `/amount`. Default: all. */
  editable?: readonly string[] | undefined;
  /** `high` makes approving slow on purpose. */
  risk?: "normal" | "high" | undefined;
  /** Decisions that need a message. `respond` always does. */
  messageRequired?: readonly DecisionName[] | undefined;
}

/** The arguments to run, and what the person changed or said. */
export type Decision<Args = JsonObject, Name extends DecisionName = DecisionName> = {
  /** Run the action with these arguments. */
  approve: { decision: "approve"; args: Args; patch?: undefined; message?: string };
  /** Run the action with these arguments, which the person changed. `patch` says what. */
  edit: { decision: "edit"; args: Args; patch: PatchStep[]; message?: string };
  /** Do not run the action. */
  reject: { decision: "reject"; args?: undefined; patch?: undefined; message?: string };
  /** Do not run the action yet: the person answered with words. */
  respond: { decision: "respond"; args?: undefined; patch?: undefined; message: string };
}[Name];

/** The options of a question that an action does not decide. */
type Asking = Omit<Question, "task" | "payload" | "payloadSchema" | "responseSchema" | "formDefinition" | "about"> & {
  /** The question in words. Default: the description, or `Run <name>?`. */
  task?: string | undefined;
  /** Who must approve, if several people must: `{need: 2, from: {role: "finance"}}`. Default: one person decides. */
  approvals?: NonNullable<About["approvals"]> | undefined;
};

/** A question about one action. */
export type ActionQuestion<
  Schema extends AnySchema = AnySchema,
  Args = object,
  Name extends DecisionName = DecisionName,
> = Action<Schema, Args, Name> & Asking;

/** A question about 2 to 50 actions. */
export type ActionsQuestion<All extends readonly Action[] = readonly Action[]> = Asking & { actions: All };

/** The type of the arguments: that of their schema, or else that of the arguments themselves. */
export type ArgsIn<Schema, Args> = AnySchema extends Schema ? Args : PayloadOf<Schema> & object;
export type ArgsOut<Schema, Args> = AnySchema extends Schema ? Widened<Args> : AnswerOf<Schema>;

/** The type of the values that an edit may make of a literal. */
type Widened<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends readonly (infer Item)[]
        ? Widened<Item>[]
        : T extends object
          ? { -readonly [Name in keyof T]: Widened<T[Name]> }
          : T;

type DecisionAbout<One> = Decision<
  ArgsOut<
    One extends { readonly argsSchema: infer Schema extends AnySchema } ? Schema : AnySchema,
    One extends { readonly args: infer Args } ? Args : never
  >,
  One extends { readonly allowed: readonly (infer Name extends DecisionName)[] } ? Name : "approve" | "reject"
>;

/** The decisions about several actions, in their order. */
export interface Decisions<All extends readonly Action[]> {
  decisions: { -readonly [Index in keyof All]: DecisionAbout<All[Index]> };
}

/** A question about actions, as `ask`, `awaitHuman` and adapters take it. */
export type Approval<Answer> = Question<StandardSchema<unknown, Answer>> & {
  responseSchema: StandardSchema<unknown, Answer>;
};

/** Returns the question whether actions may run. The answer is a decision, or `decisions` in the order of the actions. */
export function approval<const All extends readonly Action[]>(question: ActionsQuestion<All>): Approval<Decisions<All>>;
export function approval<
  const Schema extends AnySchema = AnySchema,
  Args extends object = object,
  const Name extends DecisionName = "approve" | "reject",
>(question: ActionQuestion<Schema, ArgsIn<Schema, Args>, Name>): Approval<Decision<ArgsOut<Schema, Args>, Name>>;
export function approval(question: ActionQuestion | ActionsQuestion): Approval<unknown> {
  const isList = "actions" in question;
  const actions: readonly Action[] = isList ? question.actions : [question];
  const validate = async (answer: unknown) => {
    const given = isList ? (answer as { decisions: Decision[] }).decisions : [answer as Decision];
    const checked = await Promise.all(given.map(async (one, i) => check(one, actions[i]!)));
    const issues = checked.flatMap((one) => one.issues ?? []);
    const decisions = checked.map(({ value }) => value);
    return issues.length > 0 ? { issues } : { value: isList ? { decisions } : decisions[0] };
  };
  const task = isList ? `Run ${actions.length} actions?` : (question.description ?? `Run ${question.name}?`);
  return {
    ...question,
    task: question.task ?? task,
    about: {
      ...(isList ? { actions: actions.map(wireOf) } : { action: wireOf(question) }),
      approvals: question.approvals,
    },
    responseSchema: { "~standard": { version: 1, vendor: "human-task-service", validate } },
  };
}

interface Issue {
  readonly message: string;
}

/** Checks the arguments to run with the library that their schema is from. */
async function check(
  decision: Decision,
  { argsSchema }: Action,
): Promise<{ value?: unknown; issues?: readonly Issue[] }> {
  if (decision.args === undefined || argsSchema === undefined || !isStandard(argsSchema)) return { value: decision };
  const { issues, ...checked } = await argsSchema["~standard"].validate(decision.args);
  return issues === undefined ? { value: { ...decision, args: (checked as { value: unknown }).value } } : { issues };
}

/** Returns an action with the names of the wire. @throws HumanTaskError NO_JSON_SCHEMA */
function wireOf({
  name,
  args,
  argsSchema,
  uiSchema: ui_schema,
  description,
  allowed,
  editable,
  risk,
  messageRequired: message_required,
}: Action): WireAction {
  const args_schema = argsSchema && jsonSchemaOf(argsSchema, "argsSchema");
  const wire = { name, args, args_schema, ui_schema, description, allowed, editable, risk, message_required };
  return wire as unknown as WireAction;
}
