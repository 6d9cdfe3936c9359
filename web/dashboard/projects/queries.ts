import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { get, type Me, type User } from "../api.ts";
import { activeUsersQuery, meQuery, queryClient } from "../queries.ts";
import type { components } from "../schemas.d.ts";
import { isOperatorOf } from "./access.ts";

export type Project = components["schemas"]["Project"];
export type Member = components["schemas"]["ProjectMember"];

/** The projects of the person who is signed in, by slug, archived ones included. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: () => get<Project[]>("/api/projects"),
  staleTime: 60_000,
});

/** The active people of a project, for its operators. */
export function membersQuery(slug: string) {
  return queryOptions({
    queryKey: ["projects", slug, "members"],
    queryFn: () => get<Member[]>(`/api/projects/${slug}/members`),
  });
}

/** After a change. It may have changed the rights of the person who made it. */
export async function refreshProjects(): Promise<void> {
  const keys = [projectsQuery.queryKey, activeUsersQuery.queryKey, meQuery.queryKey];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** Returns the projects if there are several. People who have only one see nothing of projects. */
export function useSeveralProjects(): readonly Project[] | null {
  const { data = [] } = useQuery(projectsQuery);
  return data.length > 1 ? data : null;
}

type Named = Pick<User, "id" | "display_name" | "email">;

/**
 * Returns the people whom an operator can name. An operator of a project knows only those of the projects that they operate.
 * @param slug - who can get tasks of this project; undefined: of any
 */
export function usePeople(me: Me, slug?: string): readonly Named[] {
  const { data: users = NOBODY } = useQuery({ ...activeUsersQuery, enabled: me.is_operator });
  const own = me.is_operator ? [] : me.projects.map(({ project }) => project).filter((one) => isOperatorOf(me, one));
  const queries = own.filter((one) => slug === undefined || one === slug).map(membersQuery);
  const members = useQueries({ queries, combine: peopleOf });
  if (!me.is_operator) return members;
  if (slug === undefined) return users;
  return users.filter((user) => user.is_operator || user.projects.some(({ project }) => project === slug));
}

const NOBODY: readonly User[] = [];

/** A person of several projects is there once. */
function peopleOf(lists: readonly { data: Member[] | undefined }[]): readonly Named[] {
  const people = new Map<string, Named>();
  for (const { user_id, display_name, email } of lists.flatMap(({ data = [] }) => data))
    people.set(user_id, { id: user_id, display_name, email });
  return [...people.values()];
}
