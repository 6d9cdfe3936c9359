import type { Client } from "./client.ts";
import { listPages, listTasks } from "./list.ts";
import type { Send } from "./connection.ts";
import { addComment, cancelTask, completeTask, deleteTask, pollTask, reviseTask, sendAbout } from "./requests.ts";
import { findServiceKey } from "./settings.ts";
import type { Comment, EmbedToken } from "./shapes.ts";
import { POLL_SECONDS } from "./waiting.ts";

/**
 * Returns the calls of the client that are single requests, or pages of a list.
 * @param serviceKey - as in the options of the client
 */
export function callsOf(
  send: Send,
  serviceKey: string | undefined,
): Pick<
  Client,
  | "get"
  | "list"
  | "poll"
  | "complete"
  | "cancel"
  | "extend"
  | "delete"
  | "audit"
  | "comments"
  | "comment"
  | "revise"
  | "versions"
  | "embedToken"
> {
  return {
    get: async (id, { signal } = {}) => sendAbout(send, id, "", { signal }),
    list: (filter = {}, { signal } = {}) => listTasks(send, filter, signal),
    poll: async (id, { signal, timeoutSeconds = POLL_SECONDS, until } = {}) =>
      pollTask(send, id, timeoutSeconds, { signal, isAttentive: until === "attention" }),
    complete: async (id, answer, { signal, ...by } = {}) => completeTask(send, id, answer, by, { signal }),
    cancel: async (id, { signal, reason } = {}) => cancelTask(send, id, reason, { signal }),
    extend: async (id, timeout_seconds, { signal } = {}) =>
      sendAbout(send, id, "", { signal, method: "PATCH", body: { timeout_seconds } }),
    delete: async (id, { signal } = {}) => deleteTask(send, id, { signal }),
    audit: async (id, { signal } = {}) => sendAbout(send, id, "/audit", { signal }),
    comments: async (id, { signal } = {}) => {
      const all: Comment[] = [];
      for await (const comment of listPages<Comment>(send, `/api/tasks/${encodeURIComponent(id)}/comments`, signal, id))
        all.push(comment);
      return all;
    },
    comment: async (
      id,
      text,
      { signal, replyTo: reply_to = null, key: idempotency_key = crypto.randomUUID(), files = null } = {},
    ) => addComment(send, id, { text, reply_to, idempotency_key, files }, { signal }),
    revise: async (id, revision, { signal, key = crypto.randomUUID() } = {}) =>
      reviseTask(send, id, revision, key, { signal }),
    versions: async (id, { signal } = {}) => sendAbout(send, id, "/versions", { signal }),
    embedToken: async ({ signal, taskId, parentOrigin, sub, ttlSeconds }) => {
      const body = { task_id: taskId, parent_origin: parentOrigin, sub, ttl_seconds: ttlSeconds };
      const key = findServiceKey(serviceKey);
      return (await send<EmbedToken>({ method: "POST", path: "/api/embed/tokens", body, signal, taskId, token: key }))
        .data;
    },
  };
}
