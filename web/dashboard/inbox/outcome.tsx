import { Fragment, type ReactNode } from "react";
import { locale, t } from "../../../languages/text.ts";
import type { ListedTask } from "../api.ts";
import { useNow } from "../ui/now.ts";
import { isOpenStatus, StatusChip } from "../ui/status.tsx";
import { Stamp, useTimeZone } from "../ui/times.tsx";

/** Characters of a decision in a chip. */
const CHIP_MAX = 32;
const MINUTE = 60_000;

/** Says how a task was decided, in the colour of the form; or how it ended otherwise, or where it stands. */
export function OutcomeChip({ task: { status, decision }, isOver = false }: { task: ListedTask; isOver?: boolean }) {
  if (decision === null) return <StatusChip status={isOver ? "timed_out" : status} />;
  const { label, tone } = decision;
  return (
    <span className={`chip ${tone ?? "mute"}`} title={label} dir="auto">
      {label.length > CHIP_MAX ? `${label.slice(0, CHIP_MAX).trimEnd()}…` : label}
    </span>
  );
}

const CHANNELS: Readonly<Record<string, string>> = {
  dashboard: t("Dashboard"),
  slack: t("Slack"),
  email: t("Email"),
  embed: t("Embedded form"),
  mcp: "MCP",
};

/** Returns the name of a channel for a row or a choice; null for one that says nothing by itself. */
export function shortChannel(channel: string | null): string | null {
  return channel === null || channel === "fallback" ? null : (CHANNELS[channel] ?? channel);
}

export const SHORT_CHANNELS = Object.entries(CHANNELS);

/** When a closed task ended, and through which channel: "14:32 · Slack". @param isDated - with the day */
export function EndedAt({ task, isDated = false }: { task: ListedTask; isDated?: boolean }) {
  const timeZone = useTimeZone();
  if (isOpenStatus(task.status)) return null;
  const at = endOf(task);
  const format = new Intl.DateTimeFormat(locale(), {
    ...(isDated && { dateStyle: "medium" }),
    timeStyle: "short",
    timeZone,
  });
  const channel = shortChannel(task.completed_via_channel);
  return (
    <span className="deadline wide-only">
      <Stamp at={at} words={format.format(Date.parse(at))} />
      {channel !== null && ` · ${channel}`}
    </span>
  );
}

function endOf({ completed_at, timed_out_at, cancelled_at, updated_at }: ListedTask): string {
  return completed_at ?? timed_out_at ?? cancelled_at ?? updated_at;
}

interface DaysProps {
  /** Closed tasks, the last closed first. */
  tasks: readonly ListedTask[];
  /** Of the headings. */
  as: "h2" | "h3";
  children: (task: ListedTask) => ReactNode;
}

/** Closed tasks below the days on which they ended, in the time zone of the person. Each day is a list with a heading. */
export function Days({ tasks, as: Heading, children }: DaysProps) {
  const timeZone = useTimeZone();
  const now = useNow(() => MINUTE);
  const key = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone });
  const days = Map.groupBy(tasks, (task) => key.format(Date.parse(endOf(task))));
  const [today, yesterday] = [key.format(now), dayBefore(key.format(now))];
  return [...days].map(([day, ended]) => (
    <Fragment key={day}>
      <Heading className="day" id={`day-${day}`}>
        {day === today ? t("Today") : day === yesterday ? t("Yesterday") : wordsFor(day, today)}
      </Heading>
      <ul aria-labelledby={`day-${day}`}>{ended.map((task) => children(task))}</ul>
    </Fragment>
  ));
}

/** @param day - "2026-01-31" */
function dayBefore(day: string): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10);
}

/** "Mon 23 Nov", with the year if it is another one. */
function wordsFor(day: string, today: string): string {
  return new Intl.DateTimeFormat(locale(), {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(day.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" }),
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00Z`));
}
