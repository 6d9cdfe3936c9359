import { endings, type Row } from "../../endings/sentences.ts";
import { readForm, type Form } from "../../form/plan/plan.ts";
import { answerOfForm } from "../actions/untouched.ts";
import { otherwiseOf } from "../tasks/deadline-words.ts";
import { directionFor } from "../../languages/languages.ts";
import type { AddCommentBody } from "../conversation/schema.ts";
import { countComments } from "../conversation/store.ts";
import type { Db } from "../db/database.ts";
import type { EmbedConfig } from "../config/embed.ts";
import type { Config } from "../config.ts";
import type { Look, Drawing } from "../drawing/drawing.ts";
import { ServiceError } from "../errors.ts";
import { revisedFor } from "../channels/revised.ts";
import { drawHeading, drawRevision, ofVersion, reviewSection } from "../http/task-drawing.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import { isoTime, SECOND } from "../lib/time.ts";
import { isAllowedOrigin } from "../lib/web-origins.ts";
import { isOwnOf, type AgentCaller } from "../people/agent-caller.ts";
import type { ServiceKeyCaller } from "../people/caller.ts";
import { answerStateOf } from "../tasks/answer-state.ts";
import { addComment } from "../tasks/commenting.ts";
import { conversationFor, markOf } from "../tasks/shown-conversation.ts";
import { askerLineOf } from "../tasks/asker.ts";
import { nextAttemptOf } from "../tasks/attempts-left.ts";
import { findTaskWithDocuments, listAuditEntries, type TaskWithDocuments } from "../tasks/store.ts";
import { whyNotCounted } from "../tasks/access.ts";
import { completeTask, readTask, requireTaskId, type CompletionContext } from "../tasks/tasks.ts";
import type {
  EmbedAnswer,
  EmbedCommentsQuery,
  EmbedConversation,
  EmbedOutcome,
  EmbedTask,
  EmbedTaskQuery,
  EmbedToken,
  MintTokenBody,
} from "./schema.ts";
import { signToken, type EmbedCaller } from "./tokens.ts";

const TTL_SECONDS = 300;
/** Changes that a form lists. It shows the whole payload as well. */
const MAX_CHANGES = 10;

/** The context of embedded forms. */
export interface EmbedContext extends CompletionContext {
  drawing: Drawing;
}

/**
 * Creates a token for a person to whom another product shows the form. (spec: Embed tokens)
 *
 * @param minter - the embed key of that product, or an agent
 * @throws ServiceError EMBED_ORIGIN_NOT_ALLOWED, TASK_NOT_FOUND, TASK_ALREADY_TERMINAL
 */
export async function mintToken(
  { db, config: { publicUrl } }: { config: Config; db: Db },
  embed: EmbedConfig,
  minter: ServiceKeyCaller | AgentCaller,
  { task_id, parent_origin, sub, ttl_seconds }: MintTokenBody,
): Promise<EmbedToken> {
  if (!isAllowedOrigin(embed.parentOrigins, parent_origin))
    throw new ServiceError("EMBED_ORIGIN_NOT_ALLOWED", {
      message: `Pages of ${parent_origin} may not embed the form: SERVICE_EMBED_PARENT_ORIGINS does not name it.`,
    });
  requireTaskId(task_id);
  const task = await findTaskWithDocuments(db, task_id);
  if (task === null || !mayShow(minter, task)) throw new ServiceError("TASK_NOT_FOUND");
  requireOpen(task, db.now());
  const grant = { task_id, sub, parent_origin, key_id: minter.kind === "agent" ? minter.token_id : minter.id };
  const { token, expires_at } = await signToken(embed, grant, ttl_seconds ?? TTL_SECONDS, db.now());
  return {
    embed_token: token,
    embed_url: `${publicUrl}/embed?id=${task_id}#token=${token}`,
    expires_at: isoTime(expires_at),
  };
}

/** An agent shows the tasks that it asked for. A key shows those of its project, or of some of its agents. */
function mayShow(minter: ServiceKeyCaller | AgentCaller, task: TaskWithDocuments): boolean {
  if (minter.kind === "agent") return isOwnOf(minter, task);
  return minter.project === task.project && (minter.agents === null || minter.agents.includes(task.asked_by_id));
}

/**
 * Returns the task as the person who answers it sees it.
 *
 * @param draws - includes the payload as HTML; only if the pages are built
 * @throws ServiceError INVALID_EMBED_TOKEN if the token is for another task; TASK_NOT_FOUND, TASK_ALREADY_TERMINAL;
 *   NEEDS_A_PERSON where several people must approve
 */
export async function readEmbedded(
  ctx: EmbedContext,
  caller: EmbedCaller,
  { id, time_zone, locale }: EmbedTaskQuery,
  draws: boolean,
): Promise<EmbedTask> {
  if (id !== undefined && id !== caller.grant.task_id) throw new ServiceError("INVALID_EMBED_TOKEN");
  const task = await readTask(ctx, caller, caller.grant.task_id);
  const now = ctx.db.now();
  await requireStillOpen(ctx, task, caller.grant.sub);
  const refusal = await whyNotCounted(ctx.db, caller, task);
  if (refusal !== null) throw refusal;
  const payload = JSON.parse(task.payload) as JsonObject;
  return {
    id: task.id,
    version: task.version,
    status: task.status,
    task: task.task,
    payload,
    response_schema: JSON.parse(task.response_schema) as JsonObject,
    form_definition: parseJson<JsonObject>(task.form_definition),
    redact_payload: task.redact_payload,
    direction: directionFor(task.locale, task.task),
    timeout_at: isoTime(task.timeout_at),
    verification_attempt: task.verification_attempt,
    verifier_result: task.verifier_result,
    next_attempt: task.status === "rejected" ? nextAttemptOf(task) : null,
    is_verified: task.verifier_config !== null && !task.redact_payload,
    review_html: draws ? await drawReview(ctx, task, { time_zone, locale, now: new Date(now) }) : null,
    comments: await countComments(ctx.db, task.id),
    expires_in_seconds: Math.max(0, Math.ceil((caller.grant.expires_at - now) / SECOND)),
  };
}

/**
 * Returns what was said about the task. @param draws - only if the pages are built
 * @throws ServiceError INVALID_EMBED_TOKEN, TASK_NOT_FOUND
 */
export async function readConversation(
  ctx: EmbedContext,
  caller: EmbedCaller,
  { id, time_zone, locale }: EmbedTaskQuery,
  draws: boolean,
): Promise<EmbedConversation> {
  if (id !== undefined && id !== caller.grant.task_id) throw new ServiceError("INVALID_EMBED_TOKEN");
  const task = await readTask(ctx, caller, caller.grant.task_id);
  // Before what was said is read: what comes in between is then read again.
  const mark = await markOf(ctx, task);
  const look = { time_zone, locale, now: new Date(ctx.db.now()), form: null };
  const shown = await conversationFor(ctx, caller, task, look);
  return {
    comments: shown.comments.length,
    html: draws ? await ctx.drawing.conversation(task.id, shown) : null,
    mark,
  };
}

/** Returns the same; null if the page shows it already. @throws as above */
export async function readNews(
  ctx: EmbedContext,
  caller: EmbedCaller,
  { seen, ...query }: EmbedCommentsQuery,
  draws: boolean,
): Promise<EmbedConversation | null> {
  const mark = seen === undefined ? null : await markOf(ctx, await readTask(ctx, caller, caller.grant.task_id));
  return mark !== null && mark === seen ? null : readConversation(ctx, caller, query, draws);
}

/** Adds what the person says, and returns the conversation. @throws ServiceError what `addComment` throws */
export async function commentEmbedded(
  ctx: EmbedContext,
  caller: EmbedCaller,
  query: EmbedTaskQuery,
  body: AddCommentBody,
  draws: boolean,
): Promise<EmbedConversation> {
  if (query.id !== undefined && query.id !== caller.grant.task_id) throw new ServiceError("INVALID_EMBED_TOKEN");
  await addComment(ctx, caller, caller.grant.task_id, body);
  return readConversation(ctx, caller, query, draws);
}

/** @throws ServiceError what `completeTask` throws */
export async function completeEmbedded(
  ctx: EmbedContext,
  caller: EmbedCaller,
  { response, version }: EmbedAnswer,
): Promise<EmbedOutcome> {
  const asked = await readTask(ctx, caller, caller.grant.task_id);
  const answer = answerOfForm(asked, response) as JsonObject;
  const task = await completeTask(ctx, caller, asked.id, { response: answer, version: version ?? null }).catch(
    async (error: unknown) => {
      if (error instanceof ServiceError && error.code === "TASK_ALREADY_TERMINAL")
        await requireStillOpen(ctx, await readTask(ctx, caller, caller.grant.task_id), caller.grant.sub);
      throw error;
    },
  );
  return {
    id: task.id,
    status: task.status,
    response: parseJson<JsonObject>(task.response),
    completed_at: isoTime(task.completed_at),
    completed_via_channel: task.completed_via_channel,
    verification_attempt: task.verification_attempt,
    verifier_result: task.verifier_result,
    next_attempt: task.status === "rejected" ? nextAttemptOf(task) : null,
  };
}

/** Returns the question of a task and what to review, as HTML. */
export async function drawReview(
  { db, drawing }: { db: Db; drawing: Drawing },
  task: TaskWithDocuments,
  look: Look,
): Promise<string> {
  const revised = await revisedFor(db, task, { max: MAX_CHANGES, ...look, time_zone: look.time_zone ?? "UTC" });
  return (
    drawHeading({
      ...task,
      asker: askerLineOf(task),
      is_urgent: task.urgent === 1,
      otherwise: otherwiseOf(formOf(task, look), task),
      locale: undefined,
      ...look,
    }) +
    // People who look at an embedded form see no address of others.
    drawRevision(revised && { ...revised, who: revised.name }) +
    reviewSection(await drawing.payload(ofVersion(task), { ...look, wholeAt: `/tasks/${task.id}` }))
  );
}

function formOf(task: TaskWithDocuments, { time_zone = "UTC", now }: Look): Form {
  return readForm({
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    payload: parseJson(task.payload),
    channel: "embed",
    time_zone,
    now,
  });
}

/**
 * Rejects a task that has ended, to a person who may have ended it themselves: of an answer that was stored, a broken
 * connection may have kept the news.
 * @throws ServiceError TASK_ALREADY_TERMINAL
 */
async function requireStillOpen({ db }: { db: Db }, task: TaskWithDocuments, sub: string): Promise<void> {
  if (task.status === "completed" && task.completed_via_channel === "embed") {
    const trail = await listAuditEntries(db, task.id);
    if (trail.some(({ to_status, embed_sub }) => to_status === "completed" && embed_sub === sub)) throw ended("own");
  }
  requireOpen(task, db.now());
}

/** @param now - epoch milliseconds @throws ServiceError TASK_ALREADY_TERMINAL */
function requireOpen(task: TaskWithDocuments, now: number): void {
  const { how } = answerStateOf(task, null, now);
  if (how !== "open") throw ended(how);
}

function ended(ending: Row): ServiceError {
  return new ServiceError("TASK_ALREADY_TERMINAL", { message: endings()[ending].embed });
}
