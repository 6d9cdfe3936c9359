import type { Requests } from "./requests.ts";
import { endOf, follow, isAcknowledgement, withTaskIds, type ListenCall, type Message } from "./listening.ts";

const EVENT = /^data: (.*)$/m;

/**
 * Adds what happens to tasks to the stream of a subscription. A stream about tasks alone ends with the last of them.
 *
 * @param call - whose tasks are known to be those of the agent
 * @param open - opens the stream without tasks. It listens to something else, because the SDK would end it otherwise.
 * @param stopping - ends the stream on purpose, because the process is stopping
 * @param onError - told why tasks can no longer be followed. The stream ends then, and the client opens another.
 */
export async function listenOverHttp(
  requests: Requests,
  call: ListenCall,
  open: (isOfTasks: boolean) => Promise<Response>,
  { stopping, onError }: { stopping: AbortSignal; onError: (error: Error) => void },
): Promise<Response> {
  const closed = new AbortController();
  const { taskIds: followed } = call;
  const opened = await open(followed !== undefined && followed.length > 0);
  if (opened.body === null || opened.headers.get("content-type") !== "text/event-stream") return opened;
  const source = opened.body.getReader();

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (message: Message) => controller.enqueue(encode(message));
      const close = () => {
        if (closed.signal.aborted) return;
        closed.abort();
        void source.cancel();
        controller.close();
      };
      const end = () => {
        if (closed.signal.aborted) return;
        send(endOf(call.id));
        close();
      };
      stopping.addEventListener("abort", end, { once: true, signal: closed.signal });
      const fail = (error: Error) => {
        if (closed.signal.aborted) return;
        onError(error);
        close();
      };
      const copy = async () => {
        for (;;) {
          const { done, value } = await source.read();
          if (closed.signal.aborted) return;
          if (done) return close();
          const message = followed && decode(value);
          if (!message || !isAcknowledgement(call, message)) {
            controller.enqueue(value);
            continue;
          }
          const { message: acknowledged, isOnlyTasks } = withTaskIds(call, message, followed);
          send(acknowledged);
          const following = follow(requests, call.id, followed, send, closed.signal);
          following.then(() => followed.length > 0 && isOnlyTasks && end(), fail);
        }
      };
      copy().catch(fail);
      if (stopping.aborted) end();
    },
    cancel: async () => {
      closed.abort();
      await source.cancel();
    },
  });
  return new Response(body, { status: opened.status, headers: opened.headers });
}

function encode(message: Message): Uint8Array {
  return new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** Reads an event. The SDK writes each whole. @returns undefined: it has no message */
function decode(chunk: Uint8Array): Message | undefined {
  const [, data] = EVENT.exec(new TextDecoder().decode(chunk)) ?? [];
  return data === undefined ? undefined : (JSON.parse(data) as Message);
}
