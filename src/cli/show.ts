import { isFallback } from "../../endings/answer-state.ts";
import { nodesByPointer } from "../../form/payload/by-pointer.ts";
import { token } from "../../form/payload/json.ts";
import type { PayloadNode } from "../../form/payload/node.ts";
import { planPayload, type PayloadInput } from "../../form/payload/payload.ts";
import { readableKey } from "../../form/payload/titles.ts";
import type { TaskRecord } from "../../sdk/index.ts";
import type { JsonObject } from "../lib/json.ts";
import { isTerminal } from "../tasks/lifecycle.ts";
import { readTask, type AnswerCommand } from "./clients.ts";

type Voter = NonNullable<TaskRecord["approvals"]>["decisions"][number]["by"];
type ActionRecord = NonNullable<TaskRecord["action"]>;

/** Shows a task to a person, or its record to a program. */
export async function showTask(id: string, { json }: { json?: boolean }): Promise<AnswerCommand> {
  return async (answering, { result }) => {
    const task = await readTask(answering, id);
    result(json === true ? JSON.stringify(task, null, 2) : textOfTask(task, new Date()));
    return 0;
  };
}

function textOfTask(task: TaskRecord, now: Date): string {
  const { action, actions, payload, payload_schema, form_definition, response, response_schema } = task;
  const isOpen = !isTerminal(task.status);
  const until = isOpen ? `${task.urgent ? ", urgent" : ""}, open until ${task.timeout_at}` : "";
  const head = [
    ...visible(task.task).split("\n"),
    `${task.id}, ${task.status}${howOf(task)}, asked by ${visible(task.asked_by.name)}${until}`,
    ...(isOpen ? linesOfWaiting(task, now) : []),
  ];
  head.push(...linesOfApprovals(task));
  if (action !== null)
    return [...head, "", textOfAction({ ...action, args: argsNow(task, 0) }, response, now)].join("\n");
  if (actions !== null) {
    const decisions = (response?.["decisions"] ?? []) as JsonObject[];
    return [
      head.join("\n"),
      ...actions.map((one, i) => textOfAction({ ...one, args: argsNow(task, i) }, decisions[i] ?? null, now)),
    ].join("\n\n");
  }
  const shown = linesOf({ payload, payload_schema, hints: form_definition?.["payload"], now });
  const answer =
    response === null
      ? []
      : ["", "The answer:", ...indented(linesOf({ payload: response, payload_schema: response_schema, now }))];
  return [...head, ...(shown.length === 0 ? [] : ["", ...shown]), ...answer].join("\n");
}

/** Returns the arguments of an action that people decide about: those that were changed last while the task is open. */
function argsNow({ action, actions, payload, status }: TaskRecord, i: number): JsonObject {
  if (isTerminal(status)) return (action ?? actions![i]!).args;
  return action === null ? (payload["actions"] as ActionRecord[])[i]!.args : payload;
}

/** Says where the decisions of several people stand; nothing if one person decides. */
function linesOfApprovals({ approvals }: TaskRecord): string[] {
  if (approvals === null) return [];
  const { have, need, round, changed_by, decisions } = approvals;
  const tally = have === null ? `Approvals: ${need} needed, hidden until the end` : `Approvals: ${have} of ${need}`;
  const author = changed_by === null ? "" : ` by ${nameOf(changed_by)}`;
  return [
    round === 1 ? tally : `${tally}, in round ${round}: the arguments were changed${author}`,
    ...indented(decisions.map(({ by, decision, at }) => `${nameOf(by)}: ${decision}, ${at}`)),
  ];
}

function nameOf({ name, email, user_id }: Voter): string {
  return visible(name === null ? (email ?? user_id) : email === null ? name : `${name} (${email})`);
}

/** What happens while no one answers, and what counts at the deadline. */
function linesOfWaiting({ escalation, timeout_at, on_timeout, response_schema }: TaskRecord, now: Date): string[] {
  const coming = escalation.filter(({ at, done_at }) => done_at === null && at < timeout_at);
  return [
    ...coming.map(({ do: kind, to, at }) => `At ${at}: ${kind}${to === null ? "" : visible(` ${JSON.stringify(to)}`)}`),
    ...(on_timeout === null
      ? []
      : [
          "If no one answers, this answer counts:",
          ...indented(linesOf({ payload: on_timeout.response, payload_schema: response_schema, now })),
        ]),
  ];
}

function howOf(task: TaskRecord): string {
  if (isFallback(task)) return " with the answer given beforehand, because no one answered in time";
  return task.completed_by_email === null ? "" : ` by ${visible(task.completed_by_email)}`;
}

/** Returns an action with all of its arguments, and what was decided. @param decided - null while it is open */
export function textOfAction(action: ActionRecord, decided: JsonObject | null, now: Date): string {
  const { name, risk, description, args, args_schema, ui_schema, allowed, editable, message_required } = action;
  const isEditLimited = editable !== null && allowed.includes("edit");
  const lines = [
    ...(description === null ? [] : visible(description).split("\n")),
    ...linesOf({ payload: args, payload_schema: args_schema, hints: ui_schema, now }),
    `Allowed: ${allowed.map((one) => (message_required.includes(one) ? `${one} with a message` : one)).join(", ")}`,
    ...(isEditLimited ? [`An edit may change: ${editable.map((one) => visible(one) || "everything").join(", ")}`] : []),
    ...(decided === null ? [] : linesOfDecision(decided)),
  ];
  return [`${visible(name)}${risk === "high" ? " (high risk)" : ""}`, ...indented(lines)].join("\n");
}

function linesOfDecision({ decision, patch, message }: JsonObject): string[] {
  const steps = (patch ?? []) as { op: string; path: string; value?: unknown }[];
  return [
    `Decision: ${decision as string}`,
    ...indented(
      steps.map(({ op, path, value }) =>
        visible(op === "remove" ? `${op} ${path}` : `${op} ${path}: ${JSON.stringify(value)}`),
      ),
    ),
    ...(typeof message === "string" ? titled("Message", visible(message)) : []),
  ];
}

/** Returns a payload in lines. Nothing is left out, because a person may decide by them. */
function linesOf(input: PayloadInput): string[] {
  const known = nodesByPointer(planPayload(input).nodes);
  return membersOf(input.payload, "");

  function membersOf(value: unknown, pointer: string): string[] {
    if (Array.isArray(value)) return value.flatMap((item, i) => valueAt(item, pointer + token(i), `${i + 1}.`));
    return Object.entries(value as JsonObject).flatMap(([key, member]) => {
      const at = pointer + token(key);
      return valueAt(member, at, `${visible(known.get(at)?.title ?? readableKey(key))}:`);
    });
  }

  function valueAt(value: unknown, pointer: string, title: string): string[] {
    const node = known.get(pointer);
    if (node?.kind === "masked") return [`${title} (confidential; --json shows it)`];
    const isFilled = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (isFilled) return [title, ...indented(membersOf(value, pointer))];
    const text = (node && textOfNode(node)) ?? (typeof value === "string" ? value : JSON.stringify(value));
    return titled(title.replace(/:$/, ""), visible(text), title.endsWith(":") ? ":" : "");
  }
}

/** Returns the text of a value that is easier to read than its JSON, such as an amount of money. */
function textOfNode(node: PayloadNode): string | null {
  switch (node.kind) {
    case "number":
    case "currency":
    case "percent":
    case "unit":
      return node.text;
    case "choice":
      return node.text === node.value ? node.text : `${node.text} (${node.value})`;
    case "date":
    case "time":
    case "date-time":
      return node.full_text;
    default:
      return null;
  }
}

function titled(title: string, text: string, mark = ":"): string[] {
  const lines = text.split("\n");
  return lines.length === 1 ? [`${title}${mark} ${text}`] : [`${title}${mark}`, ...indented(lines)];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

/** Returns a text in which characters that move the cursor, or are invisible, are written as their numbers. */
export function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);
}
