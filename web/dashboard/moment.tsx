import { useNow } from "./now.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const relative = new Intl.RelativeTimeFormat(undefined, { style: "short", numeric: "auto" });
const short = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

function utcOf(at: string): string {
  return `${at.replace("T", " ").slice(0, 19)} UTC`;
}

/** When something was or will be, seen from now: "in 25 sec.", "3 min. ago", and a date where that is more than a day away. */
export function Moment({ at }: { at: string }) {
  // Another moment may lie after what was now for the one before.
  return <Ticking key={at} at={at} />;
}

function Ticking({ at }: { at: string }) {
  const then = Date.parse(at);
  const now = useNow((now) => (then > now && then - now < MINUTE ? 1_000 : MINUTE));
  return (
    <time dateTime={at} title={utcOf(at)}>
      {wordsFor(then - now, then)}
    </time>
  );
}

function wordsFor(away: number, then: number): string {
  const size = Math.abs(away);
  if (size >= DAY) return short.format(then);
  if (size >= HOUR) return relative.format(Math.round(away / HOUR), "hour");
  if (size >= MINUTE) return relative.format(Math.round(away / MINUTE), "minute");
  // What has just been, or is due, needs no seconds.
  return relative.format(away > 0 ? Math.ceil(away / 1_000) : 0, "second");
}

/** A moment to the second, in the reader's own time. */
export function ExactMoment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcOf(at)}>
      {exact.format(Date.parse(at))}
    </time>
  );
}
