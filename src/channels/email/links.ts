import { createHmac } from "node:crypto";
import type { Context } from "../../context.ts";
import type { Reader } from "../../db/database.ts";
import { isId } from "../../lib/ids.ts";
import { deriveKey, isSameSecret } from "../../lib/keys.ts";
import { emailKey } from "../../lib/text.ts";
import { HOUR } from "../../lib/time.ts";
import type { LinkCaller } from "../../people/caller.ts";
import { findUserByEmail } from "../../people/store.ts";
import { parseNotify } from "../../tasks/notify.ts";
import { findWholeTask, type WholeTask } from "../../tasks/store.ts";

/*
 * A link lets one person answer one task: it names the task and proves for which of the addresses in its `notify` it was
 * made. Nothing is stored for it. What has become of the task says whether it still opens anything.
 */

type Ctx = Pick<Context, "config">;

/** Base64url of 24 bytes. */
const PROOF_CHARACTERS = 32;
/** A page that was opened longer ago is shown again before anything is taken from it. */
const NONCE_MAX_MS = 24 * HOUR;

/** The address of the page on which the person at `address` answers. (spec: Channels, email action) */
export function createLink(ctx: Ctx, task_id: string, address: string): string {
  return `${ctx.config.publicUrl}/api/channels/email/action/${task_id}.${proofOf(ctx, task_id, address)}`;
}

export interface OpenedLink {
  task: WholeTask;
  /** Whom the link was made for. */
  address: string;
}

/** @returns null where the token is none of ours, or its task is gone */
export async function openLink(ctx: Ctx & Pick<Context, "db">, token: string): Promise<OpenedLink | null> {
  const [id = "", proof = "", ...more] = token.split(".");
  if (more.length > 0 || proof.length !== PROOF_CHARACTERS || !isId("tsk", id)) return null;
  const task = await findWholeTask(ctx.db, id);
  if (task?.notify == null) return null;
  const addresses = parseNotify(JSON.parse(task.notify) as string[]).flatMap((to) =>
    to.channel === "email" ? [to.address] : [],
  );
  const address = addresses.find((one) => isSameSecret(proof, proofOf(ctx, id, one)));
  return address === undefined ? null : { task, address };
}

/** Who answers through a link; null where they may no longer: somebody who was deactivated. */
export async function recipientOf(reader: Reader, task_id: string, address: string): Promise<LinkCaller | null> {
  const user = await findUserByEmail(reader, address);
  return user !== null && !user.active ? null : { kind: "link", task_id, email: user?.email ?? address, user };
}

/** What a page of the link carries into its post, which proves that it was opened. @param now - epoch milliseconds */
export function createNonce(ctx: Ctx, token: string, now: number): string {
  return `${now}.${macOf(ctx, "nonce", `${token} ${now}`)}`;
}

/** Whether a page of this very link was made with it, and not too long ago. */
export function isNonce(ctx: Ctx, token: string, nonce: string, now: number): boolean {
  const made = Number(/^(\d{1,15})\./.exec(nonce)?.[1] ?? Number.NaN);
  return now - made <= NONCE_MAX_MS && isSameSecret(nonce, createNonce(ctx, token, made));
}

function proofOf(ctx: Ctx, task_id: string, address: string): string {
  return macOf(ctx, "link", `${task_id} ${emailKey(address)}`);
}

function macOf({ config }: Ctx, purpose: "link" | "nonce", text: string): string {
  const mac = createHmac("sha256", deriveKey(config.secretKey, purpose)).update(text).digest("base64url");
  return mac.slice(0, PROOF_CHARACTERS);
}
