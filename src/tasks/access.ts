import { ServiceError } from "../errors.ts";
import type { Caller } from "../people/caller.ts";
import type { Completer } from "./lifecycle.ts";
import type { Actor } from "./move.ts";
import type { CompleteTaskBody } from "./schema.ts";

/** What somebody may want to do with tasks. */
export type TaskAction = "create" | "list" | "read" | "poll" | "complete" | "cancel" | "audit" | "delete" | "stats";

/**
 * Who may do what; the only place that decides it. (spec: Authentication, authorization on completion)
 * The admin token may do everything.
 */
export function may(caller: Caller, _action: TaskAction): boolean {
  switch (caller.kind) {
    case "admin":
      return true;
  }
}

/** Whether the caller sees `notify`, `callback_url` and `verifier_config` of a task. */
export function seesRouting(caller: Caller): boolean {
  return caller.kind === "admin";
}

/** The caller as the audit trail names them; `email` is what the admin token says of whom it acts for. */
export function actorOf(caller: Caller, email: string | null = null): Actor {
  switch (caller.kind) {
    case "admin":
      return { type: "agent", email };
  }
}

/** @throws ServiceError FORBIDDEN */
export function requireMay(caller: Caller, action: TaskAction): void {
  if (!may(caller, action)) throw new ServiceError("FORBIDDEN");
}

/** Whom an answer is from. Only the admin token may say so itself; everybody else is who they are. (spec: Complete a task) */
export function completerOf(caller: Caller, body: CompleteTaskBody): Completer {
  switch (caller.kind) {
    case "admin":
      return {
        email: body.completed_by_email ?? null,
        user_id: null,
        channel: body.completed_via_channel ?? null,
        embed_sub: null,
      };
  }
}
