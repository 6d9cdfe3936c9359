import type { NodeBase, TimeNode } from "./nodes.ts";
import { NO_ENTRY, outcomeOf } from "./readings.ts";
import type { Reading } from "./readings.ts";
import { isClock, isDate, localOf, utcOf, zonedTimeOf } from "./times.ts";

type TimeShape = Pick<TimeNode, "kind" | "zone">;

/** Returns the node of a date or time. `now` gives the offset that a time of day in a zone has today. */
export function timeNode(
  base: NodeBase,
  shape: TimeShape,
  now: Date,
  entered: readonly string[] | undefined,
  initial: unknown,
): TimeNode {
  const shown = typeof initial === "string" ? shownTime(shape, initial) : null;
  const entry = entered ?? (shown === null ? NO_ENTRY : [shown]);
  const text = (entry[0] ?? "").trim();
  // A value with seconds and an offset keeps them until a person changes it.
  const reading = text === "" ? "blank" : text === shown ? { value: initial } : readTime(shape, text, now);
  return { ...base, ...shape, entry, ...outcomeOf(base, reading) };
}

function readTime({ kind, zone }: TimeShape, text: string, now: Date): Reading {
  if (kind === "date") return isDate(text) ? { value: text } : { problem: { code: "not_a_date" } };
  if (kind === "time")
    return isClock(text)
      ? { value: zone === null ? text : zonedTimeOf(text, zone, now) }
      : { problem: { code: "not_a_time" } };
  const utc = zone === null ? (isDate(text.slice(0, 10)) && isClock(text.slice(11)) ? text : null) : utcOf(text, zone);
  if (utc === null) return { problem: { code: "not_a_date" } };
  return utc === "skipped" ? { problem: { code: "no_such_time" } } : { value: utc };
}

function shownTime({ kind, zone }: TimeShape, value: string): string | null {
  if (kind === "date") return isDate(value) ? value : null;
  if (kind === "datetime") return zone === null ? value : localOf(value, zone);
  const clock = /^\d{2}:\d{2}(?::\d{2})?/.exec(value)?.[0] ?? "";
  return isClock(clock) ? clock.replace(/:00$/, (zero) => (clock.length > 5 ? "" : zero)) : null;
}
