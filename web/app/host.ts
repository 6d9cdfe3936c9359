/*
 * Messages between this page and the host that shows it: JSON-RPC 2.0 by `postMessage`. (MCP Apps 2026-01-26) The official
 * `App` class does the same with the whole SDK of MCP, which is several times as large as this form.
 */

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Called with the parameters of a notification, by its method. */
type Listeners = Readonly<Record<string, (params: never) => void>>;

/** The requests of the host that this page answers. Neither needs anything done. */
const ANSWERED = new Set(["ping", "ui/resource-teardown"]);

const waiting = new Map<unknown, (reply: Message) => void>();
let sent = 0;
/** The origin of the host, or of its sandbox. It is known after the first message, and nothing secret is sent before. */
let origin = "*";

function post(message: object): void {
  parent.postMessage({ jsonrpc: "2.0", ...message }, origin);
}

export function notify(method: string, params: object = {}): void {
  post({ method, params });
}

/** Sends a request and returns its result. @throws Error with the message of the host, if it refuses */
export async function request<T>(method: string, params: object): Promise<T> {
  const id = ++sent;
  const reply = new Promise<Message>((resolve) => waiting.set(id, resolve));
  post({ id, method, params });
  const { result, error } = await reply;
  if (error) throw new Error(error.message);
  return result as T;
}

export function listen(listeners: Listeners): void {
  addEventListener("message", ({ source, data, origin: from }: MessageEvent<Message | null>) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    if (from !== "null") origin = from;
    const { id, method, params } = data;
    if (method === undefined) {
      waiting.get(id)?.(data);
      waiting.delete(id);
    } else if (id === undefined) listeners[method]?.(params as never);
    else post({ id, ...(ANSWERED.has(method) ? { result: {} } : { error: { code: -32_601, message: method } }) });
  });
}
