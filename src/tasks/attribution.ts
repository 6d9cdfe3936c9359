import { ServiceError } from "../errors.ts";
import type { Caller } from "../people/caller.ts";
import { AT_HOST, type Completer } from "./lifecycle.ts";
import type { Actor } from "./decide.ts";
import { ADMIN } from "./asker.ts";
import type { CompleteTaskBody } from "./schema.ts";

/** The channel of answers that came over MCP. */
const MCP = "mcp";

/** Returns the caller as an actor of the audit trail. @param email - the person that a token acts for */
export function actorOf(caller: Caller, email: string | null = null): Actor {
  switch (caller.kind) {
    case "admin":
    case "service_key":
      return { type: "agent", email, agent: null };
    case "agent":
      return { type: "agent", email, agent: { id: caller.id, name: caller.name } };
    case "user":
      return { type: "human", email: caller.user.email, agent: null };
    case "personal_token":
      return { type: "human", email: caller.person.email, agent: null };
    case "recipient":
      return { type: "human", email: caller.email, agent: null };
  }
}

/** Returns who gave an answer. Only a token may name another person. (spec: Complete a task) */
export function completerOf(caller: Caller, body: CompleteTaskBody): Completer {
  const nobody = { name: null, email: null, user_id: null, account: null, channel: null, embed_sub: null };
  switch (caller.kind) {
    case "admin":
    case "agent": {
      // Without the scope, it is the host that answers. It names no one, because it knows no one.
      if (caller.kind === "agent" && !caller.scopes.includes("answer"))
        return { ...nobody, kind: "host", name: caller.name, channel: AT_HOST };
      const { completed_by_email: email = null, completed_via_channel: channel = null } = body;
      return { ...nobody, kind: caller.kind, name: caller.kind === "admin" ? ADMIN : caller.name, email, channel };
    }
    case "user": {
      const { id, email, display_name } = caller.user;
      return { ...nobody, kind: "person", name: display_name, email, user_id: id, channel: "dashboard" };
    }
    case "personal_token": {
      const { id, email, display_name } = caller.person;
      return { ...nobody, kind: "person", name: display_name, email, user_id: id, channel: MCP };
    }
    case "recipient": {
      const { email, person, account, channel, grant } = caller;
      const kind = grant.kind === "embed" ? "embed" : person === null ? "recipient" : "person";
      const embed_sub = grant.kind === "embed" ? grant.sub : null;
      const user_id = person?.id ?? null;
      return { kind, name: person?.display_name ?? null, email, user_id, account, channel, embed_sub };
    }
    case "service_key":
      throw new ServiceError("FORBIDDEN");
  }
}
