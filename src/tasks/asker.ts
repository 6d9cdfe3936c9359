import { actionLine, askerLine, type Asked } from "../../form/asker.ts";
import { listedActionFields } from "../actions/request.ts";
import type { TaskRow } from "../db/schema.ts";
import { parseJson, type JsonText } from "../lib/json.ts";
import { personOf, type Caller } from "../people/caller.ts";
import type { OnBehalfOf } from "./schema.ts";

export const ASKER_KINDS = ["agent", "admin", "user"] as const;
export type AskerKind = (typeof ASKER_KINDS)[number];

/** The name of the admin token, and its id in the tables. */
export const ADMIN = "admin";

/** The columns of a task that say who created it. */
export type Asker = Pick<TaskRow, "asked_by_id" | "asked_by_name"> & { asked_by_kind: AskerKind };
export type AskedTask = Pick<TaskRow, "asked_by_kind" | "asked_by_id" | "asked_by_name" | "on_behalf_of">;

/** Returns the caller as the asker of a new task. Each has keys of their own. (beyond: Agents) */
export function askerOf(caller: Caller): Asker {
  if (caller.kind === "agent") return { asked_by_kind: "agent", asked_by_id: caller.id, asked_by_name: caller.name };
  const person = personOf(caller);
  if (person === null) return { asked_by_kind: "admin", asked_by_id: ADMIN, asked_by_name: ADMIN };
  const { id, display_name, email } = person;
  return { asked_by_kind: "user", asked_by_id: id, asked_by_name: display_name ?? email ?? id };
}

/** Who asked, as the records show it. */
export function askedFields({ asked_by_kind, asked_by_id, asked_by_name, on_behalf_of }: AskedTask) {
  const kind = asked_by_kind as AskerKind;
  return {
    asked_by: { kind, id: kind === "admin" ? null : asked_by_id, name: asked_by_name },
    on_behalf_of: parseJson<OnBehalfOf>(on_behalf_of),
  };
}

/** The columns of the lines below. */
type Told = AskedTask & { action: JsonText | null };

/**
 * Returns who asks and for which action, in one line for a page; null if neither an agent nor an action does. The text is plain
 * and bounded, and not escaped.
 */
export function askerLineOf(task: Told): string | null {
  return lineOf(task, askedFields(task), "asks");
}

/** Returns the same for a message that leaves the service. The person behind a redacted task is not named there. */
export function askerLineInMessage(
  task: Told & Pick<TaskRow, "ended_at"> & { redact_payload: boolean },
): string | null {
  const { asked_by, on_behalf_of } = askedFields(task);
  const isClosed = task.ended_at !== null;
  const asked = { asked_by, on_behalf_of: task.redact_payload ? null : on_behalf_of };
  return lineOf(task, asked, isClosed ? "asked" : "asks");
}

function lineOf({ action: stored }: Pick<Told, "action">, asked: Asked, verb: "asks" | "asked"): string | null {
  const { action, actions } = listedActionFields(stored);
  const all = actions ?? (action === null ? [] : [action]);
  return all.length === 0 ? askerLine(asked, verb) : actionLine(asked, all, verb);
}
