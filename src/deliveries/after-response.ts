/**
 * Deliveries that a request causes start after its response was sent, or its connection closed. (spec: Complete a task)
 *
 * Such a row is written with a due time some seconds ahead, so that no process begins it before. When the response was sent,
 * this process begins it at once. If this process is lost before that, the row becomes due by itself.
 *
 * The response is found by `AsyncLocalStorage`: a use-case that creates a delivery need not know that a request runs it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import type { Located } from "../db/home.ts";
import { SECOND } from "../lib/time.ts";

/** How far ahead the due time of a held row is. */
export const HOLD_MS = 5 * SECOND;

/** Returns the latest due time that a held row can have. The clock of the database may have been corrected since it was written. */
export function heldUntil(now: number): number {
  return now + 2 * HOLD_MS;
}

export interface HeldDelivery extends Located {
  origin: string;
}

/** The response to the current request. */
export interface PendingResponse {
  /** Tells whether it was sent, or will never be. */
  isOver(): boolean;
  /** Releases the delivery once the response is over. */
  hold(delivery: HeldDelivery): void;
}

const current = new AsyncLocalStorage<PendingResponse>();

/** Returns the response that new deliveries must wait for; null outside of a request. */
export function pendingResponse(): PendingResponse | null {
  const pending = current.getStore();
  return pending === undefined || pending.isOver() ? null : pending;
}

/** Runs `work`, whose new deliveries wait for `response`. `release` gets them once the response is over. */
export function deferUntilResponse(
  response: ServerResponse,
  release: (deliveries: HeldDelivery[]) => void,
  work: () => void,
): void {
  const held: HeldDelivery[] = [];
  const isOver = () => response.writableFinished || response.closed || response.destroyed;
  const releaseHeld = () => {
    if (held.length > 0) release(held.splice(0));
  };
  const hold = (delivery: HeldDelivery) => {
    held.push(delivery);
    if (isOver()) return releaseHeld();
    if (held.length === 1) response.once("finish", releaseHeld).once("close", releaseHeld);
  };
  current.run({ isOver, hold }, work);
}
