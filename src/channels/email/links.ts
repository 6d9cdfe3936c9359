import { t } from "../../../languages/text.ts";
import type { Config } from "../../config.ts";
import type { Reader, Db } from "../../db/database.ts";
import { isId } from "../../lib/ids.ts";
import { emailKey } from "../../lib/text.ts";
import { isActiveIn, type LinkGrant, type RecipientCaller } from "../../people/caller.ts";
import { toPerson } from "../../people/sign-in.ts";
import { findUser, findUserByEmail } from "../../people/store.ts";
import { toldOf, type Told } from "../../escalation/ladder.ts";
import { parseNotify } from "../../tasks/notify.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../tasks/store.ts";
import { listMailedAddresses } from "./addressees.ts";
import type { Door } from "../action/door.ts";
import { isProof, PROOF_CHARACTERS, proofOf } from "../action/proofs.ts";
import { formForMail } from "./choices.ts";

/*
 * A link lets one person answer one task. It contains the task, the user who had the address when the email was sent (if
 * any), and a proof of the address: one in the task's `notify`, or one that got an email because the task was assigned to it.
 * Nothing is stored for it. The state of the task and of the person decides whether it still works.
 */

interface Ctx {
  config: Config;
}

const PATH = "/api/channels/email/action/";

/** The recipient of a link. */
export interface Recipient {
  /** The address of the email. */
  address: string;
  /** The user who had the address at that time, or null. */
  user_id: string | null;
}

/**
 * Returns the URL of the page on which a person answers. (spec: Channels, email action)
 *
 * @param user_id - the user who has the address, or null
 */
export function createLink(ctx: Ctx, task_id: string, address: string, user_id: string | null = null): string {
  const named = user_id === null ? task_id : `${task_id}.${user_id}`;
  const proof = proofOf(ctx, "link", provenText(task_id, { address, user_id }));
  return `${ctx.config.publicUrl}${PATH}${named}.${proof}`;
}

interface OpenedMailLink {
  task: TaskWithDocuments;
  recipient: Recipient;
}

/**
 * Reads `<task>.<proof>` or `<task>.<user>.<proof>`. An earlier release made two-part links for users too. Such a link is for
 * the current owner of the address. It is at most 30 days old, like its task.
 *
 * @returns null if the token is invalid or its task is gone
 */
async function openLink(ctx: Ctx & { db: Db }, token: string): Promise<OpenedMailLink | null> {
  const parts = token.split(".");
  const [id = "", proof = ""] = [parts[0], parts.at(-1)];
  const user_id = parts.length === 3 ? parts[1]! : null;
  if (parts.length < 2 || parts.length > 3 || proof.length !== PROOF_CHARACTERS || !isId("tsk", id)) return null;
  const task = await findTaskWithDocuments(ctx.db, id);
  if (task === null) return null;
  const addresses = [...namedAddresses(task), ...(await listMailedAddresses(ctx.db, id))];
  const address = addresses.find((one) => isProof(ctx, "link", provenText(id, { address: one, user_id }), proof));
  return address === undefined ? null : { task, recipient: { address, user_id } };
}

function namedAddresses(task: Told): string[] {
  return parseNotify(toldOf(task)).flatMap(({ channel, target }) => (channel === "email" ? [target] : []));
}

/**
 * Returns the person who answers through a link: the user it was made for, even if their address has changed, or else the
 * owner of the address. null if that person was deactivated.
 */
export async function callerOfLink(
  reader: Reader,
  task: Told & Pick<TaskWithDocuments, "id" | "project">,
  { address, user_id }: Recipient,
): Promise<RecipientCaller<LinkGrant> | null> {
  const user = user_id === null ? await findUserByEmail(reader, address) : await findUser(reader, user_id);
  if (user === null ? user_id !== null : !isActiveIn(user, task.project)) return null;
  const is_named = namedAddresses(task).some((named) => emailKey(named) === emailKey(address));
  const grant = { kind: "link", task_id: task.id, is_named } as const;
  return {
    kind: "recipient",
    channel: "email",
    person: user && toPerson(user),
    email: user ? user.email : address,
    account: null,
    grant,
  };
}

/** Links in mails, which open the page of one task. */
export function createMailDoor(ctx: Ctx & { db: Db }): Door {
  return {
    channel: "email",
    path: PATH,
    again: () => t("Open it again from the email. If that does not help, ask the sender."),
    gone: () => t("Your account was deactivated."),
    open: async (token) => {
      const link = await openLink(ctx, token);
      return link && { task: link.task, caller: await callerOfLink(ctx.db, link.task, link.recipient) };
    },
    formOf: formForMail,
  };
}

function provenText(task_id: string, { address, user_id }: Recipient): string {
  // Neither ids nor addresses have blanks.
  return [task_id, ...(user_id === null ? [] : [user_id]), emailKey(address)].join(" ");
}
