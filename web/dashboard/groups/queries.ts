import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { get, patch, request } from "../api.ts";
import type { components } from "../schemas.d.ts";
import { refreshUsers, type User } from "../users/queries.ts";

type Schemas = components["schemas"];
export type Groups = Schemas["UserGroups"];
export type Group = Schemas["UserGroup"];
export type Kind = Group["kind"];

/** One of them, as the address of its page has it. */
export interface GroupSearch {
  kind?: Kind | undefined;
  name?: string | undefined;
}

/** With what waits for them, so it is asked for again whenever it is shown. */
export const groupsQuery = queryOptions({
  queryKey: ["users", "groups"],
  queryFn: () => get<Groups>("/api/users/groups"),
});

/** The active people of a pool, a role or an access level. */
export function peopleOfQuery(kind: Kind, name: string) {
  const query = new URLSearchParams({ active: "true", limit: "50", [kind]: name });
  return infiniteQueryOptions({
    queryKey: ["users", "of", kind, name],
    queryFn: ({ pageParam }) => request<User[]>("GET", pageParam),
    initialPageParam: `/api/users?${query}`,
    getNextPageParam: (page) => page.next,
  });
}

/**
 * Puts a person into a pool, a role or an access level, or takes them out of it.
 * @param name - null: out of it
 * @throws ApiError, OfflineError
 */
export async function setGroup(user: Pick<User, "id">, kind: Kind, name: string | null): Promise<User> {
  const changed = await patch<User>(`/api/users/${user.id}`, { [kind]: name });
  await refreshUsers();
  return changed;
}
