import { queryOptions } from "@tanstack/react-query";
import { as, locale, plural, t } from "../../../languages/text.ts";
import type { components } from "../schemas.d.ts";
import { get } from "../api.ts";
import { inProject } from "../queries.ts";

export type Stats = components["schemas"]["Stats"];

export type StatsGroups = components["schemas"]["StatsGroups"];
export type GroupCounts = StatsGroups["all"];

/** The days that the page is about. The address has them; none: the last 30. */
export interface StatsSearch {
  days?: "7" | "90" | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

function parametersOf({ days, from, to }: StatsSearch): string {
  return from !== undefined && to !== undefined ? `from=${from}&to=${to}` : `window_days=${days ?? 30}`;
}

/** The statistics of some days. They are kept up to date for people who leave the page open. */
export function statsQuery(search: StatsSearch) {
  const parameters = parametersOf(search);
  return queryOptions({
    queryKey: ["stats", parameters],
    queryFn: () => get<Stats>(inProject(`/api/stats?${parameters}`)),
    refetchInterval: 60_000,
  });
}

/** The same by group. Counting them takes longer, so they are loaded by themselves. */
export function groupsQuery(search: StatsSearch) {
  const parameters = parametersOf(search);
  return queryOptions({
    queryKey: ["stats", "groups", parameters],
    queryFn: () => get<StatsGroups>(inProject(`/api/stats/groups?${parameters}`)),
    refetchInterval: 60_000,
  });
}

/** One value of each row, in a chart and in its table. */
export interface Series<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly color: string;
}

/** A series whose counts are summed. */
export interface Counted<Name extends string> extends Series<Name> {
  /** Says how many there are. */
  readonly counted: (count: number) => string;
}

/** The outcomes of a task, in the order in which a bar stacks them. */
export const ENDS = [
  {
    name: "completed",
    label: t("Completed"),
    color: "var(--chart-completed)",
    counted: (count) => plural(count, "{n} completed", "{n} completed"),
  },
  {
    name: "timed_out",
    label: t("Timed out"),
    color: "var(--chart-timed-out)",
    counted: (count) => plural(count, "{n} timed out", "{n} timed out"),
  },
  {
    name: "verification_exhausted",
    label: t("Failed checks"),
    color: "var(--chart-failed)",
    counted: (count) => plural(count, "{n} failed check", "{n} failed checks"),
  },
  {
    name: "cancelled",
    label: t("Cancelled"),
    color: "var(--chart-cancelled)",
    counted: (count) => plural(count, "{n} cancelled", "{n} cancelled"),
  },
] as const satisfies readonly Counted<keyof Stats["totals"]>[];

/** Beside the bar of how tasks closed. */
export const CREATED = { name: "created", label: t("Created"), color: "var(--text)" } as const;

export const OPEN = [
  {
    name: "open",
    label: as("adjective", "Open"),
    color: "var(--accent)",
    counted: (count) => plural(count, "{n} open", "{n} open"),
  },
] as const satisfies readonly Counted<"open">[];

export const CHANNELS = [ENDS[0]];

const CHANNEL_NAMES: Readonly<Record<string, string>> = {
  dashboard: t("Dashboard"),
  email: t("Email"),
  slack: t("Slack"),
  embed: t("Embedded form"),
  api: "API",
  fallback: t("Given beforehand"),
};

/** Returns the label of a channel. API callers can use custom names. null if the answer named no channel. */
export function channelName(channel: string | null): string {
  return channel === null ? t("No channel") : (CHANNEL_NAMES[channel] ?? channel);
}

const numbers = new Intl.NumberFormat(locale());
const shortNumbers = new Intl.NumberFormat(locale(), { notation: "compact" });
const percents = new Intl.NumberFormat(locale(), { style: "percent" });
const days = new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", timeZone: "UTC" });

export function countWord(count: number): string {
  return numbers.format(count);
}

/** Returns a rounded number for narrow places. Numbers from ten thousand on are written like 50M. */
export function axisWord(count: number): string {
  return count < 10_000 ? countWord(count) : shortNumbers.format(count);
}

/** @param part - 0 to 1 */
export function inPercent(part: number): string {
  return percents.format(part);
}

/** @param date - a day of UTC, such as 2026-01-31 */
export function inDays(date: string): string {
  // A date must not break over two lines.
  return days.format(Date.parse(date)).replace(" ", "\u00a0");
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a duration in at most two units, such as "2 h 40 min". */
export function inWords(seconds: number | null): string {
  if (seconds === null) return "–";
  const grain = seconds < MINUTE ? 1 : seconds < DAY ? MINUTE : HOUR;
  const rounded = Math.round(seconds / grain) * grain;
  if (rounded < MINUTE) return t("{seconds} s", { seconds: rounded });
  if (rounded < HOUR) return t("{minutes} min", { minutes: rounded / MINUTE });
  if (rounded < DAY) {
    const [hours, minutes] = [Math.floor(rounded / HOUR), (rounded % HOUR) / MINUTE];
    return minutes === 0 ? t("{hours} h", { hours }) : t("{hours} h {minutes} min", { hours, minutes });
  }
  const [days, hours] = [Math.floor(rounded / DAY), (rounded % DAY) / HOUR];
  return hours === 0 ? t("{days} d", { days }) : t("{days} d {hours} h", { days, hours });
}
