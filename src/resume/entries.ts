import type { DataKey } from "../db/data-key.ts";
import type { Reader, Tx } from "../db/database.ts";
import { enqueueAtEnd } from "../deliveries/store.ts";
import { invalid } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { AddressPolicy } from "../outbound/addresses.ts";
import { checkCallbackUrl, originOf } from "../outbound/outbound-url.ts";
import type { Caller } from "../people/caller.ts";
import { findConnectionOf, mayAgentUse } from "./connection-store.ts";
import { digestOf } from "./digest.ts";
import { keptFields, requireShape, urlOf } from "./fields.ts";
import { groupKey, joinGroup, type Group } from "./groups.ts";
import type { Fields, ResumeKind } from "./kind.ts";
import { resumeKind } from "./registered.ts";
import type { ResumeRequest, Selection } from "./schema.ts";

/** An entry of `resume`, as it is stored with its task. */
export interface StoredEntry {
  kind: string;
  /** As the request named it; null: none. */
  connection: string | null;
  /** Without what must stay secret. */
  address: Fields;
  select: Selection;
  /** Tells whether a request is the same as the one that created the task. */
  digest: string;
}

/** A checked entry, with everything that its delivery needs. */
export interface PlacedEntry {
  stored: StoredEntry;
  connection_id: string | null;
  /** What must stay secret. */
  secret: Fields;
  /** The group that the task belongs to; null: none. */
  group: Group | null;
  /** Where it is, for operators. */
  destination: string;
  origin: string;
}

/** The body of the delivery of an entry. */
export interface ResumeBody {
  connection: string | null;
  address: Fields;
  /** JSON of the secret fields, sealed for the task; null: there are none. */
  sealed: string | null;
  select: Selection;
}

/** How the kinds of deliveries begin that resume something. */
export const DELIVERY_KIND = "resume.";

export function deliveryKindOf(kind: string): string {
  return `${DELIVERY_KIND}${kind}`;
}

/** Where the secret fields of a task are sealed for. */
export function placeOfSecrets(task_id: string): string {
  return `deliveries/${task_id}/resume`;
}

const URL_KIND = "url";
/**
 * Checks the entries of a request, and finds their connections.
 * @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED
 */
export async function placeEntries(
  reader: Reader,
  { caller, project, policy }: { caller: Caller; project: string; policy: AddressPolicy },
  entries: readonly ResumeRequest[],
): Promise<PlacedEntry[]> {
  const placed: PlacedEntry[] = [];
  for (const [i, entry] of entries.entries())
    placed.push(await placeEntry(reader, { caller, project, policy }, entry, i));
  const keys = placed.map(({ group }) => group?.key);
  const repeated = keys.findIndex((key, i) => key !== undefined && keys.indexOf(key) < i);
  if (repeated !== -1) throw invalid(`/resume/${repeated}`, "Is of the same group as an entry before it.");
  return placed;
}

async function placeEntry(
  reader: Reader,
  { caller, project, policy }: { caller: Caller; project: string; policy: AddressPolicy },
  entry: ResumeRequest,
  i: number,
): Promise<PlacedEntry> {
  const path = `/resume/${i}`;
  const { connection, select, ...given } = entry;
  const found =
    connection == null ? null : await requireConnection(reader, { caller, project, named: connection, path });
  const kind = found?.kind ?? resumeKind(URL_KIND)!;
  if (found === null && entry.url == null)
    throw invalid(path, "Must have a `connection`, or a `url` that carries its own permission.", "required");
  requireShape(kind.address, given, path);
  const { address, secret } = split(kind, given);
  const problem = kind.checkAddress?.({ ...address, ...secret }, select ?? undefined) ?? null;
  if (problem !== null) throw invalid(`${path}${problem.path}`, problem.message);
  const stored = {
    kind: kind.name,
    connection: connection ?? null,
    address,
    select: select ?? "outcome",
    digest: digestOf(entry),
  } as const;
  if (found !== null) {
    const { id } = found;
    const group = groupIn(kind, id, address);
    return { stored, connection_id: id, secret, group, destination: id, origin: originOf(found.url) };
  }
  const url = given.url!;
  const refusal = checkCallbackUrl(url, policy);
  if (refusal !== null) throw invalid(`${path}/url`, refusal);
  const origin = originOf(url);
  // The rest of the address is the permission.
  return {
    stored: { ...stored, address: { url: `${origin}/…` } },
    connection_id: null,
    secret,
    group: null,
    destination: `${origin}/…`,
    origin,
  };
}

/** @throws ServiceError VALIDATION_FAILED, also for a connection that the caller may not use, which it must not learn of */
async function requireConnection(
  reader: Reader,
  { caller, project, named, path }: { caller: Caller; project: string; named: string; path: string },
): Promise<{ id: string; kind: ResumeKind; url: string }> {
  const row = await findConnectionOf(reader, project, named);
  const mayUse = row !== null && (caller.kind !== "agent" || mayAgentUse(row, caller.id));
  const kind = mayUse ? resumeKind(row.kind) : null;
  if (!mayUse || kind === null)
    throw invalid(`${path}/connection`, `There is no connection "${named}" in this project that you may use.`);
  return { id: row.id, kind, url: urlOf(kind.connection!, JSON.parse(row.address) as Fields) };
}

/** Returns the group that an address belongs to; null: none. */
export function groupIn(kind: ResumeKind | null, connection_id: string | null, address: Fields): Group | null {
  const of = kind?.groupOf?.(address) ?? null;
  return of === null || connection_id === null ? null : { key: groupKey(connection_id, of.id), size: of.size };
}

/** Keeps the fields that the kind knows, and sets those apart that must stay secret. */
function split(
  { address: schema, secretFields = [] }: ResumeKind,
  given: JsonObject,
): { address: Fields; secret: Fields } {
  const known = Object.entries(keptFields(schema, given));
  const pick = (isSecret: boolean) =>
    Object.fromEntries(known.filter(([name]) => secretFields.includes(name) === isSecret));
  return { address: pick(false), secret: pick(true) };
}

/** Returns the bodies of the deliveries of a new task. */
export async function sealEntries(
  dataKey: DataKey,
  task_id: string,
  entries: readonly PlacedEntry[],
): Promise<ResumeBody[]> {
  const bodies: ResumeBody[] = [];
  for (const { connection_id, secret, stored } of entries) {
    const isSecret = Object.keys(secret).length > 0;
    const sealed = isSecret ? await dataKey.seal(placeOfSecrets(task_id), JSON.stringify(secret)) : null;
    // The address of the kind `url` is secret as a whole.
    const address = isSecret && stored.kind === URL_KIND ? {} : stored.address;
    bodies.push({ connection: connection_id, address, sealed, select: stored.select });
  }
  return bodies;
}

/** Writes the deliveries of a new task, which become due when it ends. */
export async function enqueueEntries(
  tx: Tx,
  task_id: string,
  entries: readonly PlacedEntry[],
  bodies: readonly ResumeBody[],
): Promise<void> {
  for (const [i, { stored, group, destination, origin }] of entries.entries()) {
    const body = JSON.stringify(bodies[i]);
    await enqueueAtEnd(tx, { kind: deliveryKindOf(stored.kind), task_id, destination, origin, body }, false);
    if (group !== null) await joinGroup(tx, group, task_id, stored.address);
  }
}
