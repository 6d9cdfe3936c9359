import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { HumanTaskError } from "../sdk/index.ts";
import type { HeldRequest, Requests } from "./requests.ts";
import { toolResult } from "./results.ts";

/** The extension that lets a call answer with a handle of work that goes on. (MCP: Tasks extension) */
const EXTENSION = "io.modelcontextprotocol/tasks";

/** How often a client that is not subscribed should ask, in milliseconds. People take minutes. */
const POLL_INTERVAL_MS = 5000;

/** A request as the extension shows it. Its task id is the id of the request. */
export interface McpTask {
  taskId: string;
  status: "working" | "completed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** Requests are kept until they are deleted. */
  ttlMs: null;
  pollIntervalMs?: number;
  /** What the call would have returned. Only if it is completed. */
  result?: CallToolResult & { resultType: "complete" };
}

/** Returns whether capabilities, as a client sent them, include the extension. */
export function declaresTasks(capabilities: unknown): boolean {
  const { extensions } = Object(capabilities) as { extensions?: unknown };
  // The SDK refuses calls in which it is something else than an object.
  return Object.hasOwn(Object(extensions) as object, EXTENSION);
}

/** Returns whether the client of a call takes task handles. Clients of earlier revisions never do. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  // The SDK's type of the envelope has no keys.
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  return declaresTasks(envelope[CLIENT_CAPABILITIES_META_KEY]);
}

/**
 * Returns the handle of a request. It also has the result that says that the request is pending: the SDK checks every result
 * of a tool against the tool's output schema. Clients of the extension ignore it.
 */
export function taskHandle(held: HeldRequest): CallToolResult {
  return { ...toolResult(held.request), ...toTask(held), resultType: "task" };
}

/**
 * Returns a request as the extension shows it. A task that waits for the agent's reply is `working`: `input_required` means
 * `inputRequests` for the client, which asks its user or samples its model and answers by `tasks/update`. A question of a person
 * is for the agent, who has tools for it, and its user may know nothing of it.
 */
export function toTask({ request, waitingFor, updatedAt }: HeldRequest): McpTask {
  const { request_id: taskId, asked_at: createdAt, status, url } = request;
  const common = { taskId, createdAt, lastUpdatedAt: updatedAt, ttlMs: null };
  if (status === "pending")
    return {
      ...common,
      status: "working",
      statusMessage:
        request.needs_reply === true
          ? `A person asked the agent a question. It calls check_on_human with request_id ${taskId}, and then reply. ${url}`
          : `Waiting for ${waitingFor}: ${url}`,
      pollIntervalMs: POLL_INTERVAL_MS,
    };
  if (status === "cancelled") return { ...common, status };
  return { ...common, status: "completed", result: { ...toolResult(request), resultType: "complete" } };
}

/** The error for a client that did not declare the extension. */
export function tasksMissing(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
}

const TaskParams = z.object({ taskId: z.string().min(1).max(100) });

/** Adds the methods of the extension: the state of a request, and its end at the wish of the agent. */
export function serveTasks({ server }: McpServer, requests: Requests): void {
  server.registerCapabilities({ extensions: { [EXTENSION]: {} } });

  const serve = (method: string, handle: (taskId: string, signal: AbortSignal) => Promise<object>) =>
    server.setRequestHandler(method, { params: TaskParams }, async ({ taskId }, ctx) => {
      if (!takesTasks(ctx)) throw tasksMissing();
      try {
        return { ...(await handle(taskId, ctx.mcpReq.signal)) };
      } catch (error) {
        if (!(error instanceof HumanTaskError)) throw error;
        throw new ProtocolError(
          error.code === "UNKNOWN_REQUEST" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
          error.message,
        );
      }
    });

  serve("tasks/get", async (taskId, signal) => toTask(await requests.look(taskId, signal)));
  serve("tasks/cancel", async (taskId, signal) => {
    await requests.withdraw(taskId, undefined, signal);
    return {};
  });
  // A request never asks for input, so there is nothing to be answered. Such answers are ignored.
  serve("tasks/update", async (taskId, signal) => {
    await requests.look(taskId, signal);
    return {};
  });
}
