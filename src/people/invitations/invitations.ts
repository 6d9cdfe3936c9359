import type { Config } from "../../config.ts";
import type { Db } from "../../db/database.ts";
import type { InvitationRow } from "../../db/schema.ts";
import { ServiceError } from "../../errors.ts";
import { isId } from "../../lib/ids.ts";
import { DAY, isoTime } from "../../lib/time.ts";
import { hashOfToken } from "../../lib/tokens.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import { actorOfUser } from "../actor.ts";
import type { Browser } from "../browser.ts";
import { requireOperator, type Caller } from "../caller.ts";
import { DEFAULT_PROJECT } from "../memberships.ts";
import { isLimited } from "../passkeys/requirement.ts";
import { isPasswordAllowed } from "../password-sign-in.ts";
import { requireGoodPassword } from "../passwords.ts";
import { countTry, INVITATION_BY_IP, sourceOf } from "../rate-limits.ts";
import { endSessionsOf } from "../sessions.ts";
import { beginSession, meOf, toPerson, type SignedIn, type SignInContext } from "../sign-in.ts";
import { findUser, lockUser, updateUser, type User } from "../store.ts";
import type { InvitationMail } from "./mail.ts";
import {
  daysOf,
  toInvitationRecord,
  type AcceptInvitationBody,
  type CreateInvitationBody,
  type InvitationKind,
  type NewInvitationRecord,
  type OpenedInvitation,
  type OpenInvitationBody,
} from "./schema.ts";
import { findInvitation, putInvitation, revokeInvitationOf, takeInvitation } from "./store.ts";
import { INVITATION_TOKEN } from "./token.ts";

/** The context of inviting people. */
export interface InvitingContext {
  config: Config;
  db: Db;
  invitationMail: InvitationMail;
}

/**
 * Creates the link by which a user sets their own password: an invitation, or a reset if they have a password. An older link is
 * worthless from then on. The link is mailed if there is a sender. Otherwise it is in this answer, and nowhere else: only its
 * hash is stored.
 *
 * @throws ServiceError FORBIDDEN, USER_NOT_FOUND, USER_CANNOT_BE_INVITED, PASSWORD_SIGN_IN_OFF
 */
export async function createInvitation(
  { config, db, invitationMail }: InvitingContext,
  caller: Caller,
  id: string,
  body: CreateInvitationBody,
): Promise<NewInvitationRecord> {
  requireOperator(caller);
  const before = isId("usr", id) ? await findUser(db, id) : null;
  if (before === null) throw new ServiceError("USER_NOT_FOUND");
  const isMailWanted = body.send_email ?? true;
  // Everything is read before the commit: a failure after it would say that nothing was stored.
  const projects = [...new Set([...Object.keys(before.projects), DEFAULT_PROJECT])];
  const send = isMailWanted ? await invitationMail.senderFor(projects) : null;
  const token = INVITATION_TOKEN.create();
  const { row, user } = await db.write(async (tx) => {
    const now = tx.now();
    const user = await lockUser(tx, id);
    if (user === null) throw new ServiceError("USER_NOT_FOUND");
    if (!user.active || user.email === null) throw new ServiceError("USER_CANNOT_BE_INVITED");
    if (!isPasswordAllowed(config.signIn, user))
      throw new ServiceError("PASSWORD_SIGN_IN_OFF", {
        message: "Password sign-in is turned off for this person, so they need no password.",
      });
    const row: InvitationRow = {
      user_id: id,
      kind: kindFor(user),
      hash: hashOfToken(token),
      created_at: now,
      expires_at: now + daysOf(body) * DAY,
    };
    await putInvitation(tx, row);
    await recordSecurityEvent(tx, {
      type: "user_invitation_created",
      target: { kind: "user", id },
      details: { email: user.email, kind: row.kind, expires_at: isoTime(row.expires_at) },
    });
    return { row, user: { ...user, email: user.email } };
  });
  const record = toInvitationRecord(row);
  const url = `${config.publicUrl}/invitation#token=${token}`;
  if (!isMailWanted) return { ...record, mailed_to: null, mail_problem: null, url };
  const { expires_at } = row;
  const problem =
    send === null
      ? "There is no email sender that reaches people."
      : await send({
          kind: record.kind,
          to: user.email,
          url,
          expires_at,
          time_zone: user.time_zone,
          language: user.language,
        });
  return problem === null
    ? { ...record, mailed_to: user.email, mail_problem: null, url: null }
    : { ...record, mailed_to: null, mail_problem: problem, url };
}

function kindFor({ password_hash }: User): InvitationKind {
  return password_hash === null ? "invitation" : "password_reset";
}

/** Revokes the link of a user. @throws ServiceError FORBIDDEN, USER_NOT_FOUND, NOT_FOUND if there is none */
export async function revokeInvitation({ db }: { db: Db }, caller: Caller, id: string): Promise<void> {
  requireOperator(caller);
  await db.write(async (tx) => {
    const user = isId("usr", id) ? await lockUser(tx, id) : null;
    if (user === null) throw new ServiceError("USER_NOT_FOUND");
    if (!(await revokeInvitationOf(tx, user)))
      throw new ServiceError("NOT_FOUND", { message: "This person has no link. It was used or revoked." });
  });
}

/**
 * Shows a person what their link is for.
 * @throws ServiceError RATE_LIMITED; INVITATION_INVALID, which does not say whether the link was used, revoked, has expired or
 *   never existed
 */
export async function openInvitation(
  ctx: Pick<SignInContext, "config" | "db">,
  { address }: Pick<Browser, "address">,
  { token }: OpenInvitationBody,
): Promise<OpenedInvitation> {
  await countTry(ctx.db, [[INVITATION_BY_IP, sourceOf(address)]]);
  const { user, invitation } = await requireInvitation(ctx, token);
  const { email, display_name } = user;
  return { kind: invitation.kind as InvitationKind, email, display_name, expires_at: isoTime(invitation.expires_at) };
}

/**
 * Sets the password of the person with a link, ends their sessions, and signs them in. The link works once.
 * @throws ServiceError RATE_LIMITED, INVITATION_INVALID, PASSWORD_SIGN_IN_OFF, VALIDATION_FAILED, OVERLOADED
 */
export async function acceptInvitation(
  ctx: SignInContext,
  browser: Browser,
  { token, password }: AcceptInvitationBody,
): Promise<SignedIn> {
  await countTry(ctx.db, [[INVITATION_BY_IP, sourceOf(browser.address)]]);
  const { user: before, invitation } = await requireInvitation(ctx, token);
  requireGoodPassword(password, "/password", before.email);
  const password_hash = await ctx.passwords.hash(password);
  const cookie = ctx.cookies.make();
  const user = await ctx.db.write(async (tx) => {
    // The person first, as everywhere: who revokes the link, or uses it in another browser, waits.
    const now = await lockUser(tx, before.id);
    const kind = await takeInvitation(tx, before.id, invitation.hash);
    if (kind === null || !now?.active) throw new ServiceError("INVITATION_INVALID");
    await updateUser(tx, now.id, { password_hash, updated_at: tx.now() });
    await endSessionsOf(tx, now.id);
    await recordSecurityEvent(tx, {
      type: "user_invitation_accepted",
      target: { kind: "user", id: now.id },
      actor: actorOfUser(now),
      details: { email: now.email, kind },
    });
    await beginSession(tx, browser, now, { hash: cookie.hash, method: "password" });
    return now;
  });
  const setCookies = [cookie.setCookie, ctx.devices.remember(null, user.id, ctx.db.now())];
  return { me: meOf(toPerson(user), isLimited(ctx.config, user, "password"), ctx.db.now()), setCookies };
}

/** @throws ServiceError INVITATION_INVALID, PASSWORD_SIGN_IN_OFF */
async function requireInvitation(
  { config, db }: Pick<SignInContext, "config" | "db">,
  token: string,
): Promise<{ user: User & { email: string }; invitation: InvitationRow }> {
  const invitation = INVITATION_TOKEN.isOne(token) ? await findInvitation(db, hashOfToken(token)) : null;
  const user = invitation === null ? null : await findUser(db, invitation.user_id);
  if (invitation === null || !user?.active || user.email === null) throw new ServiceError("INVITATION_INVALID");
  // Only now, so that strangers do not learn who is an operator.
  if (!isPasswordAllowed(config.signIn, user)) throw new ServiceError("PASSWORD_SIGN_IN_OFF");
  return { user: { ...user, email: user.email }, invitation };
}
