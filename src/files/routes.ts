import { finished } from "node:stream";
import { PREVIEWED_TYPES } from "../../form/payload/reference.ts";
import type { Db } from "../db/database.ts";
import { defineRoute, mount, READ_ERRORS, SIGNED_IN } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import { actorOf } from "../people/actor.ts";
import { callerOf } from "../people/caller.ts";
import { readNamedFile } from "./named.ts";
import { SENDING_MS, type Previews } from "./preview.ts";

interface FilesContext {
  db: Db;
  previews: Previews;
}

/** What a browser may do with a file that it opens by its address: show it, and nothing else. */
const HEADERS = {
  "content-disposition": "inline",
  "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "cache-control": "private, no-store",
  "cross-origin-resource-policy": "same-origin",
};

const previewFileRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/files/:sha256",
  operationId: "previewFile",
  summary: "Preview a file of a task",
  description:
    "The content of a file that the payload, an earlier version or a comment of the task names. The service fetches it from its host, and checks size, type and digest. Only images and PDF up to 10 MiB. For those who may read the task.",
  tags: ["Tasks"],
  credentials: SIGNED_IN,
  params: Type.Object({
    id: Type.String({ description: "Id of the task." }),
    sha256: Type.String({ description: "`sha256` of the reference." }),
  }),
  answers: { 200: Type.Unsafe<Buffer>({ type: "string", format: "binary", description: "The file." }) },
  errors: [
    ...READ_ERRORS,
    "TASK_NOT_FOUND",
    "FILE_NOT_FOUND",
    "FILE_NOT_PREVIEWED",
    "FILE_UNREACHABLE",
    "FILE_SIZE_WRONG",
    "FILE_TYPE_WRONG",
    "FILE_DIGEST_WRONG",
    "OVERLOADED",
  ],
  produces: [...PREVIEWED_TYPES],
  exposeHeadRoute: false,
  handle: async (ctx: FilesContext, request, reply) => {
    const caller = callerOf(request);
    const { id, sha256 } = request.params;
    const file = await readNamedFile(ctx, caller, id, sha256);
    const sent = new AbortController();
    finished(reply.raw, () => sent.abort());
    const content = await ctx.previews.load(JSON.stringify(actorOf(caller)), file, sent.signal);
    const timer = setTimeout(() => reply.raw.destroy(), SENDING_MS);
    sent.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    return reply.headers(HEADERS).type(file.media_type).send(content);
  },
});

/** Files that tasks name. (beyond: Files by reference) */
export const fileRoutes = mount<FilesContext>([previewFileRoute]);
