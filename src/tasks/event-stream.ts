import type { FastifyReply } from "fastify";
import type { Db } from "../db/database.ts";
import type { TaskEvents } from "./events.ts";
import { ServiceError } from "../errors.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import { agentHint, type AgentFinder } from "../people/agent-caller.ts";
import type { Caller } from "../people/caller.ts";
import { requireStillValid } from "../people/identify.ts";
import { requireSeesProject } from "../people/projects.ts";
import { signedOutHint } from "../people/sessions.ts";
import { requireMay } from "./access.ts";

/** Maximum number of streams per process. */
const STREAMS_MAX = 2000;
/** Interval of session checks and keep-alive comments. */
const BEAT_MS = 15 * SECOND;
/** After this time, a page connects again. A browser keeps the last time that it was told. */
const RECONNECT_MS = 3 * SECOND;
/** The same for a page whose stream was replaced. If it connected at once, it would replace the next one, and so on. */
const REPLACED_RECONNECT_MS = 10 * MINUTE;
/** A reader this far behind is disconnected. It reconnects and reads everything. */
const BEHIND_BYTES_MAX = 64 * 1024;

export interface StreamContext {
  db: Db;
  agents: AgentFinder;
  events: TaskEvents;
}

/**
 * Streams changes until the reader leaves, the session ends or the service stops. (wire: GET /api/events)
 *
 * @param project - the slug of the only one whose tasks are told; null: all that the caller sees
 * @throws ServiceError FORBIDDEN, OVERLOADED, PROJECT_NOT_FOUND
 */
export async function streamChanges(
  ctx: StreamContext,
  caller: Caller,
  project: string | null,
  reply: FastifyReply,
): Promise<FastifyReply> {
  requireMay(caller, "list");
  if (project !== null) await requireSeesProject(ctx.db, caller, project);
  if (ctx.events.count() >= STREAMS_MAX) throw new ServiceError("OVERLOADED");
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // Turns off buffering in proxies.
    "x-accel-buffering": "no",
  });
  const write = (text: string) => {
    // The stream was ended, and its reader has not read everything yet.
    if (raw.writableEnded) return;
    if (raw.writableLength > BEHIND_BYTES_MAX) raw.destroy();
    else raw.write(text);
  };
  write(`retry: ${RECONNECT_MS}\n\n`);
  const close = ctx.events.open(caller, project, {
    change: ({ type, ...data }) => write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
    end: (reason) => {
      if (reason === "replaced") write(`retry: ${REPLACED_RECONNECT_MS}\nevent: replaced\ndata: {}\n\n`);
      raw.end();
    },
  });
  const beatOnce = async () => {
    try {
      const now = await requireStillValid(ctx, caller);
      // Its reader connects again, and sees what the caller may see now.
      if (!seesSameTasks(now, caller)) raw.end();
      else write(": still here\n\n");
    } catch (error) {
      // An unavailable database does not end a session.
      if (error instanceof ServiceError && error.status === 401) raw.end();
    }
  };
  const beat = setInterval(() => void beatOnce(), BEAT_MS);
  const hint =
    caller.kind === "user" ? signedOutHint(caller.user.id) : caller.kind === "agent" ? agentHint(caller.id) : null;
  const unlisten = ctx.db.hints.listen((one) => {
    if (one === hint) void beatOnce();
  });
  raw.once("close", () => {
    clearInterval(beat);
    unlisten();
    close();
  });
  return reply;
}

/** Returns whether a caller sees the same tasks as before. */
function seesSameTasks(now: Caller, before: Caller): boolean {
  if (now.kind === "agent" && before.kind === "agent") return now.scopes.join() === before.scopes.join();
  if (now.kind !== "user" || before.kind !== "user") return true;
  return JSON.stringify(now.user.projects) === JSON.stringify(before.user.projects);
}
