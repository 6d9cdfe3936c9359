import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { components } from "../schemas.d.ts";
import { get, post, request } from "../api.ts";
import { inProject, queryClient } from "../queries.ts";

type Schemas = components["schemas"];
export type Delivery = Schemas["WebhookDelivery"];
export type WholeDelivery = Schemas["WholeWebhookDelivery"];

/** Which deliveries the list shows. */
export interface DeliveryFilter {
  readonly status?: Delivery["status"] | undefined;
  readonly kind?: Delivery["kind"] | undefined;
  /** Ids. */
  readonly connection?: string | undefined;
  readonly subscription?: string | undefined;
  readonly task_id?: string | undefined;
  /** Origin of the receiver. */
  readonly origin?: string | undefined;
}

/** The search parameters of the page. */
export interface DeliverySearch extends DeliveryFilter {
  /** Id of the delivery that is open. */
  readonly id?: string | undefined;
}

const PATH = "/api/admin/webhook-deliveries";
const LIVE_MS = 5_000;

/** Returns the refetch interval. A list with unfinished deliveries is kept up to date. */
function pace(rows: readonly Delivery[]): number | false {
  return rows.some(({ status }) => status === "PENDING" || status === "FAILED") ? LIVE_MS : false;
}

export function deliveriesQuery(filter: DeliveryFilter) {
  const query = new URLSearchParams({ limit: "50" });
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  return infiniteQueryOptions({
    queryKey: ["deliveries", "list", filter],
    queryFn: ({ pageParam }) => request<Delivery[]>("GET", inProject(pageParam)),
    initialPageParam: `${PATH}?${query}`,
    getNextPageParam: (page) => page.next,
    refetchInterval: ({ state }) => pace(state.data?.pages.flatMap((page) => page.data) ?? []),
  });
}

export type DeliverySummary = Schemas["DeliverySummary"];

/** How many deliveries there are in each status, and the receivers where they fail. Its key is below that of all lists. */
export function summaryQuery() {
  return queryOptions({
    queryKey: ["deliveries", "summary"],
    queryFn: () => get<DeliverySummary>(inProject(`${PATH}/summary`)),
    refetchInterval: 15_000,
  });
}

export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ["deliveries", "one", id],
    queryFn: () => get<WholeDelivery>(`${PATH}/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => pace(state.data === undefined ? [] : [state.data]),
  });
}

/** Which deliveries to send again: these ids, or all with a status, of one receiver or of all. */
export type Redelivery =
  | { readonly ids: readonly string[] }
  | { readonly status: Delivery["status"]; readonly origin?: string };

/** @returns how many deliveries are sent again. @throws ApiError, OfflineError */
export async function redeliver(which: Redelivery): Promise<number> {
  const { count } = await post<{ count: number }>(`${PATH}/redeliver`, which);
  // This refreshes all lists, and the number beside Deliveries in the navigation.
  await queryClient.invalidateQueries({ queryKey: ["deliveries"] });
  return count;
}
