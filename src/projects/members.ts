import type { Db, Reader, Tx } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";
import { isOperatorOf, type Caller } from "../people/caller.ts";
import { joinDefault, setRole } from "../people/membership-store.ts";
import { LEFT, roleIn, type ProjectRole } from "../people/memberships.ts";
import { requireSeesProject } from "../people/projects.ts";
import { signedOutHint } from "../people/sessions.ts";
import { findUser, listUsersIn, lockUser, type User } from "../people/store.ts";
import { DEPARTED } from "../people/users.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { targetOf } from "./projects.ts";
import type { MembershipRecord, SetMemberBody } from "./schema.ts";

interface Ctx {
  db: Db;
}

/** Returns the people of a project, by name. @throws ServiceError PROJECT_NOT_FOUND, FORBIDDEN */
export async function listMembers({ db }: Ctx, caller: Caller, slug: string): Promise<MembershipRecord[]> {
  await requireOperatorOfProject(db, caller, slug);
  const members = await listUsersIn(db, slug);
  return members.map((user) => toRecord(user, slug));
}

/**
 * Sets the role of a user in a project.
 * @throws ServiceError PROJECT_NOT_FOUND, FORBIDDEN, USER_NOT_FOUND
 */
export async function setMember(
  { db }: Ctx,
  caller: Caller,
  slug: string,
  { user_id, role }: SetMemberBody,
): Promise<MembershipRecord> {
  await requireOperatorOfProject(db, caller, slug);
  return db.write(async (tx) => {
    const user = await lockKnownUser(tx, user_id);
    const wanted = role ?? "member";
    if (roleIn(user.projects, slug) !== wanted) {
      await change(tx, user, slug, wanted);
      await recordSecurityEvent(tx, {
        type: "project_member_set",
        target: targetOf({ slug }),
        details: { user_id, email: user.email, role: wanted },
      });
    }
    return toRecord({ ...user, projects: { ...user.projects, [slug]: wanted } }, slug);
  });
}

/**
 * Removes a user from a project. Their open tasks there go to others.
 * @throws ServiceError PROJECT_NOT_FOUND, FORBIDDEN, USER_NOT_FOUND also if they are not in it
 */
export async function removeMember({ db }: Ctx, caller: Caller, slug: string, user_id: string): Promise<void> {
  await requireOperatorOfProject(db, caller, slug);
  await db.write(async (tx) => {
    const user = await lockKnownUser(tx, user_id);
    if (roleIn(user.projects, slug) === null)
      throw new ServiceError("USER_NOT_FOUND", { message: "This person is not in the project." });
    await change(tx, user, slug, LEFT);
    tx.hint(DEPARTED);
    await recordSecurityEvent(tx, {
      type: "project_member_removed",
      target: targetOf({ slug }),
      details: { user_id, email: user.email },
    });
  });
}

/** @throws ServiceError PROJECT_NOT_FOUND, FORBIDDEN unless the caller is an operator of the project */
async function requireOperatorOfProject(reader: Reader, caller: Caller, slug: string): Promise<void> {
  if (caller.kind === "service_key") throw new ServiceError("FORBIDDEN");
  await requireSeesProject(reader, caller, slug);
  if (!isOperatorOf(caller, slug)) throw new ServiceError("FORBIDDEN");
}

async function lockKnownUser(tx: Tx, id: string): Promise<User> {
  if (!isId("usr", id) || (await lockUser(tx, id)) === null) throw new ServiceError("USER_NOT_FOUND");
  // Read once the row is held: another change may have been waited for.
  const user = await findUser(tx, id);
  if (user === null) throw new ServiceError("USER_NOT_FOUND");
  return user;
}

/** Polls and streams of the user see it at once. */
async function change(tx: Tx, { id }: User, slug: string, role: ProjectRole | typeof LEFT): Promise<void> {
  // A first row would end the membership of the default project that people without any row have.
  await joinDefault(tx);
  await setRole(tx, id, slug, role);
  tx.hint(signedOutHint(id));
}

function toRecord({ id, projects, email, display_name }: User, project: string): MembershipRecord {
  return { user_id: id, project, role: roleIn(projects, project)!, email, display_name };
}
