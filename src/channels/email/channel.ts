import type { ChannelType } from "../channel.ts";
import { recipientByEmail } from "../recipients.ts";
import { checkMail } from "./check.ts";
import { createEmailKind } from "./kind.ts";
import { createMailDoor } from "./links.ts";
import { notifiableEmail } from "./notifiable.ts";
import { EMAIL_KIND } from "./addressees.ts";
import { enqueueCommentMail } from "./comment-notice.ts";
import { destinationByEmail, enqueueMail } from "./notices.ts";
import { emailRoutes } from "./routes.ts";
import { emailShapes } from "./schema.ts";

/** Mail: a notice with a link, which lets one person answer one task. (spec: Channels) */
export const emailChannel: ChannelType = {
  ...notifiableEmail,
  shapes: emailShapes,
  check: checkMail,
  open: (ctx) => ({
    recipientOf: recipientByEmail,
    destinationOf: (reader, notice, person, notify) => destinationByEmail(ctx, reader, notice, person, notify),
    enqueue: (tx, notice, to) => enqueueMail(ctx, tx, notice, to),
    enqueueComment: enqueueCommentMail,
    kinds: () => ({ [EMAIL_KIND]: createEmailKind(ctx) }),
    door: createMailDoor,
    routes: (all) => async (app) => {
      await app.register(emailRoutes, { ctx: all });
    },
  }),
};
