import { invalid } from "../../src/errors.ts";
import { readUrlForm } from "../../src/outbound/url-form.ts";
import type { StoredEntry } from "../../src/resume/entries.ts";
import type { ResumeRequest } from "../../src/resume/schema.ts";
import { canonicalJson, isObject, type JsonObject } from "../json.ts";

/** The kind of what a connection leads to. There are no connections here, so any name may be one. */
const UNKNOWN = "unknown";

/**
 * Returns the entries of a request as they are stored. Nothing is ever sent for them.
 * @throws ServiceError VALIDATION_FAILED
 */
export function readEntries(entries: readonly ResumeRequest[]): StoredEntry[] {
  return entries.map((entry, i) => {
    const { connection, select, ...address } = withoutNulls(entry) as ResumeRequest;
    const common = { select: select ?? "outcome", digest: digestOf(entry) } as const;
    if (connection != null) return { kind: UNKNOWN, connection, address, ...common };
    const path = `/resume/${i}`;
    if (address.url == null)
      throw invalid(path, "Must have a `connection`, or a `url` that carries its own permission.", "required");
    const form = readUrlForm(address.url);
    if (!form.ok) throw invalid(`${path}/url`, form.message);
    return { kind: "url", connection: null, address: { url: `${form.url.origin}/…` }, ...common };
  });
}

/** Returns whether a request has the entries of a stored task. @param stored - JSON @param request - may be anything */
export function hasSameEntries(stored: string | null, { resume }: JsonObject): boolean {
  const before = stored === null ? [] : (JSON.parse(stored) as StoredEntry[]);
  const after = resume ?? [];
  if (!Array.isArray(after) || after.length !== before.length) return false;
  return after.every((entry, i) => isObject(entry) && digestOf(entry) === before[i]!.digest);
}

/** Nothing here is stored for long, so the entry itself can say what it was. */
function digestOf(entry: JsonObject): string {
  return canonicalJson(withoutNulls(entry));
}

function withoutNulls(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}
