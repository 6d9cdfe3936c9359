import { AsyncLocalStorage } from "node:async_hooks";

/*
 * The trace that a call belongs to. Its client names it in `_meta`, and the calls of the API that it causes carry it on, so that
 * logs and tracers on the way find them together. (MCP: OpenTelemetry trace context; W3C Trace Context)
 */

/** What else is in a trace context is of no use without this. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const current = new AsyncLocalStorage<string>();

/** Makes the calls of the API in `call` part of the trace that `_meta` names, if it is valid. */
export function traced<T>(meta: Readonly<Record<string, unknown>> | undefined, call: () => T): T {
  const { traceparent } = meta ?? {};
  const isValid = typeof traceparent === "string" && TRACEPARENT.test(traceparent);
  return isValid ? current.run(traceparent, call) : call();
}

/** Returns a `fetch` whose requests say which trace they belong to. */
export function fetchInTrace(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const traceparent = current.getStore();
    return fetch(
      input,
      traceparent === undefined ? init : { ...init, headers: { ...(init?.headers as object), traceparent } },
    );
  };
}
