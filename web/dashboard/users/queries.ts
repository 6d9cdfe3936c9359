import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import type { components } from "../schemas.d.ts";
import { get, patch, post, remove, request } from "../api.ts";
import type { ListedTask } from "../api.ts";
import { queryClient } from "../queries.ts";

type Schemas = components["schemas"];
export type User = Schemas["User"];
/** The fields of the form. null clears a field. */
export type UserFields = Pick<User, "display_name" | "email" | "is_operator" | "role" | "access_level" | "pool"> & {
  password: string | null;
  /** Slugs. Only of a new person, if there are several projects. */
  projects?: string[];
};

/** @param q - part of the name or the email */
export function usersQuery(q: string, active: boolean) {
  const query = new URLSearchParams({ active: String(active), limit: "50", q });
  return infiniteQueryOptions({
    queryKey: ["users", active, q],
    queryFn: ({ pageParam }) => request<User[]>("GET", pageParam),
    initialPageParam: `/api/users?${query}`,
    getNextPageParam: (page) => page.next,
    // Keeps the rows while the next search runs.
    placeholderData: keepPreviousData,
  });
}

export type UserActivity = Schemas["UserActivity"];

/** What these people have to do and have done, by their ids. */
export function activityQuery(ids: readonly string[]) {
  return queryOptions({
    queryKey: ["users", "activity", ids],
    queryFn: async () => {
      const query = new URLSearchParams(ids.slice(0, ACTIVITY_MAX).map((id) => ["user_id", id]));
      const all = await get<UserActivity[]>(`/api/users/activity?${query}`);
      return new Map(all.map((one) => [one.user_id, one]));
    },
    enabled: ids.length > 0,
  });
}

/** As many people as one request takes. */
const ACTIVITY_MAX = 200;

/** Reloads the lists after a change. */
export async function refreshUsers(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["users"] });
}

/** @throws ApiError, OfflineError */
export async function addUser(fields: UserFields): Promise<User> {
  return post<User>("/api/users", fields);
}

/** @throws ApiError, OfflineError */
export async function changeUser(id: string, fields: Partial<UserFields> & { active?: true }): Promise<User> {
  return patch<User>(`/api/users/${id}`, fields);
}

function openTasksOf(id: string): string {
  return `/api/tasks?${new URLSearchParams({ assigned_to: id, terminal: "false", limit: "50" })}`;
}

/** The number of open tasks of a person, up to one page. `isMore`: there are more. Never cached. */
export function openTasksQuery(id: string) {
  return queryOptions({
    queryKey: ["tasks", "open-of", id],
    queryFn: async () => {
      const { data, next } = await request<ListedTask[]>("GET", openTasksOf(id));
      return { count: data.length, isMore: next !== null };
    },
    gcTime: 0,
  });
}

/**
 * Deactivates a person. The service then routes their open tasks again.
 * @throws ApiError, OfflineError
 */
export async function deactivateUser(id: string): Promise<void> {
  await remove(`/api/users/${id}`);
  await Promise.all([refreshUsers(), queryClient.invalidateQueries({ queryKey: ["tasks"] })]);
}

/**
 * Signs a person out everywhere.
 * @throws ApiError, OfflineError
 */
export async function endSessionsOf(id: string): Promise<void> {
  await remove(`/api/users/${id}/sessions`);
}

/**
 * Removes the company accounts of a person, and signs them out everywhere.
 * @throws ApiError, OfflineError
 */
export async function unlinkUser(id: string): Promise<void> {
  await remove(`/api/users/${id}/oidc-accounts`);
  await refreshUsers();
}

export type NewInvitation = Schemas["NewInvitation"];

/**
 * Makes the link by which a person sets their own password. The one before it is worthless from then on.
 * @param sendEmail - false: only shown
 * @throws ApiError, OfflineError
 */
export async function createInvitation(id: string, sendEmail: boolean): Promise<NewInvitation> {
  return post<NewInvitation>(`/api/users/${id}/invitation`, { send_email: sendEmail });
}

/** @throws ApiError, OfflineError */
export async function revokeInvitation(id: string): Promise<void> {
  await remove(`/api/users/${id}/invitation`);
  await refreshUsers();
}

/** The passkeys of a person, the oldest first. */
export function passkeysQuery(id: string) {
  return queryOptions({
    queryKey: ["users", "passkeys-of", id],
    queryFn: () => get<Schemas["Passkey"][]>(`/api/users/${id}/passkeys`),
  });
}

/**
 * Removes all passkeys of a person, and signs them out everywhere.
 * @throws ApiError, OfflineError
 */
export async function removePasskeysOf(id: string): Promise<void> {
  await remove(`/api/users/${id}/passkeys`);
  await refreshUsers();
}

/** The personal tokens of a person, the oldest first. */
export function personalTokensQuery(id: string) {
  return queryOptions({
    queryKey: ["users", "tokens-of", id],
    queryFn: () => get<Schemas["PersonalToken"][]>(`/api/users/${id}/tokens`),
  });
}

/**
 * Revokes all personal tokens of a person.
 * @throws ApiError, OfflineError
 */
export async function revokeTokensOf(id: string): Promise<void> {
  await remove(`/api/users/${id}/tokens`);
  await refreshUsers();
}

/** Returns the display name of a person. */
export function nameOf(user: User): string {
  return user.display_name ?? addressOf(user);
}

/** Returns the email of a person, or their Slack user id. */
export function addressOf({ email, slack_user_id }: User): string {
  return email ?? t("Slack {id}", { id: slack_user_id ?? "" });
}
