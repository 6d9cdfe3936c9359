import { setImmediate as nextTurn } from "node:timers/promises";

/** The longest that a timer of the service computes before others get a turn. */
const COMPUTING_MS = 10;

/**
 * Returns a function for work of many parts, to be called between them. It gives null, or after ten milliseconds a promise
 * that lets the event loop do what came in the meantime.
 */
export function pauses(): () => Promise<void> | null {
  let began = performance.now();
  const rest = async (): Promise<void> => {
    await nextTurn();
    began = performance.now();
  };
  return () => (performance.now() - began < COMPUTING_MS ? null : rest());
}
