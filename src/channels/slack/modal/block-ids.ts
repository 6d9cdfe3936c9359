import { createHash } from "node:crypto";

/** Of the tick that a task asks for before an answer is sent. No field is called so. */
export const CONFIRM_BLOCK = "~confirmed";

/** The block of a field: its name, or the hash of it where Slack might not give it back as it is. */
export function blockOf(name: string): string {
  return /^\/[\w/~ .:-]{1,200}$/.test(name) ? name : `#${createHash("sha256").update(name).digest("base64url")}`;
}

/**
 * Returns the action of an input in a modal that shows a version of a task. Slack keeps what an input holds while its block and
 * action stay the same, and a new version has values of its own.
 */
export function actionAt(action: string, version: number): string {
  return version === 1 ? action : `${action} v${version}`;
}
