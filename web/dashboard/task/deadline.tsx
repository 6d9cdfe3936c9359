import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { localOf, utcOf } from "../../../form/plan/times.ts";
import { patch } from "../api.ts";
import type { Task } from "../api.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Time, useTimeZone } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From now, in seconds. */
const CHOICES: readonly (readonly [number, string])[] = [
  [15 * MINUTE, t("In 15 minutes")],
  [HOUR, t("In an hour")],
  [4 * HOUR, t("In 4 hours")],
  [DAY, t("In a day")],
  [3 * DAY, t("In 3 days")],
  [7 * DAY, t("In a week")],
];
const OWN = "own";
/** A task stays open for at most this, from its creation. */
const OPEN_MAX = 30 * DAY;

interface ChangeDeadlineProps {
  task: Task;
  onChanged: (task: Task) => Promise<void>;
  onClose: () => void;
}

/** Sets the deadline of an open task, later or earlier. */
export function ChangeDeadline({ task, onChanged, onClose }: ChangeDeadlineProps) {
  // The service counts from the creation.
  const [age] = useState(() => Math.ceil((Date.now() - Date.parse(task.created_at)) / 1000));
  const possible = CHOICES.filter(([seconds]) => age + seconds <= OPEN_MAX);
  const [chosen, setChosen] = useState(String(possible.length > 1 ? HOUR : 15 * MINUTE));
  const timeZone = useTimeZone();
  const created = Date.parse(task.created_at);
  const [own, setOwn] = useState(() => localOf(task.timeout_at, timeZone)?.slice(0, 16) ?? "");
  const timeout_seconds =
    chosen === OWN
      ? // Whole seconds from the creation. Rounded down, the deadline would be in the minute before.
        Math.ceil((Date.parse(utcOf(own, timeZone) ?? "") - created) / 1000)
      : Math.max(MINUTE, Math.min(age + Number(chosen), OPEN_MAX));
  const problem = problemOf(timeout_seconds, age);
  return (
    <Confirm
      title={t("Change the deadline?")}
      action={t("Change deadline")}
      tone="accent"
      onClose={onClose}
      onConfirm={async () => {
        if (problem !== null) throw new Error(problem);
        await onChanged(await patch<Task>(`/api/tasks/${task.id}`, { timeout_seconds }));
        toast({ message: t("Deadline changed") });
      }}
    >
      <div className="stack">
        <p>{rich("Now: {time}", { time: <Time at={task.timeout_at} /> })}</p>
        <Select
          label={t("New deadline")}
          data={[
            ...possible.map(([seconds, label]) => ({ value: String(seconds), label })),
            { value: OWN, label: t("Date and time") },
          ]}
          value={chosen}
          onChange={(value) => setChosen(value ?? chosen)}
          // Escape would close the open list, and not the dialog.
          openOnFocus={false}
          allowDeselect={false}
        />
        {chosen === OWN && (
          <TextInput
            type="datetime-local"
            label={t("Date and time")}
            description={t("In your time zone, {zone}.", { zone: timeZone.replaceAll("_", " ") })}
            value={own}
            onChange={(event) => setOwn(event.currentTarget.value)}
            error={problem}
          />
        )}
        {problem === null && (
          <p>
            {rich("The task will time out on {time}.", {
              time: <Time at={new Date(created + timeout_seconds * 1000).toISOString()} />,
            })}
          </p>
        )}
      </div>
    </Confirm>
  );
}

/** Returns why a deadline is not possible. @param age - of the task, in seconds */
function problemOf(timeout_seconds: number, age: number): string | null {
  if (Number.isNaN(timeout_seconds)) return t("Enter a date and a time.");
  if (timeout_seconds <= age) return t("Choose a time in the future.");
  if (timeout_seconds > OPEN_MAX) return t("Choose an earlier time: a task stays open for at most 30 days.");
  return timeout_seconds < MINUTE ? t("Choose a later time: a task stays open for at least a minute.") : null;
}
