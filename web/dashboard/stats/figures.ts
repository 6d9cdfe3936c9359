import { queryOptions } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
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

/** The outcomes of a task, in the order in which a bar stacks them. */
export const ENDS = [
  { name: "completed", label: t("Completed"), color: "var(--chart-completed)" },
  { name: "timed_out", label: t("Timed out"), color: "var(--chart-timed-out)" },
  { name: "verification_exhausted", label: t("Failed checks"), color: "var(--chart-failed)" },
  { name: "cancelled", label: t("Cancelled"), color: "var(--chart-cancelled)" },
] as const satisfies readonly Series<keyof Stats["totals"]>[];

/** Beside the bar of how tasks closed. */
export const CREATED = { name: "created", label: t("Created"), color: "var(--text)" } as const;

export const OPEN = [{ name: "open", label: t("Open"), color: "var(--accent)" }] as const;

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

const numbers = new Intl.NumberFormat();
const shortNumbers = new Intl.NumberFormat(undefined, { notation: "compact" });
const percents = new Intl.NumberFormat(undefined, { style: "percent" });
const days = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

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
  if (rounded < MINUTE) return `${rounded} s`;
  if (rounded < HOUR) return t("{value} min", { value: rounded / MINUTE });
  return rounded < DAY ? inTwo(rounded, HOUR, "h", MINUTE, "min") : inTwo(rounded, DAY, "d", HOUR, "h");
}

function inTwo(seconds: number, large: number, largeWord: string, small: number, smallWord: string): string {
  const rest = (seconds % large) / small;
  return `${Math.floor(seconds / large)} ${largeWord}${rest === 0 ? "" : ` ${rest} ${smallWord}`}`;
}
