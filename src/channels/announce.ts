import type { Config } from "../config.ts";
import type { Announce } from "../tasks/messages.ts";
import { oweMail } from "./email/owed.ts";
import { owePosts } from "./slack/owed.ts";

/** Everybody is told once, however often they are named. */
export function createAnnounce(ctx: { config: Config }): Announce {
  return async (tx, message, to) => {
    const mails = to.filter((destination) => destination.channel === "email");
    if (mails.length > 0) await oweMail(ctx, tx, message, mails);
    const posts = to.filter((destination) => destination.channel === "slack");
    if (posts.length > 0) await owePosts(ctx, tx, message, posts);
  };
}
