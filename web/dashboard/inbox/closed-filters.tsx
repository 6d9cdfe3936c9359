import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { as, locale, t } from "../../../languages/text.ts";
import { get, type ListedTask, type Me, type TaskStatus } from "../api.ts";
import { isOperatorOf } from "../projects/access.ts";
import { usePeople } from "../projects/queries.ts";
import { inProject, listParameters, nameOf, type Scope } from "../queries.ts";
import { STATUSES } from "../ui/status.tsx";
import { Chip } from "./filters.tsx";
import { SHORT_CHANNELS } from "./outcome.tsx";

const STATUSES_OF_CLOSED: readonly TaskStatus[] = ["completed", "timed_out", "cancelled", "verification_exhausted"];

/** The labels of what was decided last. The list itself may have been narrowed to one of them. */
const decisionsQuery = {
  queryKey: ["tasks", "decisions"],
  queryFn: async () => {
    const last = await get<ListedTask[]>(inProject("/api/tasks?view=summary&sort=ended&status=completed&limit=200"));
    return [...new Set(last.flatMap(({ decision }) => (decision === null ? [] : [decision.label])))].toSorted();
  },
  staleTime: 60_000,
};

interface ClosedFiltersProps {
  search: Scope;
  me: Me;
  set: (change: Partial<Scope>) => void;
}

/** The filters of closed tasks. */
export function ClosedFilters({ search, me, set }: ClosedFiltersProps) {
  const { data: labels = [] } = useQuery(decisionsQuery);
  const users = usePeople(me);
  const { status, decision, by, channel, range } = search;
  const known = decision === null || labels.includes(decision) ? labels : [...labels, decision];
  const people = users.map((user) => ({ value: user.id, label: user.id === me.user_id ? t("You") : nameOf(user) }));
  return (
    <>
      <Chip
        name={t("Status")}
        value={status ?? ""}
        options={[
          { value: "", label: t("Any status") },
          ...STATUSES_OF_CLOSED.map((value) => ({ value, label: STATUSES[value].label })),
        ]}
        onChange={(value) => set({ status: value === "" ? null : (value as TaskStatus) })}
      />
      {known.length > 0 && (
        <Chip
          name={t("Decision")}
          value={decision ?? ""}
          options={[{ value: "", label: t("Any decision") }, ...known.map((label) => ({ value: label, label }))]}
          onChange={(value) => set({ decision: value === "" ? null : value })}
        />
      )}
      {isOperatorOf(me) && (
        <Chip
          name={t("Answered by")}
          value={by ?? ""}
          options={[{ value: "", label: t("Anyone") }, ...people]}
          onChange={(value) => set({ by: value === "" ? null : value })}
        />
      )}
      <Chip
        name={t("Channel")}
        value={channel ?? ""}
        options={[
          { value: "", label: t("Any channel") },
          ...SHORT_CHANNELS.map(([value, label]) => ({ value, label })),
          { value: "api", label: "API" },
        ]}
        onChange={(value) => set({ channel: value === "" ? null : value })}
      />
      <Chip
        name={as("when", "Closed")}
        value={range ?? ""}
        options={[
          { value: "", label: t("At any time") },
          { value: "1", label: t("Today") },
          { value: "7", label: t("Last 7 days") },
          { value: "30", label: t("Last 30 days") },
        ]}
        onChange={(value) => set({ range: value === "" ? null : (value as "1" | "7" | "30") })}
      />
    </>
  );
}

const days = new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", timeZone: "UTC" });
const inDays = (date: string) => days.format(Date.parse(date));

/** Returns what the filters say that other pages lead to, each with the change that removes it. */
function ledTo({ from, to, tone, edited, refused, question, age }: Scope): [label: string, change: Partial<Scope>][] {
  const said: [string, Partial<Scope>][] = [];
  if (from !== null || to !== null) {
    const [first, last] = [from === null ? "" : inDays(from), to === null ? "" : inDays(to)];
    said.push([first === last ? `${first} (UTC)` : `${first} – ${last} (UTC)`, { from: null, to: null }]);
  }
  if (tone !== null) said.push([tone === "ok" ? t("Approved") : t("Rejected"), { tone: null }]);
  if (edited !== null) said.push([edited === "true" ? t("With edits") : t("Without edits"), { edited: null }]);
  if (refused !== null) said.push([t("Sent back by a check"), { refused: null }]);
  if (question !== null) said.push([t("One question"), { question: null }]);
  if (age !== null) {
    const [least = "", most = ""] = age.split("-").map((hours) => (hours === "" ? "" : inHours(Number(hours))));
    said.push([
      most === "" ? t("Over {least} old", { least }) : t("{least} – {most} old", { least, most }),
      { age: null },
    ]);
  }
  return said;
}

function inHours(hours: number): string {
  return hours > 0 && hours % 24 === 0 ? t("{days} d", { days: hours / 24 }) : t("{hours} h", { hours });
}

/** The filters that another page led to, each with a press that removes it. */
export function LedTo({ search, set }: Pick<ClosedFiltersProps, "search" | "set">) {
  return ledTo(search).map(([label, change]) => (
    <button
      key={label}
      type="button"
      className="filter set"
      aria-label={t("Remove the filter: {label}", { label })}
      onClick={() => set(change)}
    >
      {label} ×
    </button>
  ));
}

/** A file of everything that the list has with its filters, also of what is not loaded yet. */
export function ExportMenu({ search, me }: Pick<ClosedFiltersProps, "search" | "me">) {
  return (
    <Menu position="bottom-start" width={200}>
      <Menu.Target>
        <button type="button" className="filter">
          {as("verb", "Export")}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {(["csv", "ndjson"] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={inProject(`/api/tasks/export?format=${format}&${listParameters(search, me)}`)}
            download
          >
            {format === "csv" ? t("CSV, for spreadsheets") : t("NDJSON, with answers")}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
