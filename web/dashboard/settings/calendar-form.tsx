import { Select, Textarea, TextInput } from "@mantine/core";
import { useLayoutEffect, useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { put } from "../api.ts";
import { ProjectField } from "../projects/field.tsx";
import { queryClient } from "../queries.ts";
import { adoptStyles } from "../ui/later-styles.ts";
import { toast } from "../ui/toasts.ts";
import { calendarWords, dayName, dayText, readDates, readDay, WEEKDAYS, type Hours } from "./calendar-words.ts";
import styles from "./calendars.css?inline";
import { FieldError } from "./field-error.ts";
import { textOf } from "./form.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { pathOf, readNew, requireNew } from "./named.ts";
import { CALENDARS, calendarsQuery, type Calendar } from "./queries.ts";
import { BROWSER_ZONE, zonesWith } from "./time-zones.ts";

/** What a new calendar starts with. */
const USUAL: Hours = Object.fromEntries(WEEKDAYS.slice(0, 5).map((day) => [day, [["09:00", "17:00"]]]));

/** Adds or changes a calendar. Errors of a field are shown at the field. @param calendar - null for a new one */
export function CalendarForm({ calendar, onClose }: { calendar: Calendar | null; onClose: () => void }) {
  const [zone, setZone] = useState<string | null>(calendar?.time_zone ?? BROWSER_ZONE);
  const [hours, setHours] = useState<Hours>(calendar?.hours ?? USUAL);
  const [closed, setClosed] = useState<readonly string[]>(calendar?.closed ?? []);
  useLayoutEffect(() => adoptStyles(styles), []);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const path = calendar === null ? await pathOfNew(form) : pathOf(CALENDARS, calendar);
    const { name } = await put<Calendar>(path, { time_zone: zone ?? "", hours: hoursIn(form), closed });
    toast({ message: calendar === null ? t("Calendar {name} added", { name }) : t("Saved") });
    await queryClient.invalidateQueries(calendarsQuery);
  };
  return (
    <FormDialog
      title={calendar === null ? t("Add a calendar") : t("Edit {name}", { name: calendar.name })}
      label={calendar === null ? t("Add") : t("Save")}
      send={send}
      onChange={(form) => {
        setHours(Object.fromEntries(WEEKDAYS.map((day) => [day, readDay(textOf(form, `/hours/${day}`)) ?? []])));
        setClosed(readDates(textOf(form, "/closed")));
      }}
      onClose={onClose}
    >
      {(field) => (
        <>
          {calendar === null && (
            <>
              <TextInput
                {...field("/params/name")}
                label={t("Name")}
                description={t("Such as support. Programs name the calendar by it. You can't change it later.")}
                data-autofocus
              />
              <ProjectField {...field("/query/project")} />
            </>
          )}
          <Select
            label={t("Time zone")}
            data={zonesWith(zone)}
            value={zone}
            onChange={setZone}
            searchable
            allowDeselect={false}
            nothingFoundMessage={t("No matches")}
            {...field("/time_zone")}
          />
          <fieldset className="week">
            <legend>{as("of opening", "Hours")}</legend>
            <p className="muted">{t("As in 9:00-12:00, 13:30-17:00. Leave a day empty if it is closed.")}</p>
            {WEEKDAYS.map((day) => (
              <TextInput
                key={day}
                {...field(`/hours/${day}`)}
                label={dayName(day, "long")}
                placeholder={as("on this day", "Closed")}
                defaultValue={dayText(calendar === null ? (USUAL[day] ?? []) : (calendar.hours[day] ?? []))}
              />
            ))}
          </fieldset>
          <Textarea
            {...field("/closed")}
            label={t("Closed dates")}
            description={t("One date on each line, as in 2026-12-25. Optional.")}
            autosize
            minRows={2}
            maxRows={6}
            defaultValue={calendar?.closed.join("\n") ?? ""}
          />
          <output className="muted">{calendarWords({ time_zone: zone ?? "", hours, closed })}</output>
        </>
      )}
    </FormDialog>
  );
}

/** @throws FieldError, ApiError, OfflineError */
async function pathOfNew(form: HTMLFormElement): Promise<string> {
  const asked = readNew(form, textOf(form, "/query/project"));
  const calendars = await queryClient.fetchQuery({ ...calendarsQuery, staleTime: 0 });
  requireNew(asked, calendars, "calendar");
  return pathOf(CALENDARS, asked);
}

/** @throws FieldError */
function hoursIn(form: HTMLFormElement): Hours {
  const days = WEEKDAYS.map((day) => {
    const intervals = readDay(textOf(form, `/hours/${day}`));
    if (intervals === null) throw new FieldError(`/hours/${day}`, t("Write times as in 9:00-17:00."));
    return [day, intervals] as const;
  });
  const open = days.filter(([, intervals]) => intervals.length > 0);
  if (open.length === 0) throw new FieldError("/hours/mon", t("Enter the hours of at least one day."));
  return Object.fromEntries(open);
}
