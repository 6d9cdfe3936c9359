import { invalid, ServiceError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { isEmailAddress, isStorableText } from "../lib/text.ts";
import type { ApprovalsRequest } from "./schema.ts";

/** A group of people of the directory. */
export type Group = { role: string } | { pool: string } | { emails: string[] };

/** Who must approve a task. */
export interface Policy {
  /** How many different people. */
  need: number;
  /** Who may decide; null: everyone who may answer the task. */
  from: Group | null;
  /** `any`: one rejection ends the task. `none`: it ends when `need` cannot be reached any more. */
  veto: "any" | "none";
  exclude: readonly string[];
  /** The owner that the agent had when it asked, if `exclude` names the asker: a later owner does not free them. */
  owner_user_id?: string | null;
  /** Hides what others decided until the end. */
  blind: boolean;
  /** Each needs an approval by a person of its own. */
  one_of_each: readonly Group[];
}

/** `exclude: ["answered:<task id>"]`: the people who decided that task. */
export const ANSWERED = "answered:";

/** What `exclude` may name. */
const EXCLUDABLE = /^(?:asker|on_behalf_of|answered:tsk_[0-9a-z]{26})$/;
const EMAILS_MAX = 50;
const NAME_MAX = 200;

/** The fields of a request that approvals are about. */
interface Asked {
  approvals?: ApprovalsRequest | null;
  action?: { allowed?: readonly string[] | null } | null;
  actions?: readonly { allowed?: readonly string[] | null }[] | null;
  assign_to?: JsonObject | null;
  verifier_config?: JsonObject | null;
}

/**
 * Returns who must approve a new task; null if one person decides.
 * @throws ServiceError APPROVALS_NEED_ACTION, VALIDATION_FAILED
 */
export function readPolicy(body: Asked): Policy | null {
  const { approvals, assign_to } = body;
  if (approvals == null) return null;
  const actions = body.action == null ? (body.actions ?? []) : [body.action];
  if (actions.length === 0) throw new ServiceError("APPROVALS_NEED_ACTION");
  if (actions.some(({ allowed }) => allowed != null && !allowed.includes("approve")))
    throw invalid("/approvals", "The action must allow `approve`.");
  if (body.verifier_config != null)
    throw invalid(
      "/verifier_config",
      "A verifier checks the answer of one person. Leave out either this or `approvals`.",
    );
  const { need, exclude, blind } = approvals;
  const from = approvals.from == null ? null : readGroup(approvals.from, "/approvals/from");
  if (from !== null && assign_to != null)
    throw invalid("/assign_to", "`approvals.from` says who the task is offered to. Leave out one of the two.");
  const veto = approvals.veto ?? "any";
  if (veto === "none" && from === null && assign_to == null)
    throw invalid("/approvals/veto", "`none` needs people who are known: say who in `from` or in `assign_to`.");
  const one_of_each = (approvals.one_of_each ?? []).map((group, i) => readGroup(group, `/approvals/one_of_each/${i}`));
  if (one_of_each.length > need)
    throw invalid(
      "/approvals/one_of_each",
      "Each group needs an approval of its own, so `need` must be at least their number.",
    );
  if (from !== null && "emails" in from && new Set(from.emails.map((email) => email.toLowerCase())).size < need)
    throw invalid("/approvals/need", "`from` names fewer people.");
  for (const [i, name] of (exclude ?? []).entries())
    if (!EXCLUDABLE.test(name))
      throw invalid(`/approvals/exclude/${i}`, "Must be `asker`, `on_behalf_of` or `answered:<task id>`.");
  return { need, from, veto, exclude: [...new Set(exclude ?? [])], blind: blind ?? false, one_of_each };
}

function readGroup(value: unknown, path: string): Group {
  const entries = isJsonObject(value) ? Object.entries(value).filter(([, item]) => item !== null) : [];
  const [[key, item] = ["", null], ...others] = entries;
  if (others.length > 0 || !["role", "pool", "emails"].includes(key))
    throw invalid(path, "Must be one of {role}, {pool} and {emails}.");
  if (key === "emails") return { emails: readEmails(item, `${path}/emails`) };
  if (typeof item !== "string" || item === "" || item.length > NAME_MAX || !isStorableText(item))
    throw invalid(`${path}/${key}`, `Must be text of 1 to ${NAME_MAX} characters.`);
  return key === "role" ? { role: item } : { pool: item };
}

function readEmails(value: unknown, path: string): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > EMAILS_MAX)
    throw invalid(path, `Must be a list of 1 to ${EMAILS_MAX} email addresses.`);
  for (const [i, email] of value.entries())
    if (typeof email !== "string" || !isEmailAddress(email)) throw invalid(`${path}/${i}`, "Must be an email address.");
  return value as string[];
}
