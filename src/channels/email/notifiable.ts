import { isEmailAddress } from "../../lib/text.ts";
import type { NotifiableChannel } from "../../tasks/notify.ts";

/** How `notify` names people by their address. */
export const notifiableEmail: NotifiableChannel = {
  name: "email",
  example: "email:dana@example.com",
  problemOf: (target) => (isEmailAddress(target) ? null : "is not an email address."),
  isRoom: () => false,
  remindsByDefault: true,
};
