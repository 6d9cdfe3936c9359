import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { remove } from "../api.ts";
import { ProjectLine, useProjectName } from "../projects/name.tsx";
import { queryClient } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { CalendarForm } from "./calendar-form.tsx";
import { calendarWords } from "./calendar-words.ts";
import { pathOf } from "./named.ts";
import { CALENDARS, calendarsQuery, type Calendar } from "./queries.ts";

/** The open dialog. If calendar is null, the dialog adds one. */
type Asked = { kind: "edit"; calendar: Calendar | null } | { kind: "delete"; calendar: Calendar };

/** The hours when teams work. (beyond: In time) */
export function Calendars() {
  const query = useQuery(calendarsQuery);
  const { asked, ask, close } = useDialog<Asked>();
  if (query.isPending) return <p className="muted">Loading</p>;
  if (query.isError)
    return <ErrorPanel title="Could not load the calendars" error={query.error} retry={() => void query.refetch()} />;
  const calendars = query.data;
  return (
    <>
      <div className="stack">
        <p>
          A calendar has the hours when a team works. Time that counts in a calendar passes only while it is open, so
          two hours can last from Friday evening to Monday morning.
        </p>
        <div className="row">
          <Button onClick={() => ask({ kind: "edit", calendar: null })}>Add a calendar</Button>
        </div>
      </div>
      {calendars.length === 0 ? (
        <p className="muted">No calendars yet.</p>
      ) : (
        <dl className="surface facts">
          {calendars.map((calendar) => (
            <About key={`${calendar.project}/${calendar.name}`} calendar={calendar} ask={ask} />
          ))}
        </dl>
      )}
      {asked?.kind === "edit" && <CalendarForm calendar={asked.calendar} onClose={close} />}
      {asked?.kind === "delete" && <Delete calendar={asked.calendar} onClose={close} />}
    </>
  );
}

function About({ calendar, ask }: { calendar: Calendar; ask: (about: Asked) => void }) {
  const { name, project } = calendar;
  const projectName = useProjectName(project);
  // Calendars of different projects can have the same name.
  const fullName = projectName === null ? name : `${name} of ${projectName}`;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <p>{calendarWords(calendar)}</p>
        <ProjectLine slug={project} />
        <div className="row">
          <Button
            variant="default"
            size="xs"
            aria-label={`Edit ${fullName}`}
            onClick={() => ask({ kind: "edit", calendar })}
          >
            Edit
          </Button>
          <Button
            variant="default"
            size="xs"
            aria-label={`Delete ${fullName}`}
            onClick={() => ask({ kind: "delete", calendar })}
          >
            Delete
          </Button>
        </div>
      </dd>
    </div>
  );
}

function Delete({ calendar, onClose }: { calendar: Calendar; onClose: () => void }) {
  const { name } = calendar;
  return (
    <Confirm
      title={`Delete the calendar ${name}?`}
      action="Delete calendar"
      onConfirm={async () => {
        await remove(pathOf(CALENDARS, calendar));
        toast({ message: `Calendar ${name} deleted` });
        await queryClient.invalidateQueries(calendarsQuery);
      }}
      onClose={onClose}
    >
      New tasks can't name it any more. This can't be undone. A calendar that is in use can't be deleted.
    </Confirm>
  );
}
