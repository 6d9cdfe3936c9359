import { Button, Select, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { textOf } from "./form.tsx";
import { securityEventsPath, securityEventsQuery } from "./queries.ts";
import type { SecurityEvent, SecurityFilter } from "./queries.ts";
import { aboutOf, TYPES, whoOf, wordsFor } from "./security-words.ts";
import "../operate.css";

/** The security log: who did what, when and from where. */
export function Security() {
  const { installed: _installed, problem: _problem, ...filter } = useSearch({ from: "/signed-in/settings/{-$part}" });
  return (
    <>
      <Filters key={JSON.stringify(filter)} filter={filter} />
      <Events filter={filter} />
    </>
  );
}

const OUTCOMES = [
  { outcome: undefined, label: "All" },
  { outcome: "success", label: "Succeeded" },
  { outcome: "failure", label: "Failed" },
] as const;

function Filters({ filter }: { filter: SecurityFilter }) {
  const navigate = useNavigate();
  const show = (search: SecurityFilter) =>
    void navigate({ to: "/settings/{-$part}", params: { part: "security" }, search });
  return (
    <form
      className="surface stack"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = (name: string) => textOf(event.currentTarget, name).trim() || undefined;
        show({
          ...filter,
          actor: entered("actor"),
          address: entered("address"),
          from: entered("from"),
          until: entered("until"),
        });
      }}
    >
      <nav className="filters" aria-label="Outcome">
        {OUTCOMES.map(({ outcome, label }) => (
          <Link
            key={label}
            to="/settings/{-$part}"
            params={{ part: "security" }}
            search={{ ...filter, outcome }}
            activeOptions={{ exact: true }}
            aria-current={filter.outcome === outcome ? "page" : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className="triple">
        <Select
          label="Event"
          placeholder="Any event"
          data={TYPES}
          value={filter.type ?? null}
          onChange={(type) => show({ ...filter, type: type ?? undefined })}
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Clear the event" }}
          nothingFoundMessage="No such event"
        />
        <TextInput
          name="actor"
          label="Who"
          placeholder="Email or id"
          defaultValue={filter.actor ?? ""}
          maxLength={254}
        />
        <TextInput name="address" label="Network address" defaultValue={filter.address ?? ""} maxLength={64} />
      </div>
      <div className="triple">
        <Day name="from" label="From" day={filter.from} />
        <Day name="until" label="Until" day={filter.until} />
      </div>
      <div className="row">
        <Button type="submit">Filter</Button>
        <Button variant="default" onClick={() => show({})}>
          Show all
        </Button>
        <Button
          variant="default"
          component="a"
          href={securityEventsPath(filter, { format: "ndjson" })}
          download="security-events.ndjson"
        >
          Download
        </Button>
      </div>
    </form>
  );
}

/** A text, because Tab stops several times in a browser's own field for dates. */
function Day({ name, label, day = "" }: { name: string; label: string; day: string | undefined }) {
  return (
    <TextInput
      name={name}
      label={label}
      placeholder="Year-month-day"
      pattern="\d{4}-\d{2}-\d{2}"
      title="For example 2026-01-31"
      autoComplete="off"
      defaultValue={day}
    />
  );
}

function Events({ filter }: { filter: SecurityFilter }) {
  const query = useInfiniteQuery(securityEventsQuery(filter));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorPanel title="Could not load the events" error={query.error} retry={() => void query.refetch()} />;
  const events = query.data.pages.flatMap((page) => page.data);
  if (events.length === 0)
    return (
      <div className="empty">
        <h2>No events match</h2>
      </div>
    );
  return (
    <>
      <EventTable events={events} />
      <LoadMore query={query} />
    </>
  );
}

function EventTable({ events }: { events: readonly SecurityEvent[] }) {
  return (
    <div className="surface flush">
      <table className="data as-cards" aria-label="Security events">
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Who</th>
            <th scope="col">From where</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <th scope="row" data-label="Event">
                <What event={event} />
              </th>
              <td data-label="Who">
                <bdi className="wraps">{whoOf(event)}</bdi>
              </td>
              <td data-label="From where">
                <span>
                  {event.source.address ?? "Unknown"}
                  {event.source.user_agent !== null && <Browser name={event.source.user_agent} />}
                </span>
              </td>
              <td data-label="When">
                <Time at={event.at} exact />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function What({ event }: { event: SecurityEvent }) {
  const about = aboutOf(event);
  return (
    <div>
      {event.outcome === "failure" ? <span className="chip bad">{wordsFor(event)}</span> : wordsFor(event)}
      {about !== null && (
        <div className="muted">
          <bdi>{about}</bdi>
        </div>
      )}
      {event.reason !== null && <code>{event.reason}</code>}
    </div>
  );
}

const BROWSER_MAX = 40;

function Browser({ name }: { name: string }) {
  const shown = name.length > BROWSER_MAX ? `${name.slice(0, BROWSER_MAX)}…` : name;
  return (
    <>
      <br />
      <span className="muted wraps" title={name}>
        {shown}
      </span>
    </>
  );
}
