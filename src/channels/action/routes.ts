import type { FastifyPluginAsync, FastifyReply } from "fastify";
import { t } from "../../../languages/text.ts";
import { forReader } from "../../http/language.ts";
import { logFailure, toServiceError } from "../../http/error-response.ts";
import { postAction, showAction, statusOfAction, type Answered, type Pages, type ActionContext } from "./action.ts";
import { forReaderOf, type Door } from "./door.ts";
import { PAGE_HEADERS, messagePage } from "./page.ts";

interface Options {
  ctx: ActionContext;
  door: Door;
  /** HTML that loads the style and the script of the pages; null if they were not built. */
  head: string | null;
}

interface Route {
  Params: { token: string };
  Querystring: Record<string, unknown>;
}

/**
 * Serves the pages behind links of channels. They work without scripts, and errors are pages too. The link itself identifies
 * the person and the task. (spec: Channels, email action)
 */
export const actionRoutes: FastifyPluginAsync<Options> = async (app, { ctx, door, head }) => {
  const pages: Pages = { ctx, door, head: head ?? "" };
  if (head === null) app.addHook("preHandler", async (request, reply) => send(reply, forReader(request, {}, notBuilt)));
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.setErrorHandler((thrown: Error, request, reply) => {
    const error = toServiceError(thrown);
    logFailure(ctx, request, error);
    if (error.status === 503) void reply.header("retry-after", "1");
    const html = forReader(request, {}, () => failedPage(pages.head, error.message));
    return send(reply, { status: error.status, html });
  });

  app.head<Route>("/:token", { schema: { hide: true } }, async ({ params }, reply) =>
    headOf(reply, await statusOfAction(pages, params.token)).send(),
  );

  app.get<Route>("/:token", { schema: { hide: true } }, async (request, reply) => {
    const { params, query } = request;
    const choice = typeof query["choice"] === "string" ? query["choice"] : null;
    // A mail about the first version does not name it.
    const version = Number(query["version"] ?? 1);
    const shown = await forReaderOf(door, request, () => showAction(pages, params.token, { choice, version }));
    return send(reply, shown);
  });

  const config = { skipSameOrigin: true };
  app.post<Route>("/:token", { config, schema: { hide: true } }, async (request, reply) => {
    const body = typeof request.body === "string" ? request.body : "";
    return send(reply, await forReaderOf(door, request, () => postAction(pages, request.params.token, body)));
  });
};

function send(reply: FastifyReply, { status, html }: Answered): FastifyReply {
  return headOf(reply, status).send(html);
}

function headOf(reply: FastifyReply, status: Answered["status"]): FastifyReply {
  return reply.code(status).headers(PAGE_HEADERS).type("text/html; charset=utf-8");
}

function failedPage(head: string, message: string): string {
  return messagePage(head, {
    title: t("Something went wrong"),
    says: [message, t("Go back; your answers are still there. Try again in a moment.")],
  });
}

function notBuilt(): Answered {
  const html = messagePage("", {
    title: t("This page isn't available"),
    says: [
      t("The service was started without its web pages ({command}). Nothing was sent. Try again later.", {
        command: "npm run build",
      }),
    ],
  });
  return { status: 503, html };
}
