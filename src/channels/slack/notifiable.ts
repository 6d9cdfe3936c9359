import { isEmailAddress } from "../../lib/text.ts";
import type { NotifiableChannel } from "../../tasks/notify.ts";

/** How `notify` names people and channels of Slack. */
export const notifiableSlack: NotifiableChannel = {
  name: "slack",
  example: "slack:#approvals",
  problemOf: (target) =>
    isSlackTarget(target) ? null : "is not a Slack channel (#name, C..., G...), user (U..., W..., @handle) or email.",
  isRoom: isSlackChannel,
};

/** Returns whether `notify` may name this: a channel, a user, a handle, or a member's email. */
export function isSlackTarget(target: string): boolean {
  return /^(#[^\s#@<>]{1,80}|[CGUW][A-Z0-9]{2,30}|@[\w.-]{1,80})$/u.test(target) || isEmailAddress(target);
}

/** Whether a target is a channel, and not a person. */
export function isSlackChannel(target: string): boolean {
  return /^[#CG]/.test(target) && !target.includes("@");
}
