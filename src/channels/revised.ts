import type { Fact } from "../../form/payload/summary.ts";
import { findRevision } from "../conversation/store.ts";
import { findVersion } from "../conversation/versions.ts";
import type { Reader } from "../db/database.ts";
import type { TaskWithDocuments } from "../tasks/store.ts";
import { changesBetween, type Look } from "./decided.ts";

/** How the current version of a task came to be. */
export interface Revised {
  version: number;
  /** The version that it is compared with. */
  since: number;
  /** Who revised it, by name or address. */
  who: string | null;
  /** The same without an address, for those who may not see it. */
  name: string | null;
  /** What they say of it; may be empty. */
  note: string;
  /** What is different from that version, and how many more such lines there are. */
  facts: readonly Fact[];
  left_out: string | null;
}

/**
 * Returns what the asker of a task has changed; null if nothing was. Of a redacted task it has no values.
 * @param seen - the version that a person has read; without one, or with one that never was, it is the version before the current one
 */
export async function revisedFor(
  reader: Reader,
  task: TaskWithDocuments,
  look: Look,
  seen?: number,
): Promise<Revised | null> {
  const { version } = task;
  if (version === 1) return null;
  const since = Number.isInteger(seen) && seen! >= 1 && seen! < version ? seen! : version - 1;
  const before = await findVersion(reader, task.id, since);
  const said = await findRevision(reader, task.id, version);
  if (before === null || said === null) return null;
  const changes = task.redact_payload ? { facts: [], left_out: null } : changesBetween(before, task, look);
  const { name, email } = said.author;
  return { version, since, who: name ?? email, name, note: said.text, ...changes };
}
