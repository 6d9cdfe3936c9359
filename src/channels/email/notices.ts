import { isActiveIn } from "../../people/caller.ts";
import type { Config } from "../../config.ts";
import type { Reader, Tx } from "../../db/database.ts";
import { enqueue, enqueueAtEnd, LIVE } from "../../deliveries/store.ts";
import { emailKey } from "../../lib/text.ts";
import { isTerminal } from "../../tasks/lifecycle.ts";
import type { Notice, Purpose, Recipient } from "../../tasks/notices.ts";
import type { Destination } from "../../tasks/notify.ts";
import { findTaskForUpdate } from "../../tasks/store.ts";
import { absence, recipientByEmail, recordUnreachable } from "../recipients.ts";
import { EMAIL_KIND, lockMailsTo } from "./addressees.ts";
import { defaultIdentity, resolveIdentity } from "./identities.ts";

/** The stored body of an email delivery. The email and its link are created when it is sent. */
export interface MailBody {
  purpose: Purpose;
  /** The id of the sender identity. */
  identity: string;
  /** The user who had the address at that time, or null. An earlier release left it out. */
  user_id?: string | null;
  /** Only with `assigned` and `reminder`: the address got an email about the task before. */
  is_reply?: boolean;
  /** Only with `commented`: `seq` of the first comment that the email has. */
  since?: number;
}

/**
 * Enqueues one email for each sender and address. Records a failure if there is no sender or the person is deactivated.
 * (spec: Create a task, notify)
 */
export async function enqueueMail(
  ctx: { config: Config },
  tx: Tx,
  notice: Notice,
  to: readonly Destination[],
): Promise<void> {
  const { task_id, purpose, at } = notice;
  const seen = new Set<string>();
  for (const destination of to) {
    const sender = await resolveIdentity(ctx, tx, notice.project, destination.via);
    const name = `${"id" in sender ? sender.id : ""} ${emailKey(destination.target)}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const user = (await recipientByEmail(tx, destination))?.user ?? null;
    if (user !== null && !isActiveIn(user, notice.project)) {
      await recordUnreachable(tx, notice, destination, absence(user));
      continue;
    }
    if (!("id" in sender)) {
      await recordUnreachable(tx, notice, destination, sender.error);
      continue;
    }
    const body: MailBody = { purpose, identity: sender.id, user_id: user?.id ?? null };
    if (purpose === "assigned" || purpose === "reminder") {
      const others = (await lockMailsTo(tx, task_id, destination.target)).filter(
        ({ is_live }) => is_live === LIVE.never,
      );
      // An email that was not sent yet will ask the person as things are then.
      if (others.some(({ is_waiting }) => is_waiting)) continue;
      body.is_reply = others.length > 0;
    }
    await enqueue(tx, { ...deliveryOf(task_id, destination.target, body), due_at: at });
  }
}

/**
 * Enqueues the email that tells a person how a task ended, after they got an email about the task: once for each address. It
 * waits until the task is closed.
 */
export async function enqueueEndNotice(tx: Tx, task_id: string, address: string, asked: MailBody): Promise<void> {
  const task = await findTaskForUpdate(tx, task_id);
  if (task === null) return;
  const mails = await lockMailsTo(tx, task_id, address);
  if (mails.some(({ is_live }) => is_live === LIVE.at_end)) return;
  const { identity, user_id = null } = asked;
  const delivery = deliveryOf(task_id, address, { purpose: "ended", identity, user_id });
  // Marked in either case, so that a second email to the address that was under way finds it.
  await enqueueAtEnd(tx, delivery, isTerminal(task.status));
}

/** Returns the fields of a delivery that every email about a task has. */
export function deliveryOf(task_id: string, destination: string, body: MailBody) {
  return {
    kind: EMAIL_KIND,
    task_id,
    destination,
    // Mail of one sender goes one way.
    origin: `email:${body.identity}`,
    body: JSON.stringify(body),
  };
}

/**
 * Returns the address of a person, with the sender to use: the one that `notify` names for the address, or for any other, or
 * else the default. null if the person has no address or there is no such sender.
 */
export async function destinationByEmail(
  ctx: { config: Config },
  reader: Reader,
  { project }: Notice,
  { email }: Recipient,
  notify: readonly Destination[],
): Promise<Destination | null> {
  if (email === null) return null;
  const named = notify.filter(({ channel }) => channel === EMAIL_KIND);
  const isTheirs = ({ target }: Destination) => emailKey(target) === emailKey(email);
  for (const { via } of [...named.filter(isTheirs), ...named]) {
    const sender = await resolveIdentity(ctx, reader, project, via);
    if ("id" in sender) return { channel: EMAIL_KIND, via: sender.id, target: email };
  }
  const via = await defaultIdentity(ctx, reader, project);
  return via === null ? null : { channel: EMAIL_KIND, via, target: email };
}
