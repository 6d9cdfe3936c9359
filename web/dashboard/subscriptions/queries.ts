import { queryOptions } from "@tanstack/react-query";
import { get, patch } from "../api.ts";
import { queryClient } from "../queries.ts";
import type { components } from "../schemas.d.ts";

type Schemas = components["schemas"];
export type Subscription = Schemas["EventSubscription"];
export type NewSubscription = Schemas["NewEventSubscription"];
export type EventType = Subscription["events"][number];

export const SUBSCRIPTIONS = "/api/event-subscriptions";

/** The oldest first. */
export const subscriptionsQuery = queryOptions({
  queryKey: ["subscriptions"],
  queryFn: () => get<Subscription[]>(SUBSCRIPTIONS),
});

export async function refreshSubscriptions(): Promise<void> {
  await queryClient.invalidateQueries(subscriptionsQuery);
}

/** @throws ApiError, OfflineError */
export async function changeSubscription(
  id: string,
  fields: Partial<Pick<Subscription, "url" | "events">> & { disabled?: boolean },
): Promise<void> {
  await patch(`${SUBSCRIPTIONS}/${id}`, fields);
  await refreshSubscriptions();
}
