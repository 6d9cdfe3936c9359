import { useQuery } from "@tanstack/react-query";
import { locale } from "../../../languages/text.ts";
import { useNow } from "./now.ts";
import { meQuery } from "../queries.ts";

const BROWSERS = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const relative = new Intl.RelativeTimeFormat(locale(), { style: "short", numeric: "auto" });

/** Returns the IANA name of the zone in which this person reads times: their own choice, or the browser's. */
export function useTimeZone(): string {
  const { data: me } = useQuery(meQuery);
  return me?.time_zone ?? BROWSERS;
}

export function utcOf(moment: Date): string {
  return `${moment.toISOString().replace("T", " ").slice(0, 19)} UTC`;
}

/** A moment in the reader's time zone, with the time in UTC in its title. @param exact - to the second */
export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
  const timeZone = useTimeZone();
  const shown = new Intl.DateTimeFormat(locale(), {
    dateStyle: "medium",
    timeStyle: exact ? "medium" : "short",
    timeZone,
  });
  return <Stamp at={at} words={shown.format(Date.parse(at))} />;
}

/** A moment relative to now: "in 25 sec.", "3 min. ago", or a date if it is more than a day away. */
export function Moment({ at }: { at: string }) {
  // Another moment may be later than the previous one's current time.
  return <Ticking key={at} at={at} />;
}

function Ticking({ at }: { at: string }) {
  const timeZone = useTimeZone();
  const then = Date.parse(at);
  const now = useNow((now) => (then > now && then - now < MINUTE ? 1_000 : MINUTE));
  return <Stamp at={at} words={wordsFor(then - now, then, timeZone)} />;
}

function wordsFor(away: number, then: number, timeZone: string): string {
  const size = Math.abs(away);
  if (size >= DAY) {
    const short = { day: "numeric", month: "short", hour: "numeric", minute: "2-digit", timeZone } as const;
    return new Intl.DateTimeFormat(locale(), short).format(then);
  }
  if (size >= HOUR) return relative.format(Math.round(away / HOUR), "hour");
  if (size >= MINUTE) return relative.format(Math.round(away / MINUTE), "minute");
  // Very recent or imminent moments need no seconds.
  return relative.format(away > 0 ? Math.ceil(away / 1_000) : 0, "second");
}

/** A moment in these words, with the time in UTC in its title. */
export function Stamp({ at, words }: { at: string; words: string }) {
  return (
    <time dateTime={at} title={utcOf(new Date(at))}>
      {words}
    </time>
  );
}
