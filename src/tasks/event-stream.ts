import type { FastifyReply } from "fastify";
import type { Db } from "../db/database.ts";
import type { TaskEvents } from "./events.ts";
import { ServiceError } from "../errors.ts";
import { SECOND } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { requireStillValid } from "../people/identify.ts";
import { signedOutHint } from "../people/sessions.ts";
import { requireMay } from "./access.ts";

/** Streams of one process, at most. */
const STREAMS_MAX = 2000;
/** How often it is asked whether the session is still good; the stream then shows that it lives. */
const BEAT_MS = 15 * SECOND;
/** What a reader has not taken by then it is not going to take; it connects anew and reads everything. */
const BEHIND_BYTES_MAX = 64 * 1024;

/**
 * Answers with changes as they happen, until the reader leaves, the session ends or the service stops. (wire: GET
 * /api/events)
 *
 * @throws ServiceError FORBIDDEN, OVERLOADED
 */
export function streamChanges(ctx: { db: Db; events: TaskEvents }, caller: Caller, reply: FastifyReply): FastifyReply {
  requireMay(caller, "list");
  if (ctx.events.count() >= STREAMS_MAX) throw new ServiceError("OVERLOADED");
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // Proxies that gather answers would keep events to themselves.
    "x-accel-buffering": "no",
  });
  const write = (text: string) => {
    if (raw.writableLength > BEHIND_BYTES_MAX) raw.destroy();
    else raw.write(text);
  };
  const close = ctx.events.open(caller, {
    change: ({ type, ...data }) => write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
    end: () => raw.end(),
  });
  const beatOnce = () => {
    requireStillValid(ctx, caller).then(
      () => write(": still here\n\n"),
      (error: unknown) => {
        // A database that does not answer ends nobody's session.
        if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") raw.end();
      },
    );
  };
  const beat = setInterval(beatOnce, BEAT_MS);
  const hint = caller.kind === "user" ? signedOutHint(caller.user.id) : null;
  const unlisten = ctx.db.hints.listen((one) => {
    if (one === hint) beatOnce();
  });
  raw.once("close", () => {
    clearInterval(beat);
    unlisten();
    close();
  });
  return reply;
}
