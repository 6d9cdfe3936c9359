import { get, requestBytes, type Answer, type Ask } from "./client.ts";
import { completeAsk, createAsk, idOf, pollAsk, REFUND } from "./tasks.ts";

const BODY_BYTES = 1024 * 1024;
const OPEN_OBJECT = { type: "object", properties: { rows: { type: "array", items: { type: "object" } } } };
const ROWS = fill(BODY_BYTES - 2000);
const ANSWER = JSON.stringify({ response: { rows: ROWS } });

/** Returns a request that creates a task of a megabyte. */
export function createLarge(): Ask {
  return createAsk({ payload: { rows: ROWS }, payload_schema: OPEN_OBJECT, response_schema: OPEN_OBJECT });
}

/** Returns the names of what one does with a large task, with their requests, in order. */
export function* lifeOfLarge(id: string): Generator<["read" | "complete" | "poll", Ask]> {
  yield ["read", get(`/api/tasks/${id}`, `"id":"${id}"`, ROWS.at(-1)!.number)];
  const bytes = requestBytes("POST", `/api/tasks/${id}/complete`, ANSWER);
  yield ["complete", { ...completeAsk(id), bytes }];
  yield ["poll", pollAsk(id)];
}

/** Creates a task of a megabyte, reads it, completes it with an answer of the same size, and polls it. */
export async function liveLarge(ask: (ask: Ask) => Promise<Answer>): Promise<void> {
  const id = idOf(await ask(createLarge()));
  for (const [, next] of lifeOfLarge(id)) await ask(next);
}

/** Returns orders that are `bytes` bytes of JSON together. */
function fill(bytes: number): (typeof REFUND.payload.order)[] {
  const { order } = REFUND.payload;
  const count = Math.floor(bytes / (JSON.stringify(order).length + 1));
  return Array.from({ length: count }, (_, i) => ({ ...order, number: `2026-118-${1000 + (i % 9000)}` }));
}
