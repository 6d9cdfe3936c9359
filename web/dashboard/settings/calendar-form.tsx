import { Modal, Select, Textarea, TextInput } from "@mantine/core";
import { useLayoutEffect, useState } from "react";
import { put } from "../api.ts";
import { ProjectField } from "../projects/field.tsx";
import { queryClient } from "../queries.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { adoptStyles } from "../ui/later-styles.ts";
import { toast } from "../ui/toasts.ts";
import { calendarWords, dayText, readDates, readDay, WEEKDAYS, type Hours } from "./calendar-words.ts";
import styles from "./calendars.css?inline";
import { errorsByField, FieldError, focusFirstError, textOf, type Errors } from "./form.tsx";
import { CALENDARS, calendarsQuery, type Calendar } from "./queries.ts";
import { BROWSER_ZONE, zonesWith } from "./time-zones.ts";
import "../operate.css";

const DAY_NAMES = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
} as const satisfies Record<(typeof WEEKDAYS)[number], string>;

/** What a new calendar starts with. */
const USUAL: Hours = Object.fromEntries(WEEKDAYS.slice(0, 5).map((day) => [day, [["09:00", "17:00"]]]));

/** Returns the address of a calendar. @param project - "": the project that the service chooses */
export function pathOf(name: string, project: string): string {
  const query = project === "" ? "" : `?${new URLSearchParams({ project })}`;
  return `${CALENDARS}/${encodeURIComponent(name)}${query}`;
}

/** Adds or changes a calendar. Errors of a field are shown at the field. @param calendar - null for a new one */
export function CalendarForm({ calendar, onClose }: { calendar: Calendar | null; onClose: () => void }) {
  const [zone, setZone] = useState<string | null>(calendar?.time_zone ?? BROWSER_ZONE);
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const [hours, setHours] = useState<Hours>(calendar?.hours ?? USUAL);
  const [closed, setClosed] = useState<readonly string[]>(calendar?.closed ?? []);
  useLayoutEffect(() => adoptStyles(styles), []);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setErrors({});
    try {
      const path = calendar === null ? await pathOfNew(form) : pathOf(calendar.name, calendar.project);
      const { name } = await put<Calendar>(path, { time_zone: zone ?? "", hours: hoursIn(form), closed });
      toast({ message: calendar === null ? `Calendar ${name} added` : "Saved" });
      await queryClient.invalidateQueries(calendarsQuery);
      onClose();
    } catch (failure) {
      const errors = errorsByField(failure, form);
      setErrors(errors);
      setBusy(false);
      focusFirstError(errors, form);
    }
  };
  const field = (name: string) => ({ name, error: errors[name], autoComplete: "off" });
  return (
    <Modal
      opened
      onClose={onClose}
      title={calendar === null ? "Add a calendar" : `Edit ${calendar.name}`}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form
        className="stack"
        noValidate
        onChange={({ currentTarget }) => {
          setHours(
            Object.fromEntries(WEEKDAYS.map((day) => [day, readDay(textOf(currentTarget, `/hours/${day}`)) ?? []])),
          );
          setClosed(readDates(textOf(currentTarget, "/closed")));
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        {calendar === null && (
          <>
            <TextInput
              {...field("/params/name")}
              label="Name"
              description="Such as support. Programs name the calendar by it. You can't change it later."
              data-autofocus
            />
            <ProjectField name="/query/project" error={errors["/query/project"]} />
          </>
        )}
        <Select
          label="Time zone"
          data={zonesWith(zone)}
          value={zone}
          onChange={setZone}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matches"
          name="/time_zone"
          error={errors["/time_zone"]}
        />
        <fieldset className="week">
          <legend>Hours</legend>
          <p className="muted">As in 9:00-12:00, 13:30-17:00. Leave a day empty if it is closed.</p>
          {WEEKDAYS.map((day) => (
            <TextInput
              key={day}
              {...field(`/hours/${day}`)}
              label={DAY_NAMES[day]}
              placeholder="Closed"
              defaultValue={dayText(calendar === null ? (USUAL[day] ?? []) : (calendar.hours[day] ?? []))}
            />
          ))}
        </fieldset>
        <Textarea
          {...field("/closed")}
          label="Closed dates"
          description="One date on each line, as in 2026-12-25. Optional."
          autosize
          minRows={2}
          maxRows={6}
          defaultValue={calendar?.closed.join("\n") ?? ""}
        />
        <output className="muted">{calendarWords({ time_zone: zone ?? "", hours, closed })}</output>
        <FormEnd error={errors[""]} label={calendar === null ? "Add" : "Save"} busy={busy} onClose={onClose} />
      </form>
    </Modal>
  );
}

/**
 * Returns the address of a new calendar. The service would replace one that exists.
 * @throws FieldError, ApiError, OfflineError
 */
async function pathOfNew(form: HTMLFormElement): Promise<string> {
  const [name, project] = [textOf(form, "/params/name").trim(), textOf(form, "/query/project")];
  if (!/^[a-z0-9_-]{1,64}$/.test(name))
    throw new FieldError("/params/name", "Enter 1 to 64 of a to z, 0 to 9, hyphens and underscores.");
  const calendars = await queryClient.fetchQuery({ ...calendarsQuery, staleTime: 0 });
  if (calendars.some((other) => other.name === name && (project === "" || other.project === project)))
    throw new FieldError("/params/name", "A calendar with this name exists. Edit that calendar.");
  return pathOf(name, project);
}

/** @throws FieldError */
function hoursIn(form: HTMLFormElement): Hours {
  const days = WEEKDAYS.map((day) => {
    const intervals = readDay(textOf(form, `/hours/${day}`));
    if (intervals === null) throw new FieldError(`/hours/${day}`, "Write times as in 9:00-17:00.");
    return [day, intervals] as const;
  });
  const open = days.filter(([, intervals]) => intervals.length > 0);
  if (open.length === 0) throw new FieldError("/hours/mon", "Enter the hours of at least one day.");
  return Object.fromEntries(open);
}
