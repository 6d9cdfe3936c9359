import { Button, Select, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { as, t } from "../../../languages/text.ts";
import { textOf } from "../settings/form.tsx";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { ErrorPanel, Page } from "../ui/page.tsx";
import { Time, useTimeZone } from "../ui/times.tsx";
import { auditPath, auditQuery } from "./queries.ts";
import type { AuditFilter, AuditRecord } from "./queries.ts";
import { aboutEvent, WHATS, whatOf, whoDid } from "./words.ts";
import "../operate.css";

/** What happened to tasks, people, keys and settings: who, what and when. */
export function AuditPage() {
  const filter = useSearch({ from: "/signed-in/operating/audit" });
  return (
    <Page title={t("Audit")} about={t("What happened to tasks, people, keys and settings")}>
      <Filters key={JSON.stringify(filter)} filter={filter} />
      <Records filter={filter} />
    </Page>
  );
}

const KINDS = [
  { kind: undefined, label: t("All") },
  { kind: "task", label: t("Tasks") },
  { kind: "security", label: t("People, keys and settings") },
] as const;

function Filters({ filter }: { filter: AuditFilter }) {
  const navigate = useNavigate();
  const show = (search: AuditFilter) => void navigate({ to: "/audit", search });
  return (
    <form
      className="surface stack"
      aria-label={t("Filter")}
      onSubmit={(event) => {
        event.preventDefault();
        const entered = (name: string) => textOf(event.currentTarget, name).trim() || undefined;
        show({ ...filter, actor: entered("actor"), from: entered("from"), until: entered("until") });
      }}
      onReset={() => show({})}
    >
      <nav className="filters" aria-label={t("Kind")}>
        {KINDS.map(({ kind, label }) => (
          <Link
            key={label}
            to="/audit"
            search={{ ...filter, kind, what: undefined }}
            activeOptions={{ exact: true }}
            aria-current={filter.kind === kind ? "page" : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className="triple">
        <Select
          label={t("What")}
          placeholder={t("Anything")}
          data={WHATS}
          value={filter.what ?? null}
          onChange={(what) => show({ ...filter, what: what ?? undefined, kind: undefined })}
          searchable
          clearable
          clearButtonProps={{ "aria-label": t("Clear what") }}
          nothingFoundMessage={t("No such thing")}
        />
        <TextInput
          name="actor"
          label={t("Who")}
          placeholder={t("Email or id")}
          defaultValue={filter.actor ?? ""}
          maxLength={254}
        />
      </div>
      <div className="triple">
        <TextInput type="date" name="from" label={t("From")} defaultValue={filter.from ?? ""} />
        <TextInput type="date" name="until" label={t("Until")} defaultValue={filter.until ?? ""} />
      </div>
      <div className="row">
        <Button type="submit">{as("verb", "Filter")}</Button>
        <Button type="reset" variant="default">
          {t("Show all")}
        </Button>
        {(["csv", "ndjson"] as const).map((format) => (
          <Button
            key={format}
            variant="default"
            component="a"
            href={auditPath("/api/audit/export", filter, { format })}
            download
          >
            {t("Export {format}", { format: format.toUpperCase() })}
          </Button>
        ))}
      </div>
    </form>
  );
}

function Records({ filter }: { filter: AuditFilter }) {
  const query = useInfiniteQuery(auditQuery(filter));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorPanel title={t("Could not load the audit")} error={query.error} retry={() => void query.refetch()} />;
  const records = query.data.pages.flatMap((page) => page.data);
  return (
    <>
      {filter.from === undefined && (
        <p className="muted">{t("The last 90 days. Choose a first day to look further back.")}</p>
      )}
      {records.length === 0 ? (
        <div className="empty">
          <h2>{t("Nothing matches")}</h2>
        </div>
      ) : (
        <RecordTable records={records} />
      )}
      <LoadMore query={query} />
    </>
  );
}

function RecordTable({ records }: { records: readonly AuditRecord[] }) {
  const timeZone = useTimeZone();
  return (
    <div className="surface flush">
      <table className="data as-cards" aria-label={t("What happened")}>
        <thead>
          <tr>
            <th scope="col">{t("What")}</th>
            <th scope="col">{t("Who")}</th>
            <th scope="col">{as("what it is about", "About")}</th>
            <th scope="col">{t("When ({time_zone})", { time_zone: timeZone.replaceAll("_", " ") })}</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.id}>
              <th scope="row" data-label={t("What")}>
                <What record={record} />
              </th>
              <td data-label={t("Who")}>
                <bdi className="wraps">{whoDid(record)}</bdi>
              </td>
              <td data-label={as("what it is about", "About")}>
                <About record={record} />
              </td>
              <td data-label={t("When")}>
                <Time at={record.at} exact />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function What({ record }: { record: AuditRecord }) {
  const { outcome, reason, details, address, channel } = record;
  const more = { ...(channel !== null && { channel }), ...(address !== null && { address }), ...details };
  return (
    <div>
      {outcome === "failure" ? <span className="chip bad">{whatOf(record)}</span> : whatOf(record)}
      {reason !== null && (
        <div className="muted wraps" dir="auto">
          {reason}
        </div>
      )}
      {Object.keys(more).length > 0 && (
        <details className="fold">
          <summary>{t("Details")}</summary>
          <code>{JSON.stringify(more)}</code>
        </details>
      )}
    </div>
  );
}

function About({ record }: { record: AuditRecord }) {
  const { kind, task_id, task, project } = record;
  if (task_id !== null && task !== null)
    return (
      <span className="wraps">
        <Link to="/tasks/$id" params={{ id: task_id }}>
          <bdi>{task}</bdi>
        </Link>
        {project !== null && project !== "default" && <span className="muted"> {project}</span>}
      </span>
    );
  const about = kind === "security" ? aboutEvent(record) : task_id;
  return about === null ? <span className="muted">–</span> : <bdi className="wraps">{about}</bdi>;
}
