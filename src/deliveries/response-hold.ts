/**
 * What a request owes the outside starts once the request was answered, or its connection closed. (spec: Complete a task)
 *
 * Such a row is written with a due time a few seconds ahead, so that no process begins it meanwhile; when the answer is
 * out, this process begins it at once. If it never gets there, the row simply falls due.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import { SECOND } from "../lib/time.ts";

/** How far ahead the due time of a held row stands. */
export const HOLD_MS = 5 * SECOND;

/** The latest due time that a held row can have; the clock of a shared database is followed, and may be corrected a little. */
export function heldUntil(now: number): number {
  return now + 2 * HOLD_MS;
}

export interface HeldDelivery {
  id: string;
  origin: string;
}

/** The answer to the request that is being worked on. */
export interface PendingAnswer {
  isOver(): boolean;
  hold(delivery: HeldDelivery): void;
}

const current = new AsyncLocalStorage<PendingAnswer>();

/** The answer that deliveries must wait for, or null where nobody waits for one. */
export function pendingAnswer(): PendingAnswer | null {
  const answer = current.getStore();
  return answer === undefined || answer.isOver() ? null : answer;
}

/** Runs `work` as part of answering with `response`; `release` gets what was held once that is over. */
export function whileAnswering(
  response: ServerResponse,
  release: (deliveries: HeldDelivery[]) => void,
  work: () => void,
): void {
  const held: HeldDelivery[] = [];
  const isOver = () => response.writableFinished || response.closed || response.destroyed;
  const letGo = () => {
    if (held.length > 0) release(held.splice(0));
  };
  const hold = (delivery: HeldDelivery) => {
    held.push(delivery);
    if (isOver()) return letGo();
    if (held.length === 1) response.once("finish", letGo).once("close", letGo);
  };
  current.run({ isOver, hold }, work);
}
