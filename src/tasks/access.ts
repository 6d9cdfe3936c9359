import type { Reader } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { emailKey } from "../lib/text.ts";
import { isOperator, type Caller, type LinkCaller, type Person, type SlackCaller } from "../people/caller.ts";
import { isCandidate } from "./candidates.ts";
import type { Completer } from "./lifecycle.ts";
import type { Actor } from "./move.ts";
import type { CompleteTaskBody } from "./schema.ts";
import type { Task } from "./store.ts";

/**
 * What somebody is to one task. Operators are the admin token, too: it may do everything. A recipient is whoever follows
 * the link that they were sent, for as long as the task is theirs or nobody's. An embedder is whoever a product has put in
 * front of the form: the product answers for them, whomever the task is assigned to.
 */
type Standing = "operator" | "assignee" | "candidate" | "recipient" | "embedder";

const EVERYBODY_INVOLVED: readonly Standing[] = ["operator", "assignee", "candidate"];

/** Who may do what with a task; the only place that decides it. (spec: Authentication, authorization on completion) */
const MAY = {
  create: ["operator"],
  stats: ["operator"],
  /** Everybody sees a list; what is in it depends on who asks. */
  list: EVERYBODY_INVOLVED,
  read: [...EVERYBODY_INVOLVED, "recipient", "embedder"],
  poll: EVERYBODY_INVOLVED,
  /** A candidate claims first, and is the assignee then. */
  complete: ["operator", "assignee", "recipient", "embedder"],
  claim: [...EVERYBODY_INVOLVED, "recipient"],
  /** Of those, whoever holds the claim. */
  release: EVERYBODY_INVOLVED,
  cancel: ["operator"],
  assign: ["operator"],
  audit: ["operator"],
  delete: ["operator"],
} as const satisfies Record<string, readonly Standing[]>;

export type TaskAction = keyof typeof MAY;

/**
 * Refuses who may never do this, before anything is read.
 * @throws ServiceError FORBIDDEN
 */
export function requireMay(caller: Caller, action: TaskAction): void {
  const may: readonly Standing[] = MAY[action];
  if (isOperator(caller)) return;
  const isThinkable =
    caller.kind === "user"
      ? may.some((standing) => standing === "assignee" || standing === "candidate")
      : caller.kind === "embed"
        ? may.includes("embedder")
        : // A service key mints embed tokens, and nothing else.
          (caller.kind === "link" || caller.kind === "slack") && may.includes("recipient");
  if (!isThinkable) throw new ServiceError("FORBIDDEN");
}

/**
 * Refuses who may not do this with this very task.
 * @throws ServiceError FORBIDDEN
 */
export async function requireMayWith(
  reader: Reader,
  caller: Caller,
  action: TaskAction,
  task: Pick<Task, "id" | "assigned_to_user_id" | "assigned_to_email">,
): Promise<void> {
  if (mayAtOnce(caller, action, task)) return;
  const may: readonly Standing[] = MAY[action];
  const isOffered =
    caller.kind === "user" && may.includes("candidate") && (await isCandidate(reader, task.id, caller.user));
  if (!isOffered) throw new ServiceError("FORBIDDEN");
}

/** The same as far as the task itself tells; of those to whom it is offered it knows nothing. */
export function mayAtOnce(
  caller: Caller,
  action: TaskAction,
  task: Pick<Task, "id" | "assigned_to_user_id" | "assigned_to_email">,
): boolean {
  const may: readonly Standing[] = MAY[action];
  if (caller.kind === "link") return may.includes("recipient") && isRecipient(caller, task);
  if (caller.kind === "embed") return may.includes("embedder") && caller.task_id === task.id;
  if (caller.kind === "slack") return may.includes("recipient") && isSlackRecipient(caller, task);
  return isOperator(caller) || (caller.kind === "user" && may.includes("assignee") && isAssignee(caller.user, task));
}

function isRecipient(
  { task_id, user, email }: LinkCaller,
  task: Pick<Task, "id" | "assigned_to_user_id" | "assigned_to_email">,
): boolean {
  if (task_id !== task.id) return false;
  return isNobodys(task) || isAssignee({ id: user?.id ?? "", email }, task);
}

/** A channel is read by many: whom the directory does not know must be named by the task. */
function isSlackRecipient(
  { user, named_by }: SlackCaller,
  task: Pick<Task, "id" | "assigned_to_user_id" | "assigned_to_email">,
): boolean {
  if (user === null) return named_by === task.id && isNobodys(task);
  return user.is_operator || isNobodys(task) || isAssignee(user, task);
}

function isNobodys(task: Pick<Task, "assigned_to_user_id" | "assigned_to_email">): boolean {
  return task.assigned_to_user_id === null && task.assigned_to_email === null;
}

/** Whether a task is this person's: by their id, or by their address where the directory did not know it then. */
export function isAssignee(
  person: Pick<Person, "id" | "email">,
  task: Pick<Task, "assigned_to_user_id" | "assigned_to_email">,
): boolean {
  if (task.assigned_to_user_id !== null) return task.assigned_to_user_id === person.id;
  return (
    task.assigned_to_email !== null &&
    person.email !== null &&
    emailKey(task.assigned_to_email) === emailKey(person.email)
  );
}

/** Whom the caller's lists are limited to; null: everything. @throws ServiceError FORBIDDEN */
export function scopeOf(caller: Caller): Person | null {
  requireMay(caller, "list");
  return caller.kind === "user" && !isOperator(caller) ? caller.user : null;
}

/** Whether the caller sees `notify`, `callback_url` and `verifier_config` of a task. */
export function seesRouting(caller: Caller): boolean {
  return isOperator(caller);
}

/** The caller as the audit trail names them; `email` is what the admin token says of whom it acts for. */
export function actorOf(caller: Caller, email: string | null = null): Actor {
  switch (caller.kind) {
    case "admin":
    case "service_key":
      return { type: "agent", email };
    case "user":
      return { type: "human", email: caller.user.email };
    case "link":
    case "slack":
      return { type: "human", email: caller.email };
    case "embed":
      return { type: "human", email: null };
  }
}

/** Whom an answer is from. Only the admin token may say so itself; everybody else is who they are. (spec: Complete a task) */
export function completerOf(caller: Caller, body: CompleteTaskBody): Completer {
  switch (caller.kind) {
    case "admin":
      return {
        email: body.completed_by_email ?? null,
        user_id: null,
        channel: body.completed_via_channel ?? null,
        embed_sub: null,
      };
    case "user":
      return { email: caller.user.email, user_id: caller.user.id, channel: "dashboard", embed_sub: null };
    case "link":
      return { email: caller.email, user_id: caller.user?.id ?? null, channel: "email", embed_sub: null };
    case "slack":
      return { email: caller.email, user_id: caller.user?.id ?? null, channel: "slack", embed_sub: null };
    case "embed":
      return { email: null, user_id: null, channel: "embed", embed_sub: caller.sub };
    case "service_key":
      throw new ServiceError("FORBIDDEN");
  }
}
