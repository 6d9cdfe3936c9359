import { Button, Select, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { Time, useTimeZone, utcOf } from "../ui/times.tsx";
import { browserName } from "./browser-name.ts";
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
  { outcome: undefined, label: as("events", "All") },
  { outcome: "success", label: t("Succeeded") },
  { outcome: "failure", label: t("Failed") },
] as const;

function Filters({ filter }: { filter: SecurityFilter }) {
  const navigate = useNavigate();
  const [errors, setErrors] = useState<Errors>({});
  const show = (search: SecurityFilter) =>
    void navigate({ to: "/settings/{-$part}", params: { part: "security" }, search });
  return (
    <form
      className="surface stack"
      aria-label={t("Filter")}
      onSubmit={(event) => {
        event.preventDefault();
        const entered = (name: string) => textOf(event.currentTarget, name).trim() || undefined;
        const [actor, address, from, until] = [entered("actor"), entered("address"), entered("from"), entered("until")];
        const wrong = errorsOf({ actor, address, from, until });
        setErrors(wrong);
        const [first] = Object.keys(wrong);
        if (first === undefined) show({ ...filter, actor, address, from, until });
        else event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
      }}
      onReset={() => {
        setErrors({});
        show({});
      }}
    >
      <nav className="filters" aria-label={t("Outcome")}>
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
          label={t("Event")}
          placeholder={t("Any event")}
          data={TYPES}
          value={filter.type ?? null}
          onChange={(type) => show({ ...filter, type: type ?? undefined })}
          searchable
          clearable
          clearButtonProps={{ "aria-label": t("Clear the event") }}
          nothingFoundMessage={t("No such event")}
        />
        <TextInput
          name="actor"
          label={t("Who")}
          placeholder={t("Email or id")}
          defaultValue={filter.actor ?? ""}
          maxLength={254}
          error={errors.actor}
        />
        <TextInput
          name="address"
          label={t("Network address")}
          defaultValue={filter.address ?? ""}
          maxLength={64}
          error={errors.address}
        />
      </div>
      <div className="triple">
        <TextInput type="date" name="from" label={t("From")} defaultValue={filter.from ?? ""} />
        <TextInput type="date" name="until" label={t("Until")} defaultValue={filter.until ?? ""} error={errors.until} />
      </div>
      <div className="row">
        <Button type="submit">{as("verb", "Filter")}</Button>
        <Button type="reset" variant="default">
          {t("Show all")}
        </Button>
        <Button
          variant="default"
          component="a"
          href={securityEventsPath(filter, { format: "ndjson" })}
          download="security-events.ndjson"
        >
          {as("verb", "Download")}
        </Button>
      </div>
    </form>
  );
}

type Errors = Partial<Record<"actor" | "address" | "until", string>>;

/** Finds entries that no event can match, in the order of the form. */
function errorsOf({ actor, address, from, until }: SecurityFilter): Errors {
  return {
    ...(actor !== undefined && !/@|^[a-z]+_\w+$/.test(actor) && { actor: t("Enter an email address or an id.") }),
    ...(address !== undefined &&
      !/^[\da-f.:]+$/i.test(address) && { address: t("Enter one address, such as 203.0.113.7.") }),
    ...(from !== undefined && until !== undefined && until < from && { until: t("Choose a day after the first one.") }),
  };
}

function Events({ filter }: { filter: SecurityFilter }) {
  const query = useInfiniteQuery(securityEventsQuery(filter));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorPanel title={t("Could not load the events")} error={query.error} retry={() => void query.refetch()} />;
  const events = query.data.pages.flatMap((page) => page.data);
  if (events.length === 0)
    return (
      <div className="empty">
        <h2>{t("No events match")}</h2>
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
  const timeZone = useTimeZone();
  return (
    <div className="surface flush">
      <table className="data as-cards" aria-label={t("Security events")}>
        <thead>
          <tr>
            <th scope="col">{t("Event")}</th>
            <th scope="col">{t("Who")}</th>
            <th scope="col">{t("From where")}</th>
            <th scope="col">{t("When ({zone})", { zone: timeZone.replaceAll("_", " ") })}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <th scope="row" data-label={t("Event")}>
                <What event={event} />
              </th>
              <td data-label={t("Who")}>
                <bdi className="wraps">{whoOf(event)}</bdi>
              </td>
              <td data-label={t("From where")}>
                <span>
                  {event.source.address ?? t("Unknown")}
                  {event.source.user_agent !== null && (
                    <>
                      <br />
                      <span className="muted wraps">{browserName(event.source.user_agent)}</span>
                    </>
                  )}
                </span>
              </td>
              <td data-label={t("When")}>
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
      <Details event={event} />
    </div>
  );
}

/** What is too long for the table. */
function Details({ event: { at, request_id, source } }: { event: SecurityEvent }) {
  return (
    <details className="fold">
      <summary>{t("Details")}</summary>
      <dl className="figures wraps">
        <div>
          <dt>{t("Time")}</dt>
          <dd>{utcOf(new Date(at))}</dd>
        </div>
        <div>
          <dt>{t("Browser or program")}</dt>
          <dd>{source.user_agent ?? t("Unknown")}</dd>
        </div>
        <div>
          <dt>{t("Request")}</dt>
          <dd>{request_id ?? as("request", "None")}</dd>
        </div>
      </dl>
    </details>
  );
}
