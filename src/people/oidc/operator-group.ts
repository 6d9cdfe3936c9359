import type { Logger } from "pino";
import type { Tx } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import { actorOfUser } from "../actor.ts";
import { requireOperatorLeft, type SignInSettings } from "../last-operator.ts";
import { endSessionsOf } from "../sessions.ts";
import { updateUser, type User } from "../store.ts";
import type { Identity } from "./identity.ts";

interface Ctx {
  config: SignInSettings;
  log: Logger;
}

/**
 * Makes a person an operator, or an ordinary user, as their groups at the provider say. The last operator who can sign in stays
 * one.
 *
 * @param operators - locked
 * @returns the person as they are now
 */
export async function applyOperatorGroup(
  { config, log }: Ctx,
  tx: Tx,
  { operators, user, identity }: { operators: readonly User[]; user: User; identity: Identity },
): Promise<User> {
  const group = config.signIn.oidc?.operatorGroup ?? null;
  if (group === null) return user;
  if (identity.hasTooManyGroups) tx.afterCommit(() => log.warn({ user: user.id }, TOO_MANY_GROUPS));
  const isMember = identity.groups.includes(group);
  if (isMember === user.is_operator) return user;
  const after = { ...user, is_operator: isMember };
  const event = {
    type: isMember ? "operator_rights_granted" : "operator_rights_removed",
    target: { kind: "user", id: user.id },
    actor: actorOfUser(user),
    details: { email: user.email, by: "oidc", group },
  } as const;
  try {
    await requireOperatorLeft(tx, config, { operators, after });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "LAST_OPERATOR") throw error;
    await recordSecurityEvent(tx, { ...event, outcome: "failure", reason: error.code });
    tx.afterCommit(() => log.warn({ user: user.id, group }, KEPT));
    return user;
  }
  await updateUser(tx, user.id, { is_operator: isMember ? 1 : 0, updated_at: tx.now() });
  if (!isMember) await endSessionsOf(tx, user.id);
  await recordSecurityEvent(tx, event);
  return after;
}

const KEPT =
  "A person is not in the operator group of the sign-in provider (SERVICE_OIDC_OPERATOR_GROUP), but stays an operator, because they are the last one who can sign in";
const TOO_MANY_GROUPS =
  "The sign-in provider left out the groups of a person, because there are too many. They count as a member of none. Let it send only the groups that are assigned to the application";
