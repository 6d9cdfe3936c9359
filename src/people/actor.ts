import { ANONYMOUS, type Actor } from "../security/request.ts";
import type { Caller, Person } from "./caller.ts";

/** Returns a caller as the security log names it. */
export function actorOf(caller: Caller | null): Actor {
  switch (caller?.kind) {
    case "admin":
      return { kind: "admin_token", id: null, email: null };
    case "user":
      return actorOfUser(caller.user);
    case "agent":
      return { kind: "agent", id: caller.id, email: null };
    case "service_key":
      return { kind: "embed_key", id: caller.id, email: null };
    case "personal_token":
      return { kind: "personal_token", id: caller.person.id, email: caller.person.email };
    case "recipient":
      return { kind: "recipient", id: caller.person?.id ?? null, email: caller.person?.email ?? caller.email };
    case undefined:
      return ANONYMOUS;
  }
}

export function actorOfUser({ id, email }: Pick<Person, "id" | "email">): Actor {
  return { kind: "user", id, email };
}
