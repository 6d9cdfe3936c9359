import {
  CLIENT_CAPABILITIES_META_KEY,
  INVALID_PARAMS,
  PROTOCOL_VERSION_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
  type RequestId,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { HumanTaskError } from "../sdk/index.ts";
import type { AskedBack, Requests } from "./requests.ts";
import { declaresTasks, tasksMissing, toTask } from "./tasks.ts";

/** The method that opens a stream of notifications. The SDK serves it, and knows nothing of tasks. */
export const LISTEN = "subscriptions/listen";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** Maximum number of tasks of one subscription. */
const TASKS_MAX = 200;

/** A message of the protocol, as far as it is read here. */
export interface Message {
  jsonrpc: "2.0";
  id?: RequestId;
  method?: string;
  params?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
  result?: unknown;
}

/** A call that opens a stream. */
export interface ListenCall {
  id: RequestId;
  /** The tasks that it asks for; undefined if it names none. */
  taskIds: readonly string[] | undefined;
  /** It asks for changes of the list of tools too. */
  wantsTools: boolean;
}

const Listen = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal(LISTEN),
  params: z.object({
    _meta: z.looseObject({ [PROTOCOL_VERSION_META_KEY]: z.string() }),
    notifications: z.looseObject({ taskIds: z.unknown().optional(), toolsListChanged: z.unknown().optional() }),
  }),
});
const TaskIds = z.array(z.string().min(1).max(100)).max(TASKS_MAX);

/** Reads a message. @returns null: it does not open a stream, or the SDK will refuse it; an error to answer with */
export function readListen(message: unknown): ListenCall | Required<Pick<Message, "jsonrpc" | "id" | "error">> | null {
  const { success, data } = Listen.safeParse(message);
  if (!success) return null;
  const { id, params } = data;
  const { _meta: meta, notifications } = params;
  const { taskIds: asked, toolsListChanged } = notifications;
  const wantsTools = toolsListChanged === true;
  if (asked === undefined) return { id, taskIds: undefined, wantsTools };
  const refuse = (code: number, text: string, more?: unknown) => ({
    jsonrpc: "2.0" as const,
    id,
    error: { code, message: text, ...(more !== undefined && { data: more }) },
  });
  if (!declaresTasks(meta[CLIENT_CAPABILITIES_META_KEY])) {
    const { code, message: text, data: missing } = tasksMissing();
    return refuse(code, text, missing);
  }
  const taskIds = TaskIds.safeParse(asked);
  if (!taskIds.success) return refuse(INVALID_PARAMS, `taskIds is a list of at most ${TASKS_MAX} ids.`);
  return { id, taskIds: [...new Set(taskIds.data)], wantsTools };
}

/** Returns those tasks that are requests of this agent. */
export async function known(requests: Requests, ids: readonly string[], signal: AbortSignal): Promise<string[]> {
  const found = await Promise.all(ids.map(async (id) => ((await exists(requests, id, signal)) ? [id] : [])));
  return found.flat();
}

async function exists(requests: Requests, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await requests.look(id, signal);
    return true;
  } catch (error) {
    if (isUnknown(error)) return false;
    throw error;
  }
}

/** Returns whether a message is the one that opens the stream of a call. */
export function isAcknowledgement({ id }: ListenCall, message: Message): boolean {
  return message.method === ACKNOWLEDGED && subscriptionOf(message) === id;
}

/**
 * Returns the acknowledgement with the tasks that are listened to, and without what the call did not ask for.
 * @returns `isOnlyTasks`: nothing else is listened to
 */
export function withTaskIds(
  { wantsTools }: ListenCall,
  message: Message,
  taskIds: readonly string[],
): { message: Message; isOnlyTasks: boolean } {
  const { params = {} } = message;
  const { toolsListChanged, ...others } = Object(params["notifications"]) as Record<string, unknown>;
  const honored = wantsTools ? { toolsListChanged, ...others } : others;
  return {
    message: { ...message, params: { ...params, notifications: { ...honored, taskIds } } },
    isOnlyTasks: Object.keys(honored).length === 0,
  };
}

/** Returns the message that ends a stream on purpose. */
export function endOf(id: RequestId): Message {
  return { jsonrpc: "2.0", id, result: { resultType: "complete", _meta: { [SUBSCRIPTION_ID_META_KEY]: id } } };
}

/**
 * Sends the state of each task once it has ended, and before that when people ask the agent something or have their reply, for as
 * long as the stream is open. A task that is deleted is not told of. Resolves once there is nothing left to tell.
 * @throws HumanTaskError, and the reason of the signal
 */
export async function follow(
  requests: Requests,
  subscription: RequestId,
  taskIds: readonly string[],
  send: (message: Message) => void,
  signal: AbortSignal,
): Promise<void> {
  const one = async (id: string) => {
    try {
      let known: readonly AskedBack[] = [];
      for (let isOpen = true; isOpen;) {
        await requests.untilNews(id, known, signal);
        const held = await requests.look(id, signal);
        const params = { ...toTask(held), _meta: { [SUBSCRIPTION_ID_META_KEY]: subscription } };
        send({ jsonrpc: "2.0", method: "notifications/tasks", params });
        isOpen = held.request.status === "pending";
        known = held.request.questions ?? [];
      }
    } catch (error) {
      if (!isUnknown(error)) throw error;
    }
  };
  await Promise.all(taskIds.map(one));
}

function subscriptionOf({ params }: Message): unknown {
  return (Object(params?.["_meta"]) as Record<string, unknown>)[SUBSCRIPTION_ID_META_KEY];
}

function isUnknown(error: unknown): boolean {
  return error instanceof HumanTaskError && ["UNKNOWN_REQUEST", "TASK_NOT_FOUND"].includes(error.code);
}
