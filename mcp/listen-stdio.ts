import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server";
import type { Requests } from "./requests.ts";
import {
  endOf,
  follow,
  isAcknowledgement,
  known,
  readListen,
  withTaskIds,
  type ListenCall,
  type Message,
} from "./listening.ts";

/** A stream that names tasks. */
interface Stream {
  call: ListenCall & { taskIds: readonly string[] };
  closed: AbortController;
}

/**
 * Wraps the transport of a connection, and adds what happens to tasks to its subscriptions. A subscription to tasks alone
 * ends with the last of them, and each ends when tasks can no longer be followed.
 */
export class TaskListeningTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #wire: Transport;
  readonly #requests: Requests;
  readonly #onError: (error: Error) => void;
  readonly #streams = new Map<unknown, Stream>();

  constructor(wire: Transport, requests: Requests, onError: (error: Error) => void) {
    this.#wire = wire;
    this.#requests = requests;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    const handlers: Pick<Transport, "onmessage" | "onerror" | "onclose"> = {
      onmessage: (message) => this.#receive(message),
      onerror: (error) => this.onerror?.(error),
      onclose: () => {
        for (const id of this.#streams.keys()) this.#forget(id);
        this.onclose?.();
      },
    };
    Object.assign(this.#wire, handlers);
    await this.#wire.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const sent = message as Message;
    for (const stream of this.#streams.values())
      if (isAcknowledgement(stream.call, sent)) return this.#acknowledge(stream, sent);
    // The answer to the call ends the stream, or refuses it.
    if (sent.method === undefined) this.#forget(sent.id);
    return this.#wire.send(message, options);
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }

  #receive(message: JSONRPCMessage): void {
    const { method, params } = message as Message;
    if (method === "notifications/cancelled") this.#forget(params?.["requestId"]);
    const call = readListen(message);
    if (call !== null && "error" in call) return void this.#write(call);
    if (call?.taskIds !== undefined) {
      this.#forget(call.id);
      this.#streams.set(call.id, { call: { ...call, taskIds: call.taskIds }, closed: new AbortController() });
    }
    this.onmessage?.(message);
  }

  async #acknowledge({ call, closed }: Stream, message: Message): Promise<void> {
    try {
      const taskIds = await known(this.#requests, call.taskIds, closed.signal);
      const { message: acknowledged, isOnlyTasks } = withTaskIds(call, message, taskIds);
      await this.#write(acknowledged);
      void this.#follow(call, closed, taskIds, isOnlyTasks);
    } catch (error) {
      if (!closed.signal.aborted) this.#end(call, error as Error);
    }
  }

  async #follow(
    call: ListenCall,
    { signal }: AbortController,
    taskIds: readonly string[],
    isOnlyTasks: boolean,
  ): Promise<void> {
    try {
      await follow(this.#requests, call.id, taskIds, (one) => void this.#write(one), signal);
      if (isOnlyTasks) this.#end(call);
    } catch (error) {
      if (!signal.aborted) this.#end(call, error as Error);
    }
  }

  /** @param error - why tasks can no longer be followed */
  #end({ id }: ListenCall, error?: Error): void {
    if (error !== undefined) this.#onError(error);
    this.#forget(id);
    // The server forgets the subscription as well, so that its end is not sent twice.
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    void this.#write(endOf(id));
  }

  #forget(id: unknown): void {
    this.#streams.get(id)?.closed.abort();
    this.#streams.delete(id);
  }

  async #write(message: Message): Promise<void> {
    await this.#wire.send(message as JSONRPCMessage).catch(this.#onError);
  }
}
