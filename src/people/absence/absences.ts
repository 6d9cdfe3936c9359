import { lockName } from "../../db/locks.ts";
import type { Db, Tx } from "../../db/database.ts";
import { invalid, ServiceError } from "../../errors.ts";
import { isId } from "../../lib/ids.ts";
import { isoTime, parseTime } from "../../lib/time.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import { isOperator, type Caller } from "../caller.ts";
import { findUser, listColleagues, lockUser, updateUser } from "../store.ts";
import { absenceOf, NO_ABSENCE, type Absence } from "./absence.ts";
import { toAbsenceRecord, type AbsenceRecord, type DelegateRecord, type SetAbsenceBody } from "./schema.ts";

interface Ctx {
  db: Db;
}

/** The lock of everyone who sets an absence: each must see the delegates that others have just named. */
const ABSENCES = "absences";
const DELEGATES_MAX = 20;

/**
 * Sets when a person is away, in place of what was set before.
 *
 * @throws ServiceError FORBIDDEN unless the caller is that person or an operator; USER_NOT_FOUND, VALIDATION_FAILED,
 *   DELEGATION_CYCLE
 */
export async function setAbsence(
  { db }: Ctx,
  caller: Caller,
  id: string,
  { delegate_user_id = null, ...body }: SetAbsenceBody,
): Promise<AbsenceRecord> {
  requireMayChange(caller, id);
  const absence = { from: timeOf(body, "from"), until: timeOf(body, "until"), delegate_user_id };
  if (absence.until <= absence.from) throw invalid("/until", "Must be after `from`.");
  return db.write(async (tx) => {
    await lockName(tx, ABSENCES);
    const user = await lockUser(tx, id);
    if (!user) throw new ServiceError("USER_NOT_FOUND");
    const now = tx.now();
    if (absence.until <= now) throw invalid("/until", "Must be in the future.");
    await requireDelegate(tx, id, absence);
    await updateUser(tx, id, {
      absent_from: absence.from,
      absent_until: absence.until,
      delegate_user_id,
      updated_at: now,
    });
    await recordSecurityEvent(tx, {
      type: "user_absence_set",
      target: { kind: "user", id },
      details: { email: user.email, from: isoTime(absence.from), until: isoTime(absence.until), delegate_user_id },
    });
    return toAbsenceRecord(absence, now)!;
  });
}

/**
 * Ends the absence of a person; what is not yet there changes nothing. Tasks that a delegate got stay with the delegate.
 * @throws ServiceError FORBIDDEN unless the caller is that person or an operator; USER_NOT_FOUND
 */
export async function endAbsence({ db }: Ctx, caller: Caller, id: string): Promise<void> {
  requireMayChange(caller, id);
  await db.write(async (tx) => {
    const user = await lockUser(tx, id);
    if (!user) throw new ServiceError("USER_NOT_FOUND");
    if (absenceOf(user) === null) return;
    await updateUser(tx, id, { ...NO_ABSENCE, updated_at: tx.now() });
    await recordSecurityEvent(tx, {
      type: "user_absence_ended",
      target: { kind: "user", id },
      details: { email: user.email },
    });
  });
}

/**
 * Returns who can be the delegate of a person: active people who share a project with them, by name, at most 20. The present
 * delegate comes first, whatever is searched for.
 *
 * @param q - text in the email or the name
 * @throws ServiceError FORBIDDEN unless the caller is that person or an operator; USER_NOT_FOUND
 */
export async function listDelegates({ db }: Ctx, caller: Caller, id: string, q = ""): Promise<DelegateRecord[]> {
  requireMayChange(caller, id);
  const user = await findUser(db, id);
  if (!user) throw new ServiceError("USER_NOT_FOUND");
  const present = user.delegate_user_id === null ? null : await findUser(db, user.delegate_user_id);
  const others = await listColleagues(db, user, q, DELEGATES_MAX);
  return [...(present === null ? [] : [present]), ...others.filter((other) => other.id !== present?.id)]
    .slice(0, DELEGATES_MAX)
    .map(({ id: user_id, email, display_name }) => ({ user_id, email, display_name }));
}

/** @throws ServiceError FORBIDDEN; USER_NOT_FOUND for an id that no user can have */
function requireMayChange(caller: Caller, id: string): void {
  const isOwn = caller.kind === "user" && caller.user.id === id;
  if (!isOwn && !isOperator(caller)) throw new ServiceError("FORBIDDEN");
  if (!isId("usr", id)) throw new ServiceError("USER_NOT_FOUND");
}

function timeOf(body: Pick<SetAbsenceBody, "from" | "until">, name: "from" | "until"): number {
  const time = parseTime(body[name]);
  if (time === null) throw invalid(`/${name}`, "Must be a time with an offset, such as 2026-01-31T12:00:00Z.");
  return time;
}

/**
 * Checks the delegate of an absence, and that nobody would be their own delegate, directly or through the delegates of delegates,
 * at any time. Two people may stand in for each other when they are away one after the other.
 *
 * @throws ServiceError VALIDATION_FAILED, DELEGATION_CYCLE
 */
async function requireDelegate(tx: Tx, id: string, absence: Absence): Promise<void> {
  let next = absence.delegate_user_id;
  // When everyone so far is away at once.
  let from = Math.max(absence.from, tx.now());
  let until = absence.until;
  const seen = new Set<string>();
  while (next !== null && !seen.has(next)) {
    if (next === id) throw new ServiceError("DELEGATION_CYCLE");
    seen.add(next);
    const delegate = isId("usr", next) ? await findUser(tx, next) : null;
    if (next === absence.delegate_user_id && !delegate?.active)
      throw invalid("/delegate_user_id", "No active user has this id.");
    const theirs = delegate === null ? null : absenceOf(delegate);
    if (theirs === null) return;
    from = Math.max(from, theirs.from);
    until = Math.min(until, theirs.until);
    if (until <= from) return;
    next = theirs.delegate_user_id;
  }
}
