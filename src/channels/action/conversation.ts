import type { FastifyPluginAsync } from "fastify";
import { SAID } from "../../../form/plan/conversation.ts";
import { entriesOfPost, type Entries } from "../../../form/plan/entries.ts";
import { t } from "../../../languages/text.ts";
import { AddCommentBody } from "../../conversation/schema.ts";
import { ServiceError } from "../../errors.ts";
import { shapeCheck } from "../../http/validation.ts";
import type { RecipientCaller } from "../../people/caller.ts";
import { mayWith } from "../../tasks/access.ts";
import { addComment } from "../../tasks/commenting.ts";
import { conversationFor, markOf, type Unsent } from "../../tasks/shown-conversation.ts";
import type { TaskWithDocuments } from "../../tasks/store.ts";
import type { ActionContext } from "./action.ts";
import { forReaderOf, type Door } from "./door.ts";
import { PAGE_HEADERS } from "./page.ts";
import { isNonce } from "./proofs.ts";

/*
 * The conversation of a task behind a personal link: on the page of the link, and for its script, which shows what is new and
 * sends what is written without another page.
 */

/** The name under which a page posts its nonce. */
export const NONCE = "~nonce";
/** Id of the form on the page. What is written in the conversation is posted with its entries, so that they stay. */
export const FORM = "answer-form";

interface Known {
  task: TaskWithDocuments;
  caller: RecipientCaller;
}

/** Returns the conversation as HTML. @param isPosted - whether the page posts it without a script */
export async function drawConversation(
  ctx: ActionContext,
  { task, caller }: Known,
  { isPosted, unsent = null }: { isPosted: boolean; unsent?: Unsent | null },
): Promise<string> {
  const time_zone = caller.person?.time_zone ?? undefined;
  const look = { time_zone, now: new Date(ctx.db.now()), form: isPosted ? FORM : null, unsent };
  return ctx.drawing.conversation(task.id, await conversationFor(ctx, caller, task, look));
}

const checkComment = shapeCheck(AddCommentBody);

/**
 * Stores what a post of a page says about its task.
 * @throws ServiceError what `addComment` throws; FORBIDDEN for a post that is not from an opened page
 */
export async function say(ctx: ActionContext, token: string, known: Known, entries: Entries): Promise<void> {
  if (!isNonce(ctx, token, entries[NONCE]?.[0] ?? "", ctx.db.now()))
    throw new ServiceError("FORBIDDEN", {
      message: t("Nothing was sent, because this page was open for a long time. Reload it and send it again."),
    });
  const body = {
    text: entries[SAID.text]?.[0] ?? "",
    kind: entries[SAID.kind]?.[0],
    ...(entries[SAID.key] !== undefined && { idempotency_key: entries[SAID.key]?.[0] }),
  };
  const problem = checkComment(body, "");
  if (problem !== null) throw problem;
  await addComment(ctx, known.caller, known.task.id, body as AddCommentBody);
}

/** Returns what a post would have said, to be shown in its field again. */
export function unsentIn(entries: Entries, { message, details }: ServiceError): Unsent {
  const text = entries[SAID.text]?.[0] ?? "";
  const problem = details?.find(({ path }) => path === "/text")?.message ?? message;
  return { text, problem, idempotency_key: entries[SAID.key]?.[0] ?? "" };
}

interface Route {
  Params: { token: string };
  /** `seen`: the mark of what the page shows. If it is the same, the answer is 204. */
  Querystring: { seen?: unknown };
}

/** Serves the conversation behind links to the scripts of their pages, as `{ html, mark }`. Errors are those of the API. */
export const conversationRoutes: FastifyPluginAsync<{ ctx: ActionContext; door: Door }> = async (
  app,
  { ctx, door },
) => {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  const open = async (token: string): Promise<Known> => {
    const link = await door.open(token);
    if (link === null) throw new ServiceError("TASK_NOT_FOUND");
    if (link.caller === null) throw new ServiceError("FORBIDDEN", { message: door.gone() });
    return { task: link.task, caller: link.caller };
  };
  const drawn = async (known: Known) => {
    // Before what was said is read: what comes in between is then read again.
    const mark = await markOf(ctx, known.task);
    return { html: await drawConversation(ctx, known, { isPosted: false }), mark };
  };

  app.get<Route>("/:token/conversation", { schema: { hide: true } }, async (request, reply) => {
    const { params, query } = request;
    const known = await open(params.token);
    void reply.headers(PAGE_HEADERS);
    if (query.seen === (await markOf(ctx, known.task)) && (await mayWith(ctx.db, known.caller, "read", known.task)))
      return reply.code(204).send();
    return reply.send(await forReaderOf(door, request, () => drawn(known)));
  });
  const config = { skipSameOrigin: true };
  app.post<Route>("/:token/conversation", { config, schema: { hide: true } }, async (request, reply) => {
    const { token } = request.params;
    const entries = entriesOfPost(typeof request.body === "string" ? request.body : "");
    const shown = await forReaderOf(door, request, async () => {
      await say(ctx, token, await open(token), entries);
      return drawn(await open(token));
    });
    return reply.headers(PAGE_HEADERS).send(shown);
  });
};
