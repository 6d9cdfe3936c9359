import { Select } from "@mantine/core";
import { useState } from "react";
import { patch } from "../api.ts";
import type { Task } from "../api.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From now, in seconds. */
const CHOICES: readonly (readonly [number, string])[] = [
  [15 * MINUTE, "In 15 minutes"],
  [HOUR, "In an hour"],
  [4 * HOUR, "In 4 hours"],
  [DAY, "In a day"],
  [3 * DAY, "In 3 days"],
  [7 * DAY, "In a week"],
];
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
  const [chosen, setChosen] = useState(possible.length > 1 ? HOUR : 15 * MINUTE);
  const timeout_seconds = Math.max(MINUTE, Math.min(age + chosen, OPEN_MAX));
  return (
    <Confirm
      title="Change the deadline?"
      action="Change deadline"
      tone="accent"
      onClose={onClose}
      onConfirm={async () => {
        await onChanged(await patch<Task>(`/api/tasks/${task.id}`, { timeout_seconds }));
        toast({ message: "Deadline changed" });
      }}
    >
      <div className="stack">
        <p>
          Now: <Time at={task.timeout_at} />
        </p>
        <Select
          label="New deadline"
          data={possible.map(([seconds, label]) => ({ value: String(seconds), label }))}
          value={String(chosen)}
          onChange={(value) => setChosen(Number(value ?? chosen))}
          // Escape would close the open list, and not the dialog.
          openOnFocus={false}
          allowDeselect={false}
        />
        <p>
          The task will time out on{" "}
          <Time at={new Date(Date.parse(task.created_at) + timeout_seconds * 1000).toISOString()} />.
        </p>
      </div>
    </Confirm>
  );
}
