import { t } from "../../../languages/text.ts";
import { localOf, utcOf } from "../../../form/plan/times.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** When mornings begin. */
const MORNING = "09:00";

export interface Choice {
  readonly label: string;
  /** In UTC. */
  readonly until: string;
}

/**
 * Returns when a task can come back, by the clock of the person.
 * @param now - epoch milliseconds
 * @param deadline - of the task. Later times are left out
 */
export function choicesFor(now: number, deadline: string, zone: string): Choice[] {
  const today = dayOf(now, zone);
  // The full hour after three more hours.
  const later = Math.ceil((now + 3 * HOUR) / HOUR) * HOUR;
  const weekday = new Date(today).getUTCDay();
  const choices = [
    { label: t("Later today"), until: dayOf(later, zone) === today ? new Date(later).toISOString() : null },
    { label: t("Tomorrow morning"), until: morningOf(today, 1, zone) },
    // The next Monday; on a Sunday that would be tomorrow.
    { label: t("Next week"), until: morningOf(today, weekday === 0 ? 8 : 8 - weekday, zone) },
  ];
  return choices.flatMap(({ label, until }) =>
    until !== null && Date.parse(until) > now && Date.parse(until) <= Date.parse(deadline) ? [{ label, until }] : [],
  );
}

function dayOf(moment: number, zone: string): string {
  return localOf(new Date(moment).toISOString(), zone)!.slice(0, 10);
}

/** @returns null where the clocks skip that hour */
function morningOf(day: string, days: number, zone: string): string | null {
  const date = new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
  const time = utcOf(`${date}T${MORNING}`, zone);
  return time === "skipped" ? null : time;
}
