import { locale, t } from "../../../languages/text.ts";
import { useNow } from "../ui/now.ts";
import { useTimeZone } from "../ui/times.tsx";
import type { Absence } from "./queries.ts";

const MINUTE = 60_000;

/** Says that a person is away, or will be. Nothing without an absence, or if it is over. */
export function AwayChip({ absence }: { absence: Absence | null }) {
  const now = useNow(() => MINUTE);
  const day = useDay();
  if (absence === null || Date.parse(absence.until) <= now) return null;
  const isAway = Date.parse(absence.from) <= now;
  return (
    <span className="chip warn">
      {isAway
        ? t("Away until {until}", { until: day(absence.until) })
        : t("Away from {from}", { from: day(absence.from) })}
    </span>
  );
}

/** Returns "Fri, 4 Dec" for a time, in the zone and language of the reader, with the year if it is another one. */
export function useDay(): (at: string) => string {
  const timeZone = useTimeZone();
  return (at) => {
    const isThisYear = new Date(at).getUTCFullYear() === new Date().getUTCFullYear();
    const parts = { weekday: "short", day: "numeric", month: "short", timeZone } as const;
    return new Intl.DateTimeFormat(locale(), isThisYear ? parts : { ...parts, year: "numeric" }).format(Date.parse(at));
  };
}
