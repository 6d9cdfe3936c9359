import { Menu, TextInput } from "@mantine/core";
import { as, t } from "../../../languages/text.ts";
import { IconSearch } from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ListedTask, Me, TaskStatus } from "../api.ts";
import { isOperatorOf } from "../projects/access.ts";
import { usePeople } from "../projects/queries.ts";
import { agentNamesQuery, countsQuery, LED_TO, nameOf } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { lazily } from "../ui/lazily.tsx";
import { STATUSES } from "../ui/status.tsx";
import { ViewBar } from "../views/lazy.tsx";

const SEARCH_WAIT_MS = 200;
const OPEN_STATUSES: readonly TaskStatus[] = ["created", "rejected"];

export function isFiltered({ q, ...search }: Scope): boolean {
  return q !== "" || FILTERS.some((name) => search[name] !== null);
}

const FILTERS = [
  "status",
  "assignee",
  "agent",
  "label",
  "priority",
  "decision",
  "by",
  "channel",
  "range",
  "project",
  ...LED_TO,
] as const;

const load = async () => import("./closed-filters.tsx");
export const ClosedFilters = lazily("closed filters", async () => (await load()).ClosedFilters);
const LedTo = lazily("filters", async () => (await load()).LedTo);
const ExportMenu = lazily("export", async () => (await load()).ExportMenu);

/** The sort order and the filters of the list. The address contains all of them. */
export function Filters({ search, me, tasks }: { search: Scope; me: Me; tasks: readonly ListedTask[] }) {
  const navigate = useNavigate();
  const isDone = search.scope === "done";
  const isOperator = isOperatorOf(me);
  const byPerson = isOperator && search.scope === "all";
  const users = usePeople(me);
  const set = (change: Partial<Scope>) => void navigate({ to: ".", search: { ...search, ...change }, replace: true });
  const people = users.map((user) => ({ value: user.id, label: user.id === me.user_id ? t("You") : nameOf(user) }));
  return (
    <>
      <div className="row">
        {!isDone && (
          <Chip
            name={as("noun", "Sort")}
            value={search.sort}
            options={[
              { value: "deadline", label: t("Soonest first") },
              { value: "created", label: t("Newest") },
            ]}
            onChange={(sort) => set({ sort: sort === "created" ? "created" : "deadline" })}
          />
        )}
        {isDone ? (
          <ClosedFilters search={search} me={me} set={set} />
        ) : (
          <Chip
            name={t("Status")}
            value={search.status ?? ""}
            options={[
              { value: "", label: t("Any status") },
              ...OPEN_STATUSES.map((value) => ({ value, label: STATUSES[value].label })),
            ]}
            onChange={(status) => set({ status: status === "" ? null : (status as TaskStatus) })}
          />
        )}
        {byPerson && (
          <Chip
            name={t("Assignee")}
            value={search.assignee ?? ""}
            options={[{ value: "", label: t("Anyone") }, { value: "none", label: t("Unassigned") }, ...people]}
            onChange={(assignee) => set({ assignee: assignee === "" ? null : assignee })}
          />
        )}
        {isOperator && <AgentChip agent={search.agent} onChange={(agent) => set({ agent })} />}
        {(search.priority !== null || tasks.some(({ urgent, priority }) => urgent || priority !== "normal")) && (
          <Chip
            name={t("Priority")}
            value={search.priority ?? ""}
            options={PRIORITIES}
            onChange={(priority) => set({ priority: priority === "" ? null : (priority as ListedTask["priority"]) })}
          />
        )}
        {!isDone && <SnoozedChip q={search.q} onChange={(q) => set({ q })} />}
        <LabelChip label={search.label} tasks={tasks} onChange={(label) => set({ label })} />
        {LED_TO.some((name) => search[name] !== null) && <LedTo search={search} set={set} />}
        {isDone && <ExportMenu search={search} me={me} />}
        <ViewBar search={search} me={me} isNeeded={isFiltered(search) || search.sort === "created"} />
      </div>
      <Search q={search.q} onChange={(q) => set({ q })} />
    </>
  );
}

const PRIORITIES = [
  { value: "", label: t("Any priority") },
  { value: "urgent", label: t("Urgent") },
  { value: "high", label: t("High priority") },
  { value: "normal", label: t("Normal priority") },
  { value: "low", label: t("Low priority") },
];

const SNOOZED = "is:snoozed";

/** Finds the tasks that the person has snoozed, while there are any. */
function SnoozedChip({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const { data: counts } = useQuery(countsQuery);
  const isOn = q === SNOOZED;
  if (counts?.snoozed === undefined && !isOn) return null;
  return (
    <button
      type="button"
      className={isOn ? "filter set" : "filter"}
      aria-pressed={isOn}
      onClick={() => onChange(isOn ? "" : SNOOZED)}
    >
      {t("Snoozed")} {counts?.snoozed}
    </button>
  );
}

interface LabelChipProps {
  label: string | null;
  tasks: readonly ListedTask[];
  onChange: (label: string | null) => void;
}

/** The labels of the listed tasks, while they have any. */
function LabelChip({ label, tasks, onChange }: LabelChipProps) {
  const all = new Map((label === null ? [] : [label]).map((one) => [one.toLowerCase(), one]));
  for (const one of tasks.flatMap(({ labels }) => labels)) all.set(one.toLowerCase(), one);
  if (all.size === 0) return null;
  const options = Array.from(all, ([value, name]) => ({ value, label: name }));
  return (
    <Chip
      name={t("Label")}
      value={label?.toLowerCase() ?? ""}
      options={[{ value: "", label: t("Any label") }, ...options.toSorted((a, b) => (a.value < b.value ? -1 : 1))]}
      onChange={(value) => onChange(value === "" ? null : value)}
    />
  );
}

/** The agents, while there are any. */
function AgentChip({ agent, onChange }: { agent: string | null; onChange: (agent: string | null) => void }) {
  const { data: agents = [] } = useQuery(agentNamesQuery);
  const options = agents.map(({ id, name }) => ({ value: id, label: name }));
  if (agent !== null && !agents.some(({ id }) => id === agent))
    options.push({ value: agent, label: t("Another agent") });
  if (options.length === 0) return null;
  return (
    <Chip
      name={t("Agent")}
      value={agent ?? ""}
      options={[{ value: "", label: t("Any agent") }, ...options]}
      onChange={(id) => onChange(id === "" ? null : id)}
    />
  );
}

interface ChipProps {
  name: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** A choice as a chip. It shows its name, or the chosen value while it filters. */
export function Chip({ name, value, options, onChange }: ChipProps) {
  const chosen = options.find((option) => option.value === value);
  const isSet = value !== "" && chosen !== undefined;
  return (
    <Menu position="bottom-start" width={200}>
      <Menu.Target>
        <button type="button" className={isSet ? "filter set" : "filter"}>
          {isSet ? (
            <>
              <span className="unseen">{name}: </span>
              {chosen.label}
            </>
          ) : (
            name
          )}
        </button>
      </Menu.Target>
      <Menu.Dropdown className="filter-options">
        <Menu.RadioGroup value={value} onChange={onChange}>
          {options.map((option) => (
            <Menu.RadioItem key={option.value} value={option.value} closeMenuOnClick>
              {option.label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

function Search({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [text, setText] = useState(q);
  const [reported, setReported] = useState(q);
  // The address changed without typing: by back or forward, or by clearing the filters.
  if (q !== reported) {
    setReported(q);
    setText(q);
  }
  useEffect(() => {
    if (text === reported) return;
    const timer = setTimeout(() => {
      setReported(text);
      onChange(text);
    }, SEARCH_WAIT_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput
      type="search"
      aria-label={t("Search")}
      placeholder={t("Search, or {keywords}", { keywords: "from: by: is: label:" })}
      title={t("Words, ids and keys, from:agent, by:person, is:urgent, label:name")}
      size="xs"
      maxLength={200}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
