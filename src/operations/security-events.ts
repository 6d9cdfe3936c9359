import { Readable } from "node:stream";
import type { Static } from "typebox";
import type { Db } from "../db/database.ts";
import type { SecurityEventRow } from "../db/schema.ts";
import { invalid } from "../errors.ts";
import { decodeCursor, encodeCursor, linkToNext } from "../http/paging.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN } from "../http/route.ts";
import { Nullable, pageOf, Text, Time } from "../http/schema.ts";
import { isoTime, parseTime } from "../lib/time.ts";
import { Type } from "../lib/type.ts";
import { callerOf, requireOperator, type Caller } from "../people/caller.ts";
import {
  ACTOR_KINDS,
  OUTCOMES,
  SECURITY_EVENT_TYPES,
  SECURITY_EVENTS,
  TARGET_KINDS,
  type ActorKind,
  type SecurityEventType,
  type SecurityOutcome,
  type TargetKind,
} from "../security/catalogue.ts";
import { listSecurityEvents, type SecurityEventFilter } from "../security/list.ts";
import { describeEvent, recordSecurityEvent } from "../security/record.ts";

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: [...values], description });

const EventType = oneOf<SecurityEventType>(
  SECURITY_EVENT_TYPES,
  Object.entries(SECURITY_EVENTS)
    .map(([type, meaning]) => `- \`${type}\`: ${meaning}`)
    .join("\n"),
);
const Outcome = oneOf<SecurityOutcome>(OUTCOMES, "Whether it was done.");

const SecurityEvent = Type.Object(
  {
    id: Type.String({ examples: ["sec_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    at: Time("When it happened."),
    type: EventType,
    outcome: Outcome,
    reason: Nullable(Type.String({ description: "Why it failed: an error code or another stable word." })),
    count: Type.Integer({
      description:
        "How many failures this event counts. If more than 1, `source` and `details` have what all of them have in common.",
    }),
    actor: Type.Object(
      {
        kind: oneOf<ActorKind>(
          ACTOR_KINDS,
          "The credentials. `several`: failures of several callers, counted together.",
        ),
        id: Nullable(Type.String({ description: "Id of the user or the embed key." })),
        email: Nullable(Type.String({ description: "For a failed sign-in, the email that was entered." })),
      },
      { description: "Who." },
    ),
    source: Type.Object(
      {
        address: Nullable(Type.String({ description: "The client's address." })),
        user_agent: Nullable(Type.String({ description: "Chosen by the client." })),
      },
      { description: "From where." },
    ),
    target: Type.Unsafe<{ kind: TargetKind; id: string } | null>({
      type: ["object", "null"],
      description: "What was changed.",
      properties: { kind: { type: "string", enum: [...TARGET_KINDS] }, id: { type: "string" } },
      required: ["kind", "id"],
    }),
    details: Type.Unsafe<Record<string, unknown> | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description: "More about the event.",
    }),
    request_id: Nullable(Type.String({ description: "Id of the request." })),
  },
  { $id: "SecurityEvent" },
);
type SecurityEvent = Static<typeof SecurityEvent>;

export const securityEventShapes = [SecurityEvent];

const ListSecurityEventsQuery = Type.Object({
  type: Type.Optional(
    Type.Array(EventType, { maxItems: SECURITY_EVENT_TYPES.length, description: "Can be repeated." }),
  ),
  outcome: Type.Optional(Outcome),
  actor: Type.Optional(Text({ minLength: 1, maxLength: 254, description: "Id or email of who did it." })),
  address: Type.Optional(Text({ minLength: 1, maxLength: 64, description: "The client's address." })),
  from: Type.Optional(Text({ maxLength: 40, description: "Only events at this time or later, ISO 8601." })),
  until: Type.Optional(Text({ maxLength: 40, description: "Only events before this time, ISO 8601." })),
  format: Type.Optional(
    Type.Unsafe<"ndjson">({
      type: "string",
      enum: ["ndjson"],
      description: "Returns all events that match instead of one page, one JSON object in each line.",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Rows in one page (default 50)." })),
  cursor: Type.Optional(Text({ maxLength: 500, description: "From the `Link` header of the previous page." })),
});
type ListSecurityEventsQuery = Static<typeof ListSecurityEventsQuery>;

const DEFAULT_LIMIT = 50;
/** Rows of an export that are in memory at once. */
const EXPORT_PAGE = 200;

const listSecurityEventsRoute = defineRoute({
  method: "GET",
  url: "/security-events",
  operationId: "listSecurityEvents",
  summary: "List security events",
  description:
    'Newest first. The `Link` header with `rel="next"` is the address of the next page. `format=ndjson` exports all events that match.',
  tags: ["Operations"],
  credentials: SIGNED_IN,
  querystring: ListSecurityEventsQuery,
  answers: { 200: pageOf<SecurityEvent>("SecurityEvent", "One page of events.") },
  errors: [...READ_ERRORS, ...QUERY_ERRORS],
  produces: ["application/json", "application/x-ndjson"],
  exposeHeadRoute: false,
  handle: async (ctx: { db: Db }, request, reply) => {
    if (request.query.format === "ndjson") {
      const events = exportEvents(ctx, callerOf(request), request.query);
      await recordSecurityEvent(ctx.db, { type: "security_events_exported", details: { format: "ndjson" } });
      const lines = Readable.from(events);
      return reply.type("application/x-ndjson").send(lines as never);
    }
    const { rows, next } = await readPage(ctx, callerOf(request), request.query);
    if (next !== null) void reply.header("link", linkToNext("/api/security-events", request.url, next));
    return rows;
  },
});

/** The security log, for operators. No route changes it. */
export const securityEventRoutes = mount([listSecurityEventsRoute]);

async function readPage(
  { db }: { db: Db },
  caller: Caller,
  query: ListSecurityEventsQuery,
): Promise<{ rows: SecurityEvent[]; next: string | null }> {
  requireOperator(caller);
  const { limit = DEFAULT_LIMIT, cursor } = query;
  const before = cursor === undefined ? null : decodeCursor(cursor)[1];
  const found = await listSecurityEvents(db.heavy, filterOf(query), before, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { rows: page.map(toRecord), next: found.length > limit && last ? encodeCursor([last.at, last.id]) : null };
}

/** Returns the lines of an export. Reads a page when the ones before it were sent. */
function exportEvents({ db }: { db: Db }, caller: Caller, query: ListSecurityEventsQuery): AsyncIterable<string> {
  requireOperator(caller);
  const filter = filterOf(query);
  let before = query.cursor === undefined ? null : decodeCursor(query.cursor)[1];
  return (async function* () {
    for (;;) {
      const rows = await listSecurityEvents(db.heavy, filter, before, EXPORT_PAGE);
      if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(toRecord(row))}\n`).join("");
      if (rows.length < EXPORT_PAGE) return;
      before = rows.at(-1)!.id;
    }
  })();
}

/** @throws ServiceError VALIDATION_FAILED */
function filterOf({ type, outcome, actor, address, from, until }: ListSecurityEventsQuery): SecurityEventFilter {
  return { type, outcome, actor, address, from: timeOf("from", from), until: timeOf("until", until) };
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  // A date alone is its beginning in UTC.
  const time = parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text);
  if (time === null) throw invalid(`/query/${name}`, "Must be a time such as 2026-01-31T12:00:00Z.");
  return time;
}

function toRecord(row: SecurityEventRow): SecurityEvent {
  const { actor, target, ...rest } = describeEvent(row);
  return {
    id: row.id,
    at: isoTime(row.at),
    type: row.type as SecurityEventType,
    ...rest,
    actor: { ...actor, kind: actor.kind as ActorKind },
    target: target && { ...target, kind: target.kind as TargetKind },
  };
}
