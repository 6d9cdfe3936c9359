import { HumanTaskError } from "./errors.ts";
import { canonicalJson } from "./json.ts";
import { bodyOf, type Abortable, type Created, type Question } from "./question.ts";
import type { Send } from "./connection.ts";
import { sendAbout } from "./requests.ts";
import type { CreateTask, TaskRecord, TaskVersion } from "./shapes.ts";

/**
 * Creates the task of a question, or finds the task that has its key.
 * @throws HumanTaskError OTHER_QUESTION, NO_JSON_SCHEMA, and see `Send`
 */
export async function createTask(send: Send, pagesUrl: string, question: Question & Abortable): Promise<Created> {
  const body = await bodyOf(question);
  const path = "/api/tasks";
  const { data, headers } = await send<TaskRecord>({ method: "POST", path, body, signal: question.signal });
  const { id, status } = data;
  const isReplay = headers.get("idempotent-replayed") === "true";
  // A task with the same key but another question does not answer this one.
  if (isReplay && !(await asks(send, data, askedIn(body))))
    throw new HumanTaskError(
      "OTHER_QUESTION",
      `The key "${body.idempotency_key}" belongs to ${id} (${status}), which asks something else.`,
      { taskId: id },
    );
  return { id, url: `${pagesUrl}/tasks/${id}`, isReplay, record: data };
}

/** Returns whether a task asks this, or asked it before it was revised. */
export async function asks(send: Send, task: TaskRecord, asked: string): Promise<boolean> {
  if (askedIn(task) === asked) return true;
  if (!(task.version > 1)) return false;
  const [first] = await sendAbout<TaskVersion[]>(send, task.id, "/versions", {});
  return askedIn({ ...task, ...first }) === asked;
}

/** Returns what a task asks. What is made from an action depends on the release of the service. */
export function askedIn({ task, payload, response_schema, action, actions }: CreateTask | TaskRecord): string {
  const about = action ? [action] : actions;
  return canonicalJson([
    task,
    about
      ? about.map(({ name, args, allowed = ["approve", "reject"] }) => [name, args, allowed])
      : [payload, response_schema],
  ]);
}
