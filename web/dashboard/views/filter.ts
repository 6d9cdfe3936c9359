import { queryClient } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { viewsQuery, type View } from "./shown.ts";

/** The address of a view's list. */
export function searchOf({ id, filter }: Pick<View, "id" | "filter">): Partial<Scope> {
  return { ...filter, view: id } as Partial<Scope>;
}

const FIELDS = "scope sort q status assignee agent label priority decision by channel range project".split(
  " ",
) as (keyof Scope)[];

/** Returns what is saved of a list. The service leaves out defaults. */
export function filterOf(search: Scope): Record<string, unknown> {
  return Object.fromEntries(
    FIELDS.filter((name) => search[name] !== null && search[name] !== "").map((name) => [name, search[name]]),
  );
}

/** Returns whether a list shows something else than the view that it was opened with. */
export function isChanged({ filter }: View, search: Scope): boolean {
  return FIELDS.some((name) => valueOf(filter, name) !== valueOf(search, name));
}

/** Closed tasks have an order of their own. */
function valueOf(some: Partial<Record<keyof Scope, unknown>>, name: keyof Scope): unknown {
  const value = some[name] ?? "";
  if (name === "q") return (value as string).trim();
  return (name === "scope" && value === "all") || (name === "sort" && (value === "deadline" || some.scope === "done"))
    ? ""
    : value;
}

/** Returns how many tasks a view has, as its link shows it. "!": something of it is gone. */
export function countOf({ count, problems }: View): string {
  if (problems.length > 0) return "!";
  return count === null ? "" : count >= 100 ? "99+" : `${count}`;
}

export async function refreshViews(): Promise<void> {
  await queryClient.invalidateQueries(viewsQuery);
}
