import { ServiceError } from "../errors.ts";
import type { Caller } from "../people/caller.ts";
import type { Completer } from "./lifecycle.ts";
import type { Actor } from "./decide.ts";
import type { CompleteTaskBody } from "./schema.ts";

/** Returns the caller as an actor of the audit trail. @param email - the person that the admin token acts for */
export function actorOf(caller: Caller, email: string | null = null): Actor {
  switch (caller.kind) {
    case "admin":
    case "service_key":
      return { type: "agent", email };
    case "user":
      return { type: "human", email: caller.user.email };
    case "recipient":
      return { type: "human", email: caller.email };
  }
}

/** Returns who gave an answer. Only the admin token may name another person. (spec: Complete a task) */
export function completerOf(caller: Caller, body: CompleteTaskBody): Completer {
  const nobody = { email: null, user_id: null, account: null, channel: null, embed_sub: null };
  switch (caller.kind) {
    case "admin":
      return { ...nobody, email: body.completed_by_email ?? null, channel: body.completed_via_channel ?? null };
    case "user":
      return { ...nobody, email: caller.user.email, user_id: caller.user.id, channel: "dashboard" };
    case "recipient": {
      const { email, person, account, channel, grant } = caller;
      const embed_sub = grant.kind === "embed" ? grant.sub : null;
      return { email, user_id: person?.id ?? null, account, channel, embed_sub };
    }
    case "service_key":
      throw new ServiceError("FORBIDDEN");
  }
}
