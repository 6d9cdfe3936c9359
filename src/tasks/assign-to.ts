import type { Group, Policy } from "../approvals/policy.ts";
import { invalid } from "../errors.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import type { TaskDocuments } from "./store.ts";
import { isEmailAddress, isStorableText } from "../lib/text.ts";

/** The parsed `assign_to`. */
export type Routing =
  | { to: "email"; email: string }
  | { to: "user"; user_id: string }
  | { to: "emails"; emails: string[]; path: string }
  | { to: "group"; role: string | null; access_level: string | null; pool: string | null }
  /** All of them, not one that is chosen. */
  | { to: "everyone"; role: string | null; access_level: string | null; pool: string | null }
  /** One who is chosen, also from a pool. */
  | { to: "one"; role: string | null; access_level: string | null; pool: string | null };

/** Returns the people that a task is for: those that must approve, or those that `assign_to` names; null if neither says. */
export function routingOf(assign_to: JsonObject | null, from: Group | null): Routing | null {
  if (from === null) return assign_to === null ? null : parseAssignTo(assign_to);
  if ("emails" in from) return { to: "emails", emails: from.emails, path: "/approvals/from/emails" };
  const [role, pool] = "role" in from ? [from.role, null] : [null, from.pool];
  return { to: "everyone", role, access_level: null, pool };
}

/** The same for a stored task. */
export function routingIn({
  assign_to,
  approval_policy,
}: Pick<TaskDocuments, "assign_to" | "approval_policy">): Routing | null {
  return routingOf(parseJson<JsonObject>(assign_to), parseJson<Policy>(approval_policy)?.from ?? null);
}

const SPELLINGS: Readonly<Record<string, string>> = { accessLevel: "access_level", userId: "user_id" };
const KEYS = ["email", "user_id", "emails", "role", "access_level", "pool"];
const EMAILS_MAX = 50;
const TEXT_MAX = 200;

/**
 * Reads `assign_to`. (spec: Create a task, routing request)
 * @param path - where it is in the request
 * @throws ServiceError VALIDATION_FAILED that names what is wrong with it
 */
export function parseAssignTo(value: JsonObject, path = "/assign_to"): Routing {
  const asked: JsonObject = {};
  for (const [spelling, item] of Object.entries(value)) {
    const key = SPELLINGS[spelling] ?? spelling;
    if (!KEYS.includes(key))
      throw invalid(
        `${path}/${pointerToken(spelling)}`,
        `Is not known here; assign_to takes ${KEYS.join(", ")}.`,
        "additionalProperties",
      );
    if (item !== null) asked[key] = item;
  }

  const group = ["role", "access_level", "pool"].filter((key) => key in asked);
  const ways = ["email", "user_id", "emails"].filter((key) => key in asked);
  if (ways.length + (group.length > 0 ? 1 : 0) !== 1) {
    throw invalid(path, "Must say one of: email, user_id, emails, or any of role, access_level and pool.");
  }
  switch (ways[0]) {
    case "email":
      return { to: "email", email: email(asked["email"], `${path}/email`) };
    case "user_id":
      return { to: "user", user_id: text(asked["user_id"], `${path}/user_id`) };
    case "emails": {
      const emails = asked["emails"];
      if (!Array.isArray(emails) || emails.length === 0 || emails.length > EMAILS_MAX)
        throw invalid(`${path}/emails`, `Must be a list of 1 to ${EMAILS_MAX} email addresses.`);
      return {
        to: "emails",
        emails: emails.map((item, i) => email(item, `${path}/emails/${i}`)),
        path: `${path}/emails`,
      };
    }
    default: {
      const part = (key: string) => (key in asked ? text(asked[key], `${path}/${key}`) : null);
      return { to: "group", role: part("role"), access_level: part("access_level"), pool: part("pool") };
    }
  }
}

function text(value: unknown, path: string): string {
  if (typeof value === "string" && value !== "" && value.length <= TEXT_MAX && isStorableText(value)) return value;
  throw invalid(path, `Must be text of 1 to ${TEXT_MAX} characters.`);
}

function email(value: unknown, path: string): string {
  if (typeof value === "string" && isEmailAddress(value)) return value;
  throw invalid(path, "Must be an email address.");
}

function pointerToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
