import { randomUUID } from "node:crypto";
import type { Config } from "../../config.ts";
import type { Logger } from "pino";
import type { Reader, Db, Tx } from "../../db/database.ts";
import type { EmailIdentityRow } from "../../db/schema.ts";
import { sealFor, unsealFrom } from "../../db/sealed.ts";
import { invalid, ServiceError } from "../../errors.ts";
import { escapeHtml } from "../../http/page.ts";
import { isEmailAddress } from "../../lib/text.ts";
import { isoTime } from "../../lib/time.ts";
import { isOperator, isOperatorOf, requireOperatorOfSome, type Caller } from "../../people/caller.ts";
import { projectForNew, projectsOf } from "../../people/projects.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import type { IdentityBody, IdentityRecord, TestMailBody, TestMailResult, TransportName } from "./schema.ts";
import { readTransport, sendMail, type Address, type Transport } from "./transport.ts";

interface Ctx {
  db: Db;
  config: Config;
  log: Logger;
}
/** The context of functions that only read. */
interface Reading {
  config: Config;
  log: Logger;
  db: Reader;
}

/** An email sender with its transport. */
export interface Identity {
  id: string;
  /** The slug of its project; null: of all. */
  project: string | null;
  from: Address;
  reply_to: string | null;
  /** null if the settings were encrypted with another key. */
  transport: Transport | null;
}

/** Transports that write to the server's own disk or log. */
const LOCAL: ReadonlySet<TransportName> = new Set(["file", "log"]);
/** As `notify` can name it. */
const ID = /^[\w.-]{1,100}$/;
/** Of the identity that `SERVICE_EMAIL_FROM` makes. */
const OF_ENVIRONMENT = "default";
const IDENTITIES_MAX = 200;

/** All of them, by id. (spec: Channels, sender identities) */
export async function listIdentities(ctx: Reading, caller: Caller, project?: string): Promise<IdentityRecord[]> {
  const projects = await projectsOf(ctx.db, caller, project);
  const rows = await ctx.db.query
    .selectFrom("email_identities")
    .selectAll()
    .$if(projects !== null, (query) => query.where("project", "in", projects!))
    .orderBy("id")
    .execute();
  const own = identityOfEnvironment(ctx.config);
  return [...(own === null ? [] : [recordOfEnvironment(own)]), ...rows.map(toRecord)];
}

/** @throws ServiceError NOT_FOUND */
export async function readIdentity(ctx: Reading, caller: Caller, id: string): Promise<IdentityRecord> {
  const projects = requireOperatorOfSome(caller);
  const own = identityOfEnvironment(ctx.config);
  if (own?.id === id) return recordOfEnvironment(own);
  return toRecord(await requireRow(ctx.db, id, projects));
}

/**
 * Makes the identity, or changes all of it.
 * @throws ServiceError VALIDATION_FAILED
 */
export async function setIdentity(ctx: Ctx, caller: Caller, body: IdentityBody): Promise<IdentityRecord> {
  requireOperatorOfSome(caller);
  try {
    return await storeIdentity(ctx, caller, body);
  } catch (error) {
    if (error instanceof ServiceError) error.security = { isChange: await hasIdentity(ctx, body.id) };
    throw error;
  }
}

async function hasIdentity(ctx: Reading, id: string): Promise<boolean> {
  if (!ID.test(id)) return false;
  return identityOfEnvironment(ctx.config)?.id === id || (await findRow(ctx.db, id)) !== null;
}

async function storeIdentity(ctx: Ctx, caller: Caller, body: IdentityBody): Promise<IdentityRecord> {
  const { id, from_email, transport, transport_config = null } = body;
  if (!ID.test(id)) throw invalid("/id", "Must consist of letters, digits, `.`, `_` and `-`.", "pattern");
  if (identityOfEnvironment(ctx.config)?.id === id)
    throw invalid("/id", "SERVICE_EMAIL_FROM sets this sender. Change it there.");
  if (!isEmailAddress(from_email)) throw invalid("/from_email", "Must be an email address.");
  const reply_to = body.reply_to || null;
  if (reply_to !== null && !isEmailAddress(reply_to)) throw invalid("/reply_to", "Must be an email address.");
  for (const name of ["display_name", "from_name"] as const)
    if (/\p{Cc}/u.test(body[name] ?? "")) throw invalid(`/${name}`, "Must be a single line.");
  const given = transport_config === null ? null : readTransport(transport, transport_config);
  return ctx.db.write(async (tx) => {
    const before = await findRow(tx, id);
    const project = await projectForIdentity(tx, caller, before, body.project);
    if (LOCAL.has(transport) && !isOperator(caller))
      throw invalid("/transport", "Only operators of all projects use this transport: it writes on the server.");
    if (before === null && (await countRows(tx)) >= IDENTITIES_MAX)
      throw invalid("/id", `There are ${IDENTITIES_MAX} senders, which is the maximum.`);
    const now = tx.now();
    // Only where the way is the same does it keep what it knows of it.
    const config = given ?? (before?.transport === transport ? null : readTransport(transport, {}));
    const row: EmailIdentityRow = {
      id,
      project,
      display_name: body.display_name,
      from_email,
      from_name: body.from_name || null,
      reply_to,
      transport,
      transport_config:
        config === null
          ? before!.transport_config
          : sealFor(ctx.config, "email_identities", id, JSON.stringify(config)),
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    const { id: _same, created_at: _kept, ...changes } = row;
    const written = await tx.query
      .insertInto("email_identities")
      .values(row)
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet(changes).where("email_identities.project", "=", project),
      )
      .returning("id")
      .executeTakeFirst();
    // Another project has just taken it.
    if (written === undefined) throw invalid("/id", "Is taken.");
    await recordSecurityEvent(tx, {
      type: before === null ? "email_sender_created" : "email_sender_changed",
      target: { kind: "email_sender", id },
      details: { from_email, transport, transport_changed: given !== null },
    });
    return toRecord(row);
  });
}

/** A sender stays in its project. @throws ServiceError VALIDATION_FAILED, PROJECT_ARCHIVED, FORBIDDEN */
async function projectForIdentity(
  tx: Tx,
  caller: Caller,
  before: EmailIdentityRow | null,
  asked: string | null | undefined,
): Promise<string> {
  if (before === null) return projectForNew(tx, caller, asked);
  if (!isOperatorOf(caller, before.project)) throw invalid("/id", "Is taken.");
  if (asked != null && asked !== before.project) throw invalid("/project", "A sender stays in its project.");
  return before.project;
}

/** Mail that is still to be sent from it fails from now on. @throws ServiceError NOT_FOUND, VALIDATION_FAILED */
export async function deleteIdentity(ctx: Ctx, caller: Caller, id: string): Promise<void> {
  const projects = requireOperatorOfSome(caller);
  if (identityOfEnvironment(ctx.config)?.id === id)
    throw invalid("/id", "SERVICE_EMAIL_FROM sets this sender. Remove it there.");
  if (!ID.test(id)) throw unknownIdentity();
  await ctx.db.write(async (tx) => {
    const { numDeletedRows } = await tx.query
      .deleteFrom("email_identities")
      .where("id", "=", id)
      .$if(projects !== null, (query) => query.where("project", "in", projects!))
      .executeTakeFirst();
    if (Number(numDeletedRows) === 0) throw unknownIdentity();
    await recordSecurityEvent(tx, { type: "email_sender_deleted", target: { kind: "email_sender", id } });
  });
}

/** Sends a test email and records it. @throws ServiceError NOT_FOUND, VALIDATION_FAILED */
export async function testIdentity(ctx: Ctx, caller: Caller, id: string, body: TestMailBody): Promise<TestMailResult> {
  const result = await sendTestMail(ctx, caller, id, body);
  await recordSecurityEvent(ctx.db, {
    type: "email_sender_tested",
    outcome: result.sent ? "success" : "failure",
    reason: result.error?.split(":", 1)[0] ?? null,
    target: { kind: "email_sender", id },
    details: { to: result.to },
  });
  return result;
}

/** Sends a test email and returns the result. @throws ServiceError NOT_FOUND, VALIDATION_FAILED */
export async function sendTestMail(
  ctx: Reading,
  caller: Caller,
  id: string,
  body: TestMailBody,
): Promise<TestMailResult> {
  const projects = requireOperatorOfSome(caller);
  const to = body.to || (caller.kind === "user" ? caller.user.email : null);
  if (to === null) throw invalid("/to", "Enter an address for the test email. Your account has none.", "required");
  if (!isEmailAddress(to)) throw invalid("/to", "Must be an email address.");
  const identity = await findIdentity(ctx, id);
  // The sender of the environment belongs to the whole service.
  if (identity === null || (projects !== null && !projects.includes(identity.project ?? ""))) throw unknownIdentity();
  if (identity.transport === null) return { sent: false, to, error: `sealed: ${SEALED}` };
  const says = `This is a test. The Human Task Service at ${ctx.config.publicUrl} sends you email as "${id}".`;
  const mail = {
    from: identity.from,
    reply_to: identity.reply_to,
    to,
    subject: "Test of the Human Task Service",
    text: `${says}\n`,
    html: `<p>${escapeHtml(says)}</p>`,
    message_id: `<${randomUUID()}@${identity.from.address.split("@")[1]}>`,
    headers: AUTOMATIC,
  };
  const around = { dataDir: ctx.config.dataDir, log: ctx.log };
  const result = await sendMail(identity.transport, mail, around, new AbortController().signal);
  return { sent: result.ok, to, error: result.ok ? null : `${result.error}: ${result.message}` };
}

/** Header that stops automatic replies. */
export const AUTOMATIC = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" } as const;

export const SEALED = "The settings were encrypted with another SERVICE_SECRET_KEY. Enter them again.";

/** Returns the sender with its transport, or null. */
export async function findIdentity(ctx: Reading, id: string): Promise<Identity | null> {
  const own = identityOfEnvironment(ctx.config);
  if (own?.id === id) return own;
  const row = await findRow(ctx.db, id);
  if (row === null) return null;
  const opened = unsealFrom(ctx.config, "email_identities", id, row.transport_config);
  return {
    id,
    project: row.project,
    from: { name: row.from_name, address: row.from_email },
    reply_to: row.reply_to,
    transport: opened === null ? null : (JSON.parse(opened) as Transport),
  };
}

/**
 * Finds the sender of a project that `notify` names. Without a name it must be the only one. (spec: Create a task, notify)
 * @returns its id, or an error: a stable word, a colon, and a sentence
 */
export async function resolveIdentity(
  { config }: Pick<Ctx, "config">,
  reader: Pick<Reader, "query">,
  project: string,
  wanted: string | null,
): Promise<{ id: string } | { error: string }> {
  const own = identityOfEnvironment(config);
  if (wanted !== null) {
    if (own?.id === wanted || (await findRow(reader, wanted))?.project === project) return { id: wanted };
    return { error: `no_identity: There is no email sender "${wanted}".` };
  }
  const rows = await reader.query
    .selectFrom("email_identities")
    .select("id")
    .where("project", "=", project)
    .orderBy("id")
    .limit(2)
    .execute();
  const [only, ...others] = [...(own === null ? [] : [own]), ...rows];
  if (only === undefined) return { error: "no_identity: There is no email sender yet." };
  if (others.length === 0) return { id: only.id };
  return {
    error: `no_identity: There are several email senders. Name one in notify, as in "email+${only.id}:<address>".`,
  };
}

/** Returns the id of the sender to use where no request names one: the environment's, or the only one. null if there is none. */
export async function defaultIdentity(
  ctx: Pick<Ctx, "config">,
  reader: Pick<Reader, "query">,
  project: string,
): Promise<string | null> {
  const own = identityOfEnvironment(ctx.config);
  if (own !== null) return own.id;
  const only = await resolveIdentity(ctx, reader, project, null);
  return "id" in only ? only.id : null;
}

function identityOfEnvironment({ channels: { email } }: Config): Identity | null {
  return email === null
    ? null
    : {
        id: OF_ENVIRONMENT,
        project: null,
        from: email.from,
        reply_to: null,
        transport: { kind: "smtp", ...email.smtp },
      };
}

function recordOfEnvironment({ id, from, transport }: Identity): IdentityRecord {
  return {
    id,
    project: null,
    display_name: "Set by SERVICE_EMAIL_FROM",
    from_email: from.address,
    from_name: from.name,
    reply_to: null,
    transport: transport!.kind,
    created_at: null,
    updated_at: null,
  };
}

async function findRow(reader: Pick<Reader, "query">, id: string): Promise<EmailIdentityRow | null> {
  // Malformed ids are rejected before any query.
  if (!ID.test(id)) return null;
  return (
    (await reader.query.selectFrom("email_identities").selectAll().where("id", "=", id).executeTakeFirst()) ?? null
  );
}

async function countRows(reader: Pick<Reader, "query">): Promise<number> {
  const { count } = await reader.query
    .selectFrom("email_identities")
    .select((eb) => eb.fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function requireRow(
  reader: Pick<Reader, "query">,
  id: string,
  projects: readonly string[] | null,
): Promise<EmailIdentityRow> {
  const row = await findRow(reader, id);
  if (row === null || !isSenderOf(row, projects)) throw unknownIdentity();
  return row;
}

/** The sender of the environment is of all projects. */
export function isSenderOf({ project }: Pick<Identity, "project">, projects: readonly string[] | null): boolean {
  return projects === null || project === null || projects.includes(project);
}

function unknownIdentity(): ServiceError {
  return new ServiceError("NOT_FOUND", { message: "No email sender has this id." });
}

function toRecord(row: EmailIdentityRow): IdentityRecord {
  return {
    id: row.id,
    project: row.project,
    display_name: row.display_name,
    from_email: row.from_email,
    from_name: row.from_name,
    reply_to: row.reply_to,
    transport: row.transport as TransportName,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
