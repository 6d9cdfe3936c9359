import type { Reader } from "../db/database.ts";
import { listedActionFields } from "../actions/request.ts";
import { readExclusions } from "../approvals/eligible.ts";
import type { Policy } from "../approvals/policy.ts";
import { findPolicy } from "../approvals/store.ts";
import { ServiceError } from "../errors.ts";
import { parseJson, type JsonText } from "../lib/json.ts";
import { emailKey } from "../lib/text.ts";
import { AGENT_SCOPES, isOwnOf, type AgentCaller, type AgentScope } from "../people/agent-caller.ts";
import {
  isInProject,
  isOperator,
  isOperatorOf,
  operatedBy,
  personOf,
  type Caller,
  type Person,
} from "../people/caller.ts";
import { roleIn } from "../people/memberships.ts";
import { requireSeesProject } from "../people/projects.ts";
import { findUser } from "../people/store.ts";
import { sayWhoCanAnswer } from "./answerers.ts";
import { whyOnItsPage } from "./by-assistant.ts";
import { isAmong, listCandidates } from "./candidates.ts";
import { isHostOf, whyNotByHost } from "./host-answers.ts";
import { isNamedBy, parseNotify } from "./notify.ts";
import { routingIn } from "./assign-to.ts";
import { findListedAction, findRequest, getTaskWithDocuments, type Task, type TaskDocuments } from "./store.ts";

/**
 * A person's role for one task. Every surface asks here.
 *
 * - operator: an operator of its project or of all, or the admin token, which may do everything.
 * - assignee: the person the task is assigned to.
 * - candidate: one of several people the task is offered to.
 * - notified: a person who was notified of a task without assignee, candidates or routing.
 * - embedder: the person in front of an embedded form. The product vouches for them, regardless of the assignee.
 *
 * Agents have one role for each scope of their token.
 *
 * - asker: `ask`, for the tasks that the agent created.
 * - reader: `read`, for the tasks of its project.
 * - answerer: `answer`, for the tasks that it created; with `read`, for those of its project.
 *
 * - host: the host of an agent that operators trust with the answers of the person who uses it. Only for tasks that the agent
 *   created for no particular person (host-answers.ts).
 */
type Role = "operator" | "assignee" | "candidate" | "notified" | "embedder" | AgentRole;
type AgentRole = "asker" | "reader" | "answerer" | "host";

const ASKED: readonly Role[] = ["assignee", "candidate", "notified"];
const INVOLVED: readonly Role[] = ["operator", ...ASKED];

const AGENTS: readonly Role[] = ["asker", "reader", "answerer"];

/** Roles that may do an action. Claims add their own rules. (spec: Authentication, authorization on completion) */
const MAY = {
  create: ["operator", "asker"],
  stats: ["operator"],
  /** Everyone may list tasks. The result depends on the caller. */
  list: [...INVOLVED, ...AGENTS],
  read: [...INVOLVED, "embedder", ...AGENTS],
  /** The answers that the verifier rejected: for those who may see the accepted one. */
  attempts: [...INVOLVED, ...AGENTS],
  poll: [...INVOLVED, ...AGENTS],
  /** Everyone who may read. Of agents, those that asked and those that may answer. */
  comment: [...INVOLVED, "embedder", "asker", "answerer"],
  /** A claim never blocks an answer. It only shows others that someone has started. */
  complete: [...INVOLVED, "embedder", "answerer", "host"],
  /** Taking back one's own approval. */
  withdraw: INVOLVED,
  claim: INVOLVED,
  /** Of these, only the holder of the claim and operators. */
  release: INVOLVED,
  /** Hides it from one's own lists. */
  snooze: INVOLVED,
  cancel: ["operator", "asker"],
  extend: ["operator", "asker"],
  revise: ["operator", "asker"],
  assign: ["operator"],
  audit: ["operator", "asker", "reader"],
  delete: ["operator"],
} as const satisfies Record<string, readonly Role[]>;

export type TaskAction = keyof typeof MAY;

/** Actions that concern no task that exists. */
const WITHOUT_TASK: ReadonlySet<TaskAction> = new Set(["create", "stats", "list"]);

const ROLE_OF_SCOPE = { ask: "asker", read: "reader", answer: "answerer", embed: null } as const satisfies Record<
  AgentScope,
  AgentRole | null
>;

/** The actions that a link allows. */
const BY_LINK: ReadonlySet<TaskAction> = new Set(["read", "comment", "complete", "withdraw"]);
/** The actions that a personal token allows. */
const BY_PERSONAL_TOKEN: ReadonlySet<TaskAction> = new Set(["list", "read", "comment", "complete"]);

/** The fields of a task that decide about access. */
type AccessedTask = Pick<
  Task,
  | "id"
  | "project"
  | "assigned_to_user_id"
  | "assigned_to_email"
  | "asked_by_kind"
  | "asked_by_id"
  | "on_behalf_of"
  | "approvals"
  | "ladder"
  | "redact_payload"
>;

/** What the caller has not read is read. */
type ApprovedTask = AccessedTask & Partial<Pick<TaskDocuments, "approval_policy" | "listed_action">>;

/**
 * Rejects callers who may never do this, before anything is read. Agents are rejected later if the action concerns a task,
 * because a task that an agent cannot see must look as if it did not exist.
 * @throws ServiceError FORBIDDEN, AGENT_SCOPE_MISSING
 */
export function requireMay(caller: Caller, action: TaskAction): void {
  if (mayEver(caller, action)) return;
  if (caller.kind !== "agent") throw new ServiceError("FORBIDDEN");
  if (WITHOUT_TASK.has(action)) throw refusalOf(caller, action);
}

/** Names the scopes that allow an action. An agent that has one of them asks about a task that another asked for. */
function refusalOf(agent: AgentCaller, action: TaskAction): ServiceError {
  const scopes = AGENT_SCOPES.filter((scope) => {
    const role = ROLE_OF_SCOPE[scope];
    return role !== null && isAllowed(role, action);
  });
  if (scopes.some((scope) => agent.scopes.includes(scope)))
    return new ServiceError("FORBIDDEN", { message: "Only the agent that created this task may do this." });
  return scopes.length === 0 ? new ServiceError("FORBIDDEN") : scopeMissing(scopes);
}

/** @param scopes - one of these is needed */
export function scopeMissing(scopes: readonly AgentScope[]): ServiceError {
  return new ServiceError("AGENT_SCOPE_MISSING", {
    message: `The agent needs the scope ${scopes.join(" or ")} for this.`,
  });
}

function mayEver(caller: Caller, action: TaskAction): boolean {
  if (caller.kind === "recipient" && caller.grant.kind === "link" && !BY_LINK.has(action)) return false;
  if (caller.kind === "personal_token" && !BY_PERSONAL_TOKEN.has(action)) return false;
  return possibleRoles(caller).some((role) => isAllowed(role, action));
}

function isAllowed(role: Role, action: TaskAction): boolean {
  return (MAY[action] as readonly Role[]).includes(role);
}

/** The roles that a caller may have for some task. */
function possibleRoles(caller: Caller): readonly Role[] {
  if (isOperator(caller)) return ["operator"];
  switch (caller.kind) {
    case "user":
      return operatedBy(caller).length > 0 ? INVOLVED : ASKED;
    case "personal_token":
      return ASKED;
    case "recipient":
      return caller.grant.kind === "embed" ? ["embedder"] : INVOLVED;
    case "agent":
      return [
        ...caller.scopes.map((scope) => ROLE_OF_SCOPE[scope]).filter((role) => role !== null),
        ...(caller.host_answers ? (["host"] as const) : []),
      ];
    default:
      // A service key mints embed tokens, and nothing else.
      return [];
  }
}

/** The roles that a caller has for this task: first those that are known without asking the database. */
async function* rolesOf(
  reader: Reader,
  caller: Exclude<Caller, AgentCaller>,
  task: AccessedTask,
): AsyncGenerator<Role> {
  if (caller.kind === "recipient" && caller.grant.kind !== "member") {
    if (caller.grant.task_id !== task.id) return;
    if (caller.grant.kind === "embed") return yield "embedder";
  }
  // A confidential task never reaches an assistant, and is unknown to it.
  if (caller.kind === "personal_token" && task.redact_payload) return;
  const known = personOf(caller);
  // A link opens one task to its person, and an operator may answer any.
  const mayRun = known !== null && caller.kind !== "personal_token" && runs(known, task.project);
  if (mayRun || isOperatorOf(caller, task.project)) yield "operator";
  // A person of the directory has no part in tasks of other projects.
  if (known !== null && !isInProject(known, task.project)) return;
  const person = identityOf(caller);
  if (person !== null && isAssignee(person, task)) yield "assignee";
  if (person !== null && isAmong(await listCandidates(reader, task.id), person)) yield "candidate";
  if (isUnassigned(task) && (await wasNotified(reader, caller, task))) yield "notified";
}

/** The roles of the scopes of an agent. */
function rolesOfAgent(agent: AgentCaller, task: AccessedTask): AgentRole[] {
  const isOwn = isOwnOf(agent, task);
  return agent.scopes
    .map((scope) => ROLE_OF_SCOPE[scope])
    .filter((role) => role !== null)
    .filter((role) => (role === "asker" ? isOwn : canSee(agent, task)));
}

function runs({ is_operator, projects }: Person, project: string): boolean {
  return is_operator || roleIn(projects, project) === "operator";
}

/** Returns whether a task exists for an agent: its own, and with the scope `read` those of its project. */
export function canSee(agent: AgentCaller, task: Pick<Task, "project" | "asked_by_id">): boolean {
  return isOwnOf(agent, task) || (agent.scopes.includes("read") && agent.project === task.project);
}

/**
 * Rejects callers who may not do this with this task. Tells people whom `notify` names who can answer.
 * @throws ServiceError FORBIDDEN; TASK_NOT_FOUND for agents that may not know the task, and for people of other projects;
 *   AGENT_SCOPE_MISSING, HOST_MAY_NOT_ANSWER; NEEDS_A_PERSON, EXCLUDED. A personal token gets only TASK_NOT_FOUND and
 *   NEEDS_A_PERSON.
 */
export async function requireMayWith(
  reader: Reader,
  caller: Caller,
  action: TaskAction,
  task: AccessedTask,
): Promise<void> {
  if (await hasRoleFor(reader, caller, action, task)) {
    const refusal = action === "complete" ? await whyNotCounted(reader, caller, task) : null;
    if (refusal !== null) throw refusal;
    return;
  }
  // An assistant learns of no task that is not its person's.
  if (caller.kind === "personal_token") throw new ServiceError("TASK_NOT_FOUND");
  if (caller.kind === "agent") throw await whyNotForAgent(reader, caller, action, task);
  if (caller.kind === "user" && !isInProject(caller.user, task.project)) throw new ServiceError("TASK_NOT_FOUND");
  const excluded = caller.kind === "user" ? await whyExcluded(reader, caller.user, task) : null;
  // It was not offered to them for this reason, and they may have come by its link.
  if (excluded !== null)
    throw new ServiceError(action === "complete" ? "EXCLUDED" : "FORBIDDEN", { message: excluded });
  const isNamed = caller.kind === "user" && (await isNotified(reader, caller.user, task.id));
  throw new ServiceError("FORBIDDEN", isNamed ? { message: await sayWhoCanAnswer(reader, task) } : {});
}

/** Returns whether the caller may do this with this task. */
export async function mayWith(
  reader: Reader,
  caller: Caller,
  action: TaskAction,
  task: AccessedTask,
): Promise<boolean> {
  if (!(await hasRoleFor(reader, caller, action, task))) return false;
  return action !== "complete" || (await whyNotCounted(reader, caller, task)) === null;
}

async function whyNotForAgent(
  reader: Reader,
  agent: AgentCaller,
  action: TaskAction,
  task: AccessedTask,
): Promise<ServiceError> {
  if (!canSee(agent, task)) return new ServiceError("TASK_NOT_FOUND");
  const byHost = isHostOf(agent, task) && isAllowed("host", action) ? await whyNotHost(reader, task) : null;
  return byHost ?? refusalOf(agent, action);
}

/** Returns why the host of its agent may not answer a task; null if it may. @throws ServiceError TASK_NOT_FOUND */
async function whyNotHost(reader: Reader, { id }: AccessedTask): Promise<ServiceError | null> {
  return whyNotByHost(await getTaskWithDocuments(reader, id));
}

async function hasRoleFor(reader: Reader, caller: Caller, action: TaskAction, task: AccessedTask): Promise<boolean> {
  if (!mayEver(caller, action)) return false;
  // Nothing has to be read for operators, and each request with the admin token asks.
  if (isOperator(caller) && isAllowed("operator", action)) return true;
  if (caller.kind === "agent") {
    // Nothing has to be read for these roles, and each request of an agent asks.
    if (rolesOfAgent(caller, task).some((role) => isAllowed(role, action))) return true;
    return isHostOf(caller, task) && isAllowed("host", action) && (await whyNotHost(reader, task)) === null;
  }
  for await (const role of rolesOf(reader, caller, task)) if (isAllowed(role, action)) return true;
  return false;
}

/**
 * Returns why the decision of a caller, who has a role for it, does not count: where several people must approve, or if it comes
 * from an assistant. null: it counts. (beyond: More than one person)
 */
export async function whyNotCounted(reader: Reader, caller: Caller, task: ApprovedTask): Promise<ServiceError | null> {
  if (caller.kind === "personal_token") {
    const why = whyOnItsPage({ approvals: task.approvals, ...listedActionFields(await listedActionOf(reader, task)) });
    return why === null ? null : new ServiceError("NEEDS_A_PERSON", { message: why });
  }
  if (task.approvals === null) return null;
  const person = personOf(caller);
  // Nor does an embedding product name a person of the directory.
  if (person === null) return new ServiceError("NEEDS_A_PERSON");
  const policy = await policyOf(reader, task);
  const { of, everyone } = await readExclusions(reader, task, policy);
  const why = of(person) ?? everyone;
  if (why !== null) return new ServiceError("EXCLUDED", { message: why });
  if (policy.from === null) return null;
  const candidates = await listCandidates(reader, task.id);
  // Where routing matched no one, only operators are left.
  if (candidates.length === 0 || isAmong(candidates, person)) return null;
  return new ServiceError("FORBIDDEN", { message: await sayWhoCanAnswer(reader, task) });
}

/** Says why the decision of a person about a task does not count because of who they are; null if nothing says so. */
async function whyExcluded(reader: Reader, person: Person, task: ApprovedTask): Promise<string | null> {
  if (task.approvals === null) return null;
  return (await readExclusions(reader, task, await policyOf(reader, task))).of(person);
}

/** @throws ServiceError TASK_NOT_FOUND */
async function policyOf(reader: Reader, { id, approval_policy = null }: ApprovedTask): Promise<Policy> {
  const policy = parseJson<Policy>(approval_policy) ?? (await findPolicy(reader, id));
  if (policy === null) throw new ServiceError("TASK_NOT_FOUND");
  return policy;
}

async function listedActionOf(reader: Reader, { id, listed_action }: ApprovedTask): Promise<JsonText | null> {
  return listed_action === undefined ? findListedAction(reader, id) : listed_action;
}

/** Says in one sentence why somebody who may not answer a task cannot: whose decision does not count is told why. */
export async function sayWhyNot(reader: Reader, caller: Caller, task: AccessedTask): Promise<string> {
  return (await whyNotCounted(reader, caller, task))?.message ?? (await sayWhoCanAnswer(reader, task));
}

/**
 * Returns the assignment after an answer of the caller, or null if it stays. A candidate becomes the assignee.
 * (wire: Who may answer)
 */
export async function assignmentOf(
  reader: Reader,
  caller: Caller,
  task: AccessedTask,
): Promise<Pick<Task, "assigned_to_user_id" | "assigned_to_email"> | null> {
  const person = identityOf(caller);
  if (person === null || isAssignee(person, task)) return null;
  if (!isAmong(await listCandidates(reader, task.id), person)) return null;
  return { assigned_to_user_id: person.id === "" ? null : person.id, assigned_to_email: person.email };
}

/** Returns the caller as a person for assignments and offers, or null. An address without a user has the id "". */
function identityOf(caller: Caller): Pick<Person, "id" | "email"> | null {
  switch (caller.kind) {
    case "user":
      return caller.user;
    case "personal_token":
      return caller.person;
    case "recipient":
      return caller.person ?? (caller.email === null ? null : { id: "", email: caller.email });
    default:
      return null;
  }
}

function isUnassigned(task: Pick<Task, "assigned_to_user_id" | "assigned_to_email">): boolean {
  return task.assigned_to_user_id === null && task.assigned_to_email === null;
}

/**
 * Returns whether the caller was notified of a task without routing. The link of a person whom `notify` names proves it, and
 * so does an answer in a chat message by a person in the directory. A message that was sent because of an assignment proves
 * nothing when that has ended. There, and in a session, `notify` must name the person.
 */
async function wasNotified(reader: Reader, caller: Caller, { id }: Pick<Task, "id">): Promise<boolean> {
  const asked = await findRequest(reader, id);
  // If routing matched no one, only operators can answer. `assign_to` is also set for candidates.
  if (asked === null || routingIn(asked) !== null || asked.notify === null) return false;
  switch (caller.kind) {
    case "recipient": {
      const { grant } = caller;
      if (grant.kind === "link") return grant.is_named;
      if (grant.kind !== "member") return false;
      if (grant.named_by === id) return true;
      return caller.person !== null && (!grant.is_assigned_only || isNotified(reader, caller.person, id));
    }
    case "user":
      return isNotified(reader, caller.user, id);
    case "personal_token":
      return isNotified(reader, caller.person, id);
    default:
      return false;
  }
}

/** Returns whether `notify` of a task names this person. */
async function isNotified(reader: Reader, { id }: Person, task_id: string): Promise<boolean> {
  const notify = (await findRequest(reader, task_id))?.notify ?? null;
  const user = notify === null ? null : await findUser(reader, id);
  return user !== null && parseNotify(notify).some((to) => isNamedBy(to, user));
}

/** Returns whether a person is the assignee: by id, or by email if no user had it when the task was assigned. */
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

/**
 * What a list has: the tasks that an agent created; all of some projects; or those assigned or offered to a person, and all of
 * the projects where they are an operator. A person's assistant gets no confidential ones.
 */
export type ListScope =
  | { agent: string }
  | { projects: readonly string[] }
  | { person: Person; operates: readonly string[]; withoutConfidential?: true };

/**
 * Returns what the caller's lists are limited to; null for no limit.
 * @param project - the one that is asked for, if any
 * @throws ServiceError FORBIDDEN, AGENT_SCOPE_MISSING; PROJECT_NOT_FOUND unless the caller is in the project
 */
export async function scopeOf(reader: Reader, caller: Caller, project: string | undefined): Promise<ListScope | null> {
  requireMay(caller, "list");
  if (project !== undefined) await requireSeesProject(reader, caller, project);
  if (caller.kind === "agent")
    return caller.scopes.includes("read") ? { projects: [caller.project] } : { agent: caller.id };
  if (caller.kind === "personal_token") return { person: caller.person, operates: [], withoutConfidential: true };
  if (project !== undefined && isOperatorOf(caller, project)) return { projects: [project] };
  if (caller.kind !== "user" || isOperator(caller)) return null;
  return { person: caller.user, operates: project === undefined ? operatedBy(caller) : [] };
}
