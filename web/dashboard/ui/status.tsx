import { locale, t } from "../../../languages/text.ts";
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconClockOff,
  IconDots,
  IconShieldX,
} from "./icons.tsx";
import type { ListedTask, TaskStatus } from "../api.ts";
import { useNow } from "./now.ts";
import { useTimeZone, utcOf } from "./times.tsx";

/** The label and the look of each status. */
export const STATUSES: Record<TaskStatus, { label: string; tone: string; Icon: typeof IconClock }> = {
  created: { label: t("Waiting"), tone: "info", Icon: IconCircleDashed },
  rejected: { label: t("Sent back"), tone: "warn", Icon: IconArrowBackUp },
  completed: { label: t("Completed"), tone: "ok", Icon: IconCircleCheck },
  timed_out: { label: t("Timed out"), tone: "mute", Icon: IconClockOff },
  cancelled: { label: t("Cancelled"), tone: "mute", Icon: IconCircleX },
  verification_exhausted: { label: t("Check failed"), tone: "bad", Icon: IconShieldX },
};

export function StatusChip({ status }: { status: TaskStatus }) {
  const { label, tone, Icon } = STATUSES[status];
  return (
    <span className={`chip ${tone}`} title={status}>
      <Icon size={14} stroke={1.75} aria-hidden />
      {label}
    </span>
  );
}

/** Says that people wait for the asker, whom somebody has asked something. */
export function ReplyChip({ asker }: { asker: string }) {
  return (
    <span className="chip info" title={t("Waits for the reply of {asker}", { asker })}>
      <IconDots size={14} stroke={1.75} aria-hidden />
      {t("Waits for reply")}
    </span>
  );
}

/** Says how soon people should look at an open task, unless that is as usual. What a step has marked is urgent, as what was asked so. */
export function PriorityChip({ task: { urgent, priority } }: { task: Pick<ListedTask, "urgent" | "priority"> }) {
  if (urgent) return <span className="chip bad">{t("Urgent")}</span>;
  if (priority === "high") return <span className="chip warn">{t("High priority")}</span>;
  return priority === "low" ? <span className="chip mute">{t("Low priority")}</span> : null;
}

/** Returns whether the task still waits for an answer. */
export function isOpenStatus(status: TaskStatus): boolean {
  return status === "created" || status === "rejected";
}

/** Returns whether an open task is past its deadline. It accepts no more answers, even before the service closes it. */
export function useIsOver({ status, timeout_at }: { status: TaskStatus; timeout_at: string }): boolean {
  const end = Date.parse(timeout_at);
  const now = useNow((at) => (isOpenStatus(status) ? pace(end - at) : null));
  return isOpenStatus(status) && now >= end;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SOON = { weekday: "short", hour: "numeric", minute: "2-digit" } as const;
const LATER = { day: "numeric", month: "short" } as const;

/** Shows the remaining time of an open task. */
export function Deadline({ created, at }: { created: string; at: string }) {
  const end = Date.parse(at);
  const timeZone = useTimeZone();
  const now = useNow((at) => pace(end - at));
  const left = end - now;
  const whole = end - Date.parse(created);
  const title = utcOf(new Date(end));
  // Both are relative to the whole time, so that no task is due soon from the start.
  const soon = left <= Math.min(whole / 4, HOUR);
  const urgent = left <= Math.min(whole / 10, 15 * MINUTE);
  const Icon = soon ? IconAlertTriangle : IconClock;
  return (
    <span className={`deadline ${urgent ? "urgent" : soon ? "soon" : ""}`} title={title}>
      <Icon size={14} stroke={1.75} aria-hidden />
      {wordsFor(left, end, timeZone)}
    </span>
  );
}

/** Returns the interval at which the displayed time changes. */
function pace(left: number): number | null {
  if (left <= 0) return null;
  return left < 2 * MINUTE ? 1_000 : left < HOUR ? 10_000 : MINUTE;
}

function wordsFor(left: number, end: number, timeZone: string): string {
  if (left < 2 * MINUTE) return t("{seconds} s left", { seconds: Math.max(0, Math.ceil(left / 1000)) });
  if (left < HOUR) return t("{minutes} min left", { minutes: Math.ceil(left / MINUTE) });
  if (left < 12 * HOUR) return t("{hours} h left", { hours: Math.floor(left / HOUR) });
  const style = left < 6 * DAY ? SOON : LATER;
  return new Intl.DateTimeFormat(locale(), { ...style, timeZone }).format(end);
}
