/** What the clock of the service showed, and how long it showed something that excuses nothing. */
import type { Shift, Story, Trouble } from "./story.ts";

/** Returns what the clock showed at a moment of virtual time. */
export function clockAt({ shifts }: Pick<Story, "shifts">, at: number): number {
  return at + shifts.findLast((shift) => shift.at <= at)!.by;
}

/** Returns the spans of virtual time in which the clock showed a time from `from` on, before `to`. */
export function spansBetween({ shifts }: Pick<Story, "shifts">, from: number, to: number): Trouble[] {
  return shifts.flatMap(({ at, by }: Shift, i) => {
    const until = shifts[i + 1]?.at ?? Number.POSITIVE_INFINITY;
    const span = { from: Math.max(at, from - by), to: Math.min(until, to - by) };
    return span.from < span.to ? [span] : [];
  });
}

/** Returns how much of the time from `from` to `to` was troubled. */
export function excused(troubles: readonly Trouble[], from: number, to: number): number {
  let sum = 0;
  let seen = from;
  for (const trouble of troubles.toSorted((a, b) => a.from - b.from)) {
    const start = Math.max(trouble.from, seen);
    const end = Math.min(trouble.to, to);
    if (end <= start) continue;
    sum += end - start;
    seen = end;
  }
  return sum;
}
