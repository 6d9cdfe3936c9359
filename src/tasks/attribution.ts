import { ServiceError } from "../errors.ts";
import type { Caller } from "../people/caller.ts";
import type { Completer } from "./lifecycle.ts";
import type { Actor } from "./move.ts";
import type { CompleteTaskBody } from "./schema.ts";

/** The caller as the audit trail names them; `email` is what the admin token says of whom it acts for. */
export function actorOf(caller: Caller, email: string | null = null): Actor {
  switch (caller.kind) {
    case "admin":
    case "service_key":
      return { type: "agent", email };
    case "user":
      return { type: "human", email: caller.user.email };
    case "link":
    case "slack":
      return { type: "human", email: caller.email };
    case "embed":
      return { type: "human", email: null };
  }
}

/** Who an answer is from. Only the admin token may say so itself; everybody else is who they are. (spec: Complete a task) */
export function completerOf(caller: Caller, body: CompleteTaskBody): Completer {
  const nobody = { email: null, user_id: null, slack: null, channel: null, embed_sub: null };
  switch (caller.kind) {
    case "admin":
      return { ...nobody, email: body.completed_by_email ?? null, channel: body.completed_via_channel ?? null };
    case "user":
      return { ...nobody, email: caller.user.email, user_id: caller.user.id, channel: "dashboard" };
    case "link":
      return { ...nobody, email: caller.email, user_id: caller.user?.id ?? null, channel: "email" };
    case "slack":
      return {
        ...nobody,
        email: caller.email,
        user_id: caller.user?.id ?? null,
        slack: { team_id: caller.team_id, user_id: caller.user_id },
        channel: "slack",
      };
    case "embed":
      return { ...nobody, channel: "embed", embed_sub: caller.sub };
    case "service_key":
      throw new ServiceError("FORBIDDEN");
  }
}
