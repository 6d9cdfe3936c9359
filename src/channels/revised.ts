import type { Fact } from "../../form/payload/summary.ts";
import { findRevision } from "../conversation/store.ts";
import { findVersion } from "../conversation/versions.ts";
import type { Reader } from "../db/database.ts";
import type { TaskWithDocuments } from "../tasks/store.ts";
import { changesBetween, type Look } from "./decided.ts";

/** How the current version of a task came to be. */
export interface Revised {
  version: number;
  /** Who revised it, by name or address. */
  who: string | null;
  /** The same without an address, for those who may not see it. */
  name: string | null;
  /** What they say of it; may be empty. */
  note: string;
  /** What is different from the version before, and how many more such lines there are. */
  facts: readonly Fact[];
  left_out: string | null;
}

/** Returns what the asker of a task changed last; null if nothing was. Of a redacted task it has no values. */
export async function revisedFor(reader: Reader, task: TaskWithDocuments, look: Look): Promise<Revised | null> {
  const { version } = task;
  if (version === 1) return null;
  const before = await findVersion(reader, task.id, version - 1);
  const said = await findRevision(reader, task.id, version);
  if (before === null || said === null) return null;
  const changes = task.redact_payload ? { facts: [], left_out: null } : changesBetween(before, task, look);
  const { name, email } = said.author;
  return { version, who: name ?? email, name, note: said.text, ...changes };
}
