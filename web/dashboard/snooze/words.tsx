import { locale, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { Task } from "../api.ts";
import { Stamp, useTimeZone } from "../ui/times.tsx";

/** Says until when a person has snoozed a task. */
export function SnoozedUntil({ until }: { until: string }) {
  const timeZone = useTimeZone();
  return (
    <span className="chip info">
      {rich("Snoozed until {time}", { time: <Stamp at={until} words={dayAndTime(until, timeZone)} /> })}
    </span>
  );
}

/** The same at the head of the task, with a button that brings it back. */
export function Snoozed({ task }: { task: Task }) {
  if (task.snoozed_until === undefined) return null;
  return (
    <>
      <SnoozedUntil until={task.snoozed_until} />
      <button type="button" className="link-button" onClick={() => wakeUp(task)}>
        {t("Wake up")}
      </button>
    </>
  );
}

/** Brings a task back into the person's lists. */
export function wakeUp({ id }: Pick<Task, "id">): void {
  void import("./snooze.ts").then(({ wake }) => wake(id));
}

/** Returns "Fri, 4 Dec, 09:00", in the language of the reader. */
export function dayAndTime(at: string, timeZone: string): string {
  const parts = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" } as const;
  return new Intl.DateTimeFormat(locale(), { ...parts, timeZone }).format(Date.parse(at));
}
