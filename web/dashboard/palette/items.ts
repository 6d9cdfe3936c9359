import { useDebouncedValue } from "@mantine/hooks";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import { get } from "../api.ts";
import type { ListedTask, Me } from "../api.ts";
import { isOperatorOf, seesPage } from "../projects/access.ts";
import { projectsQuery, usePeople } from "../projects/queries.ts";
import { inProject, nameOf, taskQuery } from "../queries.ts";
import { PARTS, seesPart } from "../settings/parts.ts";
import { OPERATE, placesOf } from "../shell.tsx";
import { signOut } from "../sign-out.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { searchOf } from "../views/filter.ts";
import { viewsQuery } from "../views/shown.ts";
import { possibleCommands } from "./commands.ts";
import { matches } from "./match.ts";
import { readRecent } from "./recent.ts";

export interface Item {
  /** Identifies it, also in a later palette: "task:tsk_1". */
  readonly key: string;
  readonly label: string;
  /** The keys that do the same. */
  readonly keys?: readonly string[];
  /** What tells it from others of the same name. */
  readonly about?: string;
  readonly run: () => void;
}

export interface Group {
  readonly name: string;
  readonly items: readonly Item[];
}

const TASKS_MAX = 6;
const PEOPLE_MAX = 6;
const SEARCH_MIN = 2;
const SEARCH_WAIT_MS = 150;
/** Keys of two letters that lead to pages. */
const PAGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  all: ["G", "I"],
  mine: ["G", "M"],
  done: ["G", "D"],
  "/stats": ["G", "S"],
};
const TASK = "task:";

/** Returns all that the palette offers for a query, in groups, and whether tasks are still searched. */
export function useItems(query: string, me: Me): { groups: Group[]; isSearching: boolean } {
  const text = query.trim();
  // What was possible on the page when the palette was opened.
  const [commands] = useState(possibleCommands);
  const [recent] = useState(readRecent);
  const pages = usePages(me);
  const people = usePeopleItems(me);
  const actions: Item[] = commands.map(({ name, label, keys, run }) => ({ key: `action:${name}`, label, keys, run }));
  const { found, isSearching } = useTasks(text);
  const before = useRecentTasks(recent);
  const fit = (items: readonly Item[]) => items.filter(({ label, about }) => matches(`${label} ${about ?? ""}`, text));
  const known = new Map([...actions, ...pages, ...people, ...before].map((item) => [item.key, item]));
  const groups = [
    { name: t("Recent"), items: text === "" ? recent.flatMap((key) => known.get(key) ?? []) : [] },
    { name: t("Actions"), items: fit(actions) },
    { name: t("Tasks"), items: found },
    { name: t("Pages"), items: fit(pages) },
    // All of them would be a long list.
    { name: t("People"), items: text === "" ? [] : fit(people).slice(0, PEOPLE_MAX) },
  ];
  return { groups: groups.filter(({ items }) => items.length > 0), isSearching };
}

function usePages(me: Me): Item[] {
  const navigate = useNavigate();
  const { data: views = [] } = useQuery(viewsQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const keys = (name: string) => ({ keys: PAGE_KEYS[name] ?? [] });
  return [
    ...placesOf(isOperatorOf(me)).map(({ scope, label }) => ({
      key: `page:${scope}`,
      label,
      ...keys(scope),
      run: () => void navigate({ to: "/inbox", search: scope === "all" ? {} : { scope } }),
    })),
    ...views.map((view) => ({
      key: `page:view:${view.id}`,
      label: view.name,
      about:
        view.project === null
          ? as("noun", "View")
          : t("View of {project}", {
              project: projects.find(({ slug }) => slug === view.project)?.name ?? view.project,
            }),
      run: () => void navigate({ to: "/inbox", search: searchOf(view) }),
    })),
    ...OPERATE.filter(({ to }) => seesPage(me, to)).map(({ to, label }) => ({
      key: `page:${to}`,
      label,
      ...keys(to),
      run: () => void navigate({ to }),
    })),
    ...PARTS.filter((part) => seesPart(me, part)).map(({ part, label, about }) => ({
      key: `page:/settings/${part ?? ""}`,
      label: t("Settings: {part}", { part: label }),
      about,
      run: () => void navigate({ to: "/settings/{-$part}", params: { part } }),
    })),
    {
      key: "page:sign-out",
      label: t("Sign out"),
      run: () => void signOut().then(() => navigate({ to: "/login" })),
    },
  ];
}

/** The people, with their open tasks, for operators. */
function usePeopleItems(me: Me): Item[] {
  const navigate = useNavigate();
  return usePeople(me).map((person) => ({
    key: `person:${person.id}`,
    label: person.id === me.user_id ? t("{person} (you)", { person: nameOf(person) }) : nameOf(person),
    about: t("Open tasks"),
    run: () => void navigate({ to: "/inbox", search: { assignee: person.id } }),
  }));
}

function useOpenTask(): (task: Pick<ListedTask, "id" | "status" | "task">) => Item {
  const navigate = useNavigate();
  return ({ id, status, task }) => ({
    key: `${TASK}${id}`,
    label: headingOf(task)[0],
    about: isOpenStatus(status) ? t("Task") : t("Closed task"),
    run: () =>
      void navigate({ to: "/tasks/$id", params: { id }, search: isOpenStatus(status) ? {} : { scope: "done" } }),
  });
}

/** Returns the tasks that a search finds. */
function useTasks(query: string): { found: Item[]; isSearching: boolean } {
  const [q] = useDebouncedValue(query, SEARCH_WAIT_MS);
  const open = useOpenTask();
  const { data = [], isFetching } = useQuery({
    queryKey: ["tasks", "palette", q],
    queryFn: () =>
      get<ListedTask[]>(inProject(`/api/tasks?${new URLSearchParams({ view: "summary", limit: `${TASKS_MAX}`, q })}`)),
    enabled: q.length >= SEARCH_MIN,
    // The tasks before stay while others are typed for.
    placeholderData: (before) => before,
  });
  const isWanted = query.length >= SEARCH_MIN;
  return { found: isWanted ? data.map(open) : [], isSearching: isWanted && (isFetching || q !== query) };
}

/** Returns the tasks that were chosen before. Those that the person may no longer see are left out. */
function useRecentTasks(recent: readonly string[]): Item[] {
  const open = useOpenTask();
  const ids = recent.filter((key) => key.startsWith(TASK)).map((key) => key.slice(TASK.length));
  const tasks = useQueries({ queries: ids.map(taskQuery) });
  return tasks.flatMap(({ data, isError }) => (data === undefined || isError ? [] : [open(data)]));
}
