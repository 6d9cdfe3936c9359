import { votesOf, type Standing } from "../approvals/count.ts";
import { listVotes } from "../approvals/store.ts";
import { addCommentRow } from "../conversation/store.ts";
import { addVersion } from "../conversation/versions.ts";
import type { Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { newId } from "../lib/ids.ts";
import { emailKey } from "../lib/text.ts";
import { parseJson } from "../lib/json.ts";
import { findUser } from "../people/store.ts";
import { notifyAssignee } from "./assignment.ts";
import { inboxHint, listCandidates, setOffersOpen } from "./candidates.ts";
import type { Decision } from "./decide.ts";
import type { Revision } from "./lifecycle.ts";
import type { Notice, Notifier } from "./notices.ts";
import { isNamedBy, parseNotify, type Destination } from "./notify.ts";
import { findRequest, type Task } from "./store.ts";

/** Stores what a task asks now, brings it back to those who had decided, and tells everyone who was told of it. */
export async function afterRevision(
  tx: Tx,
  notifier: Pick<Notifier, "enqueue" | "enqueueFor" | "inBrowsers">,
  { before, after, audit }: Pick<Decision, "before" | "after" | "audit">,
  { documents, before: replaced, comment }: Revision,
): Promise<void> {
  const home = homeOf(after.id);
  await addVersion(tx, after.id, before.version, replaced);
  await tx.query
    .updateTable("task_documents")
    .set(documents)
    .where("task_id", "=", after.id)
    .where("home", "=", home)
    .execute();
  const { version, waiting_on, schemas_length, facts } = after;
  await tx.query
    .updateTable("tasks")
    .set({ version, waiting_on, schemas_length, facts })
    .where("id", "=", after.id)
    .where("home", "=", home)
    .execute();
  const { seq, created_at } = audit;
  // It answers the questions before it.
  await addCommentRow(tx, { ...comment, id: newId("cmt", created_at), seq, answers_seq: seq, created_at });

  const candidates = await listCandidates(tx, after.id);
  if (after.approvals !== null) await setOffersOpen(tx, after.id, candidates, true);
  const { assigned_to_user_id, assigned_to_email } = after;
  for (const name of new Set([...candidates, assigned_to_user_id, assigned_to_email]))
    if (name !== null) tx.hint(inboxHint(emailKey(name)));
  await tell(tx, notifier, { before, after, candidates });
}

/** Tells those who were told of a task, and those whose decision does not count any more. */
async function tell(
  tx: Tx,
  notifier: Pick<Notifier, "enqueue" | "enqueueFor" | "inBrowsers">,
  { before, after, candidates }: { before: Task; after: Task; candidates: readonly string[] },
): Promise<void> {
  const notice: Notice = { task_id: after.id, project: after.project, purpose: "revised", at: after.updated_at };
  const told = parseNotify((await findRequest(tx, after.id))?.notify ?? null);
  await notifier.enqueue(tx, notice, told);
  await notifyAssignee(tx, notifier, notice, after, told, told);
  const decided = await deciders(tx, before);
  await notifier.inBrowsers.enqueue(tx, notice, [...candidates, ...decided]);
  for (const user_id of decided) {
    if (user_id === after.assigned_to_user_id) continue;
    const user = await findUser(tx, user_id);
    if (user === null || told.some((to: Destination) => isNamedBy(to, user))) continue;
    await notifier.enqueueFor(tx, notice, { user, email: user.email, name: user_id }, told);
  }
}

/** Returns the people who had decided about the version before. */
async function deciders(tx: Tx, { id, approvals }: Task): Promise<Set<string>> {
  const standing = parseJson<Standing>(approvals);
  if (standing === null) return new Set();
  return new Set(votesOf(await listVotes(tx, id), standing.round).map(({ user_id }) => user_id));
}
