import type { OidcConfig } from "../../config/sign-in.ts";
import type { Tx } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import { emailKey } from "../../lib/text.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import { actorOfUser } from "../actor.ts";
import { addUser, findUser, findUserByEmail, lockUser, type User } from "../store.ts";
import { recordUserCreated } from "../user-events.ts";
import { newUserRow } from "../users.ts";
import type { Identity } from "./identity.ts";
import { addLink, findLink, markLinkUsed } from "./links.ts";

/**
 * Returns the person that an account belongs to, and holds their row until `tx` ends. Their account decides. Only at the first
 * sign-in the verified email does, which then links the account.
 *
 * @throws ServiceError OIDC_PERSON_DEACTIVATED, OIDC_EMAIL_NOT_VERIFIED, OIDC_PERSON_UNKNOWN, OIDC_OTHER_ACCOUNT_LINKED
 */
export async function personOfIdentity(tx: Tx, oidc: OidcConfig, identity: Identity): Promise<User> {
  const known = await findLink(tx, identity);
  if (known !== null) {
    const user = requireActive(await lockUser(tx, known.user_id));
    await markLinkUsed(tx, identity);
    return user;
  }
  const { email } = identity;
  if (email === null) throw new ServiceError("OIDC_EMAIL_NOT_VERIFIED");
  const user = requireActive((await lockByEmail(tx, email)) ?? (await createPerson(tx, oidc, email, identity)));
  if (await addLink(tx, identity, user.id)) await recordLink(tx, user, identity);
  // Another tab of the same person may have linked it in the meantime.
  else if ((await findLink(tx, identity))?.user_id !== user.id) throw new ServiceError("OIDC_OTHER_ACCOUNT_LINKED");
  return user;
}

function requireActive(user: User | null): User {
  if (!user?.active) throw new ServiceError("OIDC_PERSON_DEACTIVATED");
  return user;
}

async function lockByEmail(tx: Tx, email: string): Promise<User | null> {
  const found = await findUserByEmail(tx, email);
  const user = found === null ? null : await lockUser(tx, found.id);
  // The address may have passed to another person before the row was held.
  return user?.email_key === emailKey(email) ? user : null;
}

async function createPerson(tx: Tx, { autoCreate }: OidcConfig, email: string, { name }: Identity): Promise<User> {
  if (!autoCreate) throw new ServiceError("OIDC_PERSON_UNKNOWN");
  const row = newUserRow(tx, { email, email_key: emailKey(email), display_name: name });
  // A concurrent sign-in or an operator was faster.
  if (!(await addUser(tx, row))) return requireActive(await lockByEmail(tx, email));
  const user = (await findUser(tx, row.id))!;
  await recordUserCreated(tx, user, { actor: actorOfUser(user), by: "oidc" });
  return user;
}

async function recordLink(tx: Tx, user: User, { issuer, subject }: Identity): Promise<void> {
  await recordSecurityEvent(tx, {
    type: "user_oidc_linked",
    target: { kind: "user", id: user.id },
    actor: actorOfUser(user),
    details: { email: user.email, issuer, subject },
  });
}
