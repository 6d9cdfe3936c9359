import { hash } from "node:crypto";
import { fromStored } from "../../actions/request.ts";
import { authorOf, inRound, roundOf } from "../../approvals/proposal.ts";
import { formerVote, ownVote, sayNeed } from "../../approvals/words.ts";
import { languageOfReader } from "../../../languages/languages.ts";
import { inLanguage } from "../../../languages/server.ts";
import type { Config } from "../../config.ts";
import type { Logger } from "pino";
import type { Tx, Db } from "../../db/database.ts";
import type { EndedDelivery, Kind, Outcome } from "../../deliveries/kinds.ts";
import { schedule } from "../../deliveries/schedule.ts";
import { findBody } from "../../deliveries/claim.ts";
import { parseJson } from "../../lib/json.ts";
import { emailKey } from "../../lib/text.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import type { LinkGrant, RecipientCaller } from "../../people/caller.ts";
import { findUser, findUserByEmail, type User } from "../../people/store.ts";
import { mayWith, sayWhyNot } from "../../tasks/access.ts";
import { nextAttemptOf } from "../../tasks/attempts-left.ts";
import { recordNotification, type Notification } from "../../tasks/audit.ts";
import { answerStateOf } from "../../tasks/answer-state.ts";
import { askerLineInMessage } from "../../tasks/asker.ts";
import { isTerminal } from "../../tasks/lifecycle.ts";
import type { Purpose } from "../../tasks/notices.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../tasks/store.ts";
import { changedSince } from "../decided.ts";
import { delegatedFromOf } from "../delegated.ts";
import { INACTIVE } from "../recipients.ts";
import { revisedFor } from "../revised.ts";
import { AUTOMATIC, findIdentity, isSenderOf, SEALED, type Identity } from "./identities.ts";
import { callerOfLink, createLink } from "./links.ts";
import { EMAIL_KIND } from "./addressees.ts";
import { saidFor } from "./comment-notice.ts";
import { endingFor, hasHeard } from "./end-notice.ts";
import { renderMessage, type Answering, type MessageOptions } from "./message.ts";
import { enqueueEndNotice, type MailBody } from "./notices.ts";
import { sendMail, type Mail } from "./transport.ts";

interface Ctx {
  db: Db;
  config: Config;
  log: Logger;
}

/** Changes of arguments, or actions, that an email shows. */
const MAX_CHANGES = 5;

/** Retries for about an hour. After a longer outage an operator has to act, and the decision cannot wait forever. */
const nextAttemptAt = schedule([0, 10 * SECOND, 1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE]);

/** Emails as a kind of delivery. The row stores the recipient and the reason; the email is rendered when it is sent. */
export function createEmailKind(ctx: Ctx): Kind {
  return {
    hasLastingOrigins: true,
    nextAttemptAt,
    send: async ({ id: delivery_id, task_id, destination, body }, signal) => {
      if (body === null) return unsent("no_body", "The content to send was deleted.");
      const asked = JSON.parse(body) as MailBody;
      const { purpose, user_id = null } = asked;
      const task = await findTaskWithDocuments(ctx.db, task_id);
      if (task === null || !isAbout(task, purpose, ctx.db.now())) return NEEDLESS;
      const holder = await findUserByEmail(ctx.db, destination);
      const caller = await callerOfLink(ctx.db, task, { address: destination, user_id: holder?.id ?? user_id });
      if (caller === null) return purpose === "ended" ? NEEDLESS : unsent(INACTIVE.error, INACTIVE.message);
      if (purpose === "ended" && (await hasHeard(ctx.db, task, caller))) return NEEDLESS;
      const language = languageOfReader({ chosen: (holder ?? caller.person)?.language, locale: task.locale });
      return inLanguage(language, () =>
        sendTo(ctx, { delivery_id, destination, task, caller, holder, body: asked }, signal),
      );
    },
    onAbandoned: async (tx, delivery) => {
      const { id: delivery_id, task_id, attempts, last_error: error } = delivery;
      const notification = notificationOf(delivery, await readBody(tx, delivery));
      await recordNotification(tx, task_id, { ...notification, attempts, error });
      tx.afterCommit(() => ctx.log.warn({ delivery_id, task_id, attempts, error }, "Could not send an email"));
    },
    onSucceeded: async (tx, delivery) => {
      const { task_id, destination } = delivery;
      const body = await readBody(tx, delivery);
      await recordNotification(tx, task_id, { ...notificationOf(delivery, body) });
      if (body !== null && body.purpose !== "ended") await enqueueEndNotice(tx, task_id, destination, body);
    },
  };
}

/** Composes the email to one recipient of a task, and sends it. */
async function sendTo(
  ctx: Ctx,
  {
    delivery_id,
    destination,
    task,
    caller,
    holder,
    body: { purpose, identity: id, is_reply = true, since = 0 },
  }: Addressed,
  signal: AbortSignal,
): Promise<Outcome> {
  const { person } = caller;
  const hasDashboard = canSignIn(holder ?? (person && (await findUser(ctx.db, person.id))));
  const answering = await answeringOf(ctx, caller, task, destination, hasDashboard);
  // A person who may not answer any more has nothing to correct, and the task is not theirs.
  if (purpose !== "decision" && purpose !== "ended" && "who_can_answer" in answering) return NEEDLESS;
  const isForUndecided = purpose === "new_round" || purpose === "reminder";
  if (isForUndecided && ownVote(task, person?.id ?? null) !== undefined) return NEEDLESS;
  const said = purpose === "commented" ? await saidFor(ctx.db, task, caller, since) : null;
  if (purpose === "commented" && said === null) return NEEDLESS;
  const identity = await findIdentity(ctx, id);
  // Another project may have taken its id since.
  if (identity === null || !isSenderOf(identity, [task.project]))
    return unsent("no_identity", `The email sender "${id}" was deleted.`);
  if (identity.transport === null) return unsent("sealed", SEALED);

  const message = renderMessage({
    purpose,
    task: documentsOf(task),
    to: { address: destination, name: person?.display_name ?? null, time_zone: person?.time_zone ?? null },
    answering,
    settings_link: hasDashboard ? `${ctx.config.publicUrl}/settings` : null,
    sent_back:
      purpose === "sent_back" && task.verifier_result !== null
        ? { reason: task.verifier_result.reason ?? "", attempt: nextAttemptOf(task) }
        : null,
    changed: purpose === "new_round" ? changedFor(task, caller, new Date(ctx.db.now())) : null,
    said,
    revised:
      purpose === "revised"
        ? await revisedFor(ctx.db, task, {
            max: MAX_CHANGES,
            time_zone: person?.time_zone ?? "UTC",
            now: new Date(ctx.db.now()),
          })
        : null,
    delegated_from: await delegatedFromOf(ctx.db, task),
    need: sayNeed(task.approvals),
    ending: purpose === "ended" ? await endingFor(ctx.db, task, caller) : null,
    now: new Date(ctx.db.now()),
  });
  const reply = {
    decision: null,
    assigned: is_reply ? delivery_id : null,
    reminder: is_reply ? delivery_id : null,
    ended: "ended",
    commented: delivery_id,
    new_round: `round.${roundOf(task)}`,
    revised: `version.${task.version}`,
    sent_back: String(task.verification_attempt),
  };
  const mail = { ...message, ...envelopeOf(identity, task, destination, reply[purpose]) };
  const result = await sendMail(identity.transport, mail, { dataDir: ctx.config.dataDir, log: ctx.log }, signal);
  return result.ok
    ? { ok: true, status_code: null, response_excerpt: null }
    : { ...unsent(result.error, result.message), is_final: result.is_final };
}

/** What an email is about, and for. */
interface Addressed {
  delivery_id: string;
  destination: string;
  task: TaskWithDocuments;
  caller: RecipientCaller<LinkGrant>;
  /** The user who has the address now, or null. */
  holder: User | null;
  body: MailBody;
}

/** Returns whether an email with this purpose still has something to say. */
function isAbout(task: TaskWithDocuments, purpose: Purpose, now: number): boolean {
  return purpose === "ended" ? isTerminal(task.status) : answerStateOf(task, null, now).how === "open";
}

/** How the person answers; or who can instead, with a link for a person who may read the task. */
async function answeringOf(
  ctx: Ctx,
  caller: RecipientCaller,
  task: TaskWithDocuments,
  address: string,
  hasDashboard: boolean,
): Promise<Answering> {
  const { person } = caller;
  if (!isTerminal(task.status) && (await mayWith(ctx.db, caller, "complete", task)))
    return { link: createLink(ctx, task.id, address, person?.id) };
  if (person === null || !(await mayWith(ctx.db, caller, "read", task)))
    return { who_can_answer: await sayWhyNot(ctx.db, caller, task), task_link: null };
  // The page of their link says how a closed task ended.
  const own = isTerminal(task.status) ? createLink(ctx, task.id, address, person.id) : null;
  return {
    who_can_answer: await sayWhyNot(ctx.db, caller, task),
    task_link: hasDashboard ? `${ctx.config.publicUrl}/tasks/${task.id}` : own,
  };
}

/** Returns what was changed since the person approved, and by whom if they may know. */
function changedFor(task: TaskWithDocuments, { person }: RecipientCaller, now: Date): MessageOptions["changed"] {
  const round = roundOf(task);
  const before = formerVote(task, person?.id ?? null, round);
  if (before === undefined) return null;
  const author = authorOf(task);
  return {
    who: author === undefined ? null : (author.name ?? author.email),
    ...changedSince(task, before.round, { max: MAX_CHANGES, time_zone: person?.time_zone ?? "UTC", now }),
  };
}

function canSignIn(user: User | null): boolean {
  return user !== null && user.password_hash !== null && user.email !== null;
}

const NEEDLESS: Outcome = { ok: true, status_code: null, response_excerpt: null, is_needless: true };

/** Errors that only an operator can fix. Retrying does not help. */
function unsent(error: string, message: string) {
  return { ok: false, error, message, status_code: null, response_excerpt: null, is_final: true } as const;
}

async function readBody(tx: Tx, delivery: EndedDelivery): Promise<MailBody | null> {
  return parseJson<MailBody>(await findBody(tx, delivery));
}

function notificationOf({ id, destination }: EndedDelivery, body: MailBody | null): Notification {
  return { channel: EMAIL_KIND, to: destination, purpose: body?.purpose ?? "decision", delivery_id: id };
}

function documentsOf(of: TaskWithDocuments) {
  const { id, version, task, locale, redact_payload, timeout_at, urgent, ...texts } = inRound(of);
  return {
    id,
    version,
    task,
    locale,
    asker: askerLineInMessage(of),
    redact_payload,
    timeout_at,
    urgent: urgent === 1,
    on_timeout: parseJson(texts.on_timeout),
    payload: parseJson(texts.payload),
    payload_schema: parseJson(texts.payload_schema),
    response_schema: parseJson(texts.response_schema),
    form_definition: parseJson(texts.form_definition),
    actions: fromStored(texts),
  };
}

/**
 * Returns the headers, which keep all emails about a task to one person in one thread.
 * @param reply - distinguishes a reply from the others of its thread; null for the first email
 */
function envelopeOf(
  { from, reply_to }: Identity,
  task: TaskWithDocuments,
  to: string,
  reply: string | null,
): Pick<Mail, "from" | "reply_to" | "to" | "message_id" | "headers"> {
  // The same for every attempt, so that an email that arrives twice is recognized.
  const thread = `${task.id}.${hash("sha256", emailKey(to)).slice(0, 16)}`;
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  const first = `<${thread}@${domain}>`;
  const headers = { ...AUTOMATIC, "X-Entity-Ref-ID": task.id };
  if (reply === null) return { from, reply_to, to, message_id: first, headers };
  const message_id = `<${thread}.${reply}@${domain}>`;
  return { from, reply_to, to, message_id, headers: { ...headers, "In-Reply-To": first, References: first } };
}
