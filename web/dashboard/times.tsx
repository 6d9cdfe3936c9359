import { useQuery } from "@tanstack/react-query";
import { meQuery } from "./queries.ts";

const BROWSERS = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** IANA name of the zone in which this person reads times: their own choice, or the browser's. */
export function useTimeZone(): string {
  const { data: me } = useQuery(meQuery);
  return me?.time_zone ?? BROWSERS;
}

/** A moment as the reader's clock shows it, with the time in UTC in its title. */
export function Time({ at }: { at: string }) {
  const zone = useTimeZone();
  const moment = new Date(at);
  const shown = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone: zone });
  return (
    <time dateTime={at} title={utcOf(moment)}>
      {shown.format(moment)}
    </time>
  );
}

export function utcOf(moment: Date): string {
  return `${moment.toISOString().replace("T", " ").slice(0, 16)} UTC`;
}
