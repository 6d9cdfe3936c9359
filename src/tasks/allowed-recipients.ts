import type { Db, Reader } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { emailKey, isEmailAddress } from "../lib/text.ts";
import type { RecipientPolicy } from "../people/recipient-policy.ts";
import { findUserByAccount, findUserByEmail } from "../people/store.ts";
import type { Routing } from "./assign-to.ts";
import type { Notifier } from "./notices.ts";
import type { Destination } from "./notify.ts";
import type { Recipients } from "./read-request.ts";
import type { StepRecipients } from "./steps.ts";

interface Ctx {
  db: Db;
  notifier: Pick<Notifier, "channels">;
}

/**
 * Rejects a request that names somebody that its agent may not ask. People that routing chooses in the directory, by id, role or
 * pool, are allowed always. (beyond: Agents)
 *
 * @param steps - the people that its steps name
 * @param policies - each has to allow everyone. None: anyone
 * @throws ServiceError RECIPIENT_NOT_ALLOWED that names the recipients
 */
export async function requireRecipientsAllowed(
  ctx: Ctx,
  policies: readonly RecipientPolicy[],
  recipients: Recipients | null,
  steps: readonly StepRecipients[] = [],
): Promise<void> {
  const limits = policies.filter(({ mode }) => mode !== "anyone");
  if (limits.length === 0) return;
  const details: { path: string; message: string }[] = [];
  const check = async (path: string, who: string, isAllowed: (policy: RecipientPolicy) => Promise<boolean>) => {
    for (const policy of limits)
      if (!(await isAllowed(policy))) return details.push({ path, message: refusalOf(policy, who) });
    return null;
  };
  const named = recipients === null ? steps : [{ ...recipients, path: "/notify", to: "/assign_to" }, ...steps];
  for (const { routing, notify, path, to = path } of named as (StepRecipients & { to?: string })[]) {
    for (const [where, email] of emailsOf(routing, to))
      await check(where, email, async (policy) => isEmailAllowed(ctx.db, policy, email));
    for (const [i, destination] of notify.entries())
      await check(`${path}/${i}`, destination.target, async (policy) => isDestinationAllowed(ctx, policy, destination));
  }
  if (details.length > 0) throw new ServiceError("RECIPIENT_NOT_ALLOWED", { details });
}

function refusalOf({ mode }: RecipientPolicy, who: string): string {
  const only =
    mode === "list" ? "the email domains and Slack workspaces of its list" : "active people of the directory";
  return `The agent may not ask ${who}. It may ask only ${only}.`;
}

function emailsOf(routing: Routing | null, at: string): [path: string, email: string][] {
  if (routing?.to === "email") return [[`${at}/email`, routing.email]];
  if (routing?.to === "emails") return routing.emails.map((email, i) => [`${routing.path}/${i}`, email]);
  return [];
}

async function isEmailAllowed(
  reader: Reader,
  { mode, domains = [] }: RecipientPolicy,
  email: string,
): Promise<boolean> {
  if (mode === "list") {
    const domain = emailKey(email).split("@").at(-1)!;
    return domains.some((one) => one.toLowerCase() === domain);
  }
  return (await findUserByEmail(reader, email))?.active === true;
}

async function isDestinationAllowed(
  { db, notifier }: Ctx,
  policy: RecipientPolicy,
  { channel, via, target }: Destination,
): Promise<boolean> {
  if (isEmailAddress(target)) return isEmailAllowed(db, policy, target);
  const { slack_teams = [] } = policy;
  if ((policy.mode === "list" || slack_teams.length > 0) && (via === null || !slack_teams.includes(via))) return false;
  if (policy.mode === "list") return true;
  // A room is in a workspace that an operator has connected.
  if (notifier.channels.find(({ name }) => name === channel)?.isRoom(target)) return true;
  return (await findUserByAccount(db, via, target))?.active === true;
}
