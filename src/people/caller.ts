import type { FastifyRequest } from "fastify";
import type { Language } from "../../languages/languages.ts";
import { ServiceError } from "../errors.ts";
import type { Absence } from "./absence/absence.ts";
import type { Account } from "./accounts.ts";
import type { AgentCaller } from "./agent-caller.ts";
import { roleIn, type Memberships } from "./memberships.ts";
import type { SignInMethod } from "./sessions.ts";

/** A person in the directory. */
export interface Person {
  id: string;
  email: string | null;
  display_name: string | null;
  /** An operator of all projects. */
  is_operator: boolean;
  projects: Memberships;
  /** IANA name. */
  time_zone: string | null;
  /** The language they have chosen. null: that of their browser. */
  language: Language | null;
  /** When they are away; it may be over. null: never. */
  absence: Absence | null;
}

/** A person who was asked through a channel and answers there. The grant says what they may do. */
export interface RecipientCaller<G extends Grant = Grant> {
  kind: "recipient";
  /** The channel, for the record of the answer. */
  channel: string;
  /** Their entry in the directory; null if they have none or are deactivated. */
  person: Person | null;
  /** The email they were notified at, or that the channel vouches for; null if unknown. */
  email: string | null;
  /** Their account in the channel, if the channel vouches for its members. */
  account: Account | null;
  grant: G;
}

/** Why a recipient may answer. */
export type Grant = LinkGrant | MemberGrant | EmbedGrant;

/** They opened their personal link, which opens only this task. */
export interface LinkGrant {
  kind: "link";
  task_id: string;
  /** `notify` names them. Otherwise the task was assigned to them later. */
  is_named: boolean;
}

/** The person is a member of a workspace, which vouches for them. */
export interface MemberGrant {
  kind: "member";
  /** The task whose `notify` names this member by id; null if there is none. */
  named_by: string | null;
  /** They answer in a direct message that was sent only because the task was assigned to them. */
  is_assigned_only: boolean;
}

/**
 * Another product shows them its embedded form. Its token opens only this task. The product says who they are (`sub`); the
 * service has not verified it.
 */
export interface EmbedGrant {
  kind: "embed";
  task_id: string;
  sub: string;
  /** The embed key that created the token. */
  key_id: string;
  /** When the token expires, epoch milliseconds. */
  expires_at: number;
}

/** A person who is signed in. */
export interface SessionCaller {
  kind: "user";
  user: Person;
  /** The primary key of the session's row. */
  session: string;
  /** When the person last proved who they are in this session, epoch milliseconds. */
  confirmedAt: number;
  /** How they proved it. */
  method: SignInMethod;
  /** true: the person must use a passkey first. (passkeys/requirement.ts) */
  isLimited: boolean;
}

/** The assistant of a person, with a token that they made. It may only do what the tools of `/mcp/review` do. */
export interface PersonalTokenCaller {
  kind: "personal_token";
  /** The person whose token it is. */
  person: Person;
  token_id: string;
}

/** A product that embeds forms. */
export interface ServiceKeyCaller {
  kind: "service_key";
  id: string;
  name: string;
  /** The slug of its project. */
  project: string;
  /** The agents whose tasks it embeds; null: all of the project. */
  agents: readonly string[] | null;
}

/** The authenticated caller of a request. (spec: Authentication) */
export type Caller =
  | { kind: "admin" }
  | SessionCaller
  | PersonalTokenCaller
  | AgentCaller
  | ServiceKeyCaller
  | RecipientCaller;

/** @throws ServiceError UNAUTHENTICATED */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new ServiceError("UNAUTHENTICATED");
  return request.caller;
}

/** Returns the caller's entry in the directory; null if the caller is not a known person. */
export function personOf(caller: Caller): Person | null {
  switch (caller.kind) {
    case "user":
      return caller.user;
    case "recipient":
    case "personal_token":
      return caller.person;
    default:
      return null;
  }
}

/**
 * Returns whether the caller is "admin" in the spec, in all projects: the admin token or an authenticated operator. A link is
 * not enough, and neither is a personal token.
 */
export function isOperator(caller: Caller): boolean {
  if (!mayOperate(caller)) return false;
  return caller.kind === "admin" || personOf(caller)?.is_operator === true;
}

/** Returns whether the caller is "admin" in one project. */
export function isOperatorOf(caller: Caller, project: string): boolean {
  return isOperator(caller) || operatedBy(caller).includes(project);
}

/** Returns the projects in which a caller, who is no operator of all, is one. A link is not enough, and neither is a personal token. */
export function operatedBy(caller: Caller): string[] {
  if (!mayOperate(caller)) return [];
  const { projects = {} } = personOf(caller) ?? {};
  return Object.keys(projects).filter((slug) => projects[slug] === "operator");
}

/** Returns whether the way in which a person came lets them do what operators do. */
function mayOperate(caller: Caller): boolean {
  if (caller.kind === "personal_token") return false;
  return caller.kind !== "recipient" || caller.grant.kind === "member";
}

/** Returns whether a person is in a project. Operators of all are in each. */
export function isInProject(
  { is_operator, projects }: Pick<Person, "is_operator" | "projects">,
  project: string,
): boolean {
  return is_operator || roleIn(projects, project) !== null;
}

/** Returns whether a user is active and in a project. */
export function isActiveIn(
  user: Pick<Person, "is_operator" | "projects"> & { active: boolean },
  project: string,
): boolean {
  return user.active && isInProject(user, project);
}

/** Returns the projects where the caller is an operator; null: all. @throws ServiceError FORBIDDEN if there are none */
export function requireOperatorOfSome(caller: Caller): readonly string[] | null {
  if (isOperator(caller)) return null;
  const slugs = operatedBy(caller);
  if (slugs.length === 0) throw new ServiceError("FORBIDDEN");
  return slugs;
}

/** @throws ServiceError FORBIDDEN */
export function requireOperator(caller: Caller): void {
  if (!isOperator(caller)) throw new ServiceError("FORBIDDEN");
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** A public route that resolves the caller when there are credentials. */
    resolveCaller?: boolean;
    /** Authenticates the caller with credentials that are valid for this route only. Throws without them. */
    authenticate?: (request: FastifyRequest) => Promise<Caller>;
    /** People must have proved who they are a short time ago. (http/route.ts, confirmation.ts) */
    needsConfirmation?: boolean;
  }
  interface FastifyRequest {
    /** Set before the body is read; null if unauthenticated. */
    caller: Caller | null;
  }
}
