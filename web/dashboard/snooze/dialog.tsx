import { Button, Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { localOf, utcOf } from "../../../form/plan/times.ts";
import type { Task } from "../api.ts";
import { Time, useTimeZone } from "../ui/times.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { snooze } from "./snooze.ts";
import { choicesFor } from "./times.ts";
import { dayAndTime } from "./words.tsx";

interface SnoozeDialogProps {
  task: Task;
  onSnoozed: () => void;
  onClose: () => void;
}

/** Asks when a task comes back into the person's lists. */
export function SnoozeDialog({ task, onSnoozed, onClose }: SnoozeDialogProps) {
  const timeZone = useTimeZone();
  const [now] = useState(() => Date.now());
  const choices = choicesFor(now, task.timeout_at, timeZone);
  const [own, setOwn] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const choose = async (until: string): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await snooze(task, until, dayAndTime(until, timeZone));
      onClose();
      onSnoozed();
    } catch (failure) {
      setError(sentenceOf(failure));
      setBusy(false);
    }
  };
  const chooseOwn = (): void => {
    const until = utcOf(own, timeZone);
    const problem = problemOf(until, task.timeout_at);
    if (problem === null) void choose(until!);
    else setError(problem);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("Snooze until")}
      size="sm"
      centered
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <div className="stack">
        <p className="muted">
          {rich("Your lists leave the task out until then. Its deadline stays: {time}.", {
            time: <Time at={task.timeout_at} />,
          })}
        </p>
        {choices.map(({ label, until }, i) => (
          <Button
            key={label}
            variant="default"
            justify="space-between"
            fullWidth
            disabled={busy}
            data-autofocus={i === 0 ? true : undefined}
            rightSection={<span className="muted">{dayAndTime(until, timeZone)}</span>}
            onClick={() => void choose(until)}
          >
            {label}
          </Button>
        ))}
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            chooseOwn();
          }}
        >
          <TextInput
            type="datetime-local"
            label={t("Date and time")}
            description={t("In your time zone, {zone}.", { zone: timeZone.replaceAll("_", " ") })}
            min={localOf(new Date(now).toISOString(), timeZone)?.slice(0, 16)}
            max={localOf(task.timeout_at, timeZone)?.slice(0, 16)}
            required
            withAsterisk={false}
            value={own}
            data-autofocus={choices.length === 0 ? true : undefined}
            onChange={(event) => setOwn(event.currentTarget.value)}
          />
          {error !== null && (
            <p className="notice bad" role="alert">
              {error}
            </p>
          )}
          <div className="row end">
            <Button type="submit" loading={busy}>
              {t("Snooze")}
            </Button>
          </div>
        </form>
      </div>
    </Modal>
  );
}

/** Returns why a task cannot come back at this time. @param until - in UTC, as `utcOf` returns it */
function problemOf(until: string | null, deadline: string): string | null {
  if (until === null) return t("Enter a date and a time.");
  if (until === "skipped") return t("The clocks skip this hour. Choose another one.");
  if (Date.parse(until) <= Date.now()) return t("Choose a time in the future.");
  return Date.parse(until) > Date.parse(deadline) ? t("Choose a time before the deadline of the task.") : null;
}
