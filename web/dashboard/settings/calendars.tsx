import { useQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { remove } from "../api.ts";
import { ProjectLine, useProjectName } from "../projects/name.tsx";
import { queryClient } from "../queries.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { CalendarForm } from "./calendar-form.tsx";
import { calendarWords } from "./calendar-words.ts";
import { Listed, ListedItem } from "./listed.tsx";
import { pathOf } from "./named.ts";
import { CALENDARS, calendarsQuery, type Calendar } from "./queries.ts";

/** The open dialog. If calendar is null, the dialog adds one. */
type Asked = { kind: "edit"; calendar: Calendar | null } | { kind: "delete"; calendar: Calendar };

/** The hours when teams work. (beyond: In time) */
export function Calendars() {
  const query = useQuery(calendarsQuery);
  const { asked, ask, close } = useDialog<Asked>();
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load the calendars")} error={query.error} retry={() => void query.refetch()} />
    );
  const calendars = query.data;
  return (
    <>
      <Listed
        about={t(
          "A calendar has the hours when a team works. Time that counts in a calendar passes only while it is open, so two hours can last from Friday evening to Monday morning.",
        )}
        add={t("Add a calendar")}
        onAdd={() => ask({ kind: "edit", calendar: null })}
        empty={t("No calendars yet.")}
      >
        {calendars.map((calendar) => (
          <About key={`${calendar.project}/${calendar.name}`} calendar={calendar} ask={ask} />
        ))}
      </Listed>
      {asked?.kind === "edit" && <CalendarForm calendar={asked.calendar} onClose={close} />}
      {asked?.kind === "delete" && <Delete calendar={asked.calendar} onClose={close} />}
    </>
  );
}

function About({ calendar, ask }: { calendar: Calendar; ask: (about: Asked) => void }) {
  const { name, project } = calendar;
  const projectName = useProjectName(project);
  // Calendars of different projects can have the same name.
  const fullName = projectName === null ? name : t("{name} of {project}", { name, project: projectName });
  return (
    <ListedItem
      name={name}
      actions={
        <>
          <ActButton label={t("Edit")} of={fullName} onClick={() => ask({ kind: "edit", calendar })} />
          <ActButton label={t("Delete")} of={fullName} onClick={() => ask({ kind: "delete", calendar })} />
        </>
      }
    >
      <p>{calendarWords(calendar)}</p>
      <ProjectLine slug={project} />
    </ListedItem>
  );
}

function Delete({ calendar, onClose }: { calendar: Calendar; onClose: () => void }) {
  const { name } = calendar;
  return (
    <Confirm
      title={t("Delete the calendar {name}?", { name })}
      action={t("Delete calendar")}
      onConfirm={async () => {
        await remove(pathOf(CALENDARS, calendar));
        toast({ message: t("Calendar {name} deleted", { name }) });
        await queryClient.invalidateQueries(calendarsQuery);
      }}
      onClose={onClose}
    >
      {t("New tasks can't name it any more. This can't be undone. A calendar that is in use can't be deleted.")}
    </Confirm>
  );
}
