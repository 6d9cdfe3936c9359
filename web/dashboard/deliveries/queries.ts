import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { components } from "../schemas.d.ts";
import { get, post, request } from "../api.ts";
import { queryClient } from "../queries.ts";

type Schemas = components["schemas"];
export type Delivery = Schemas["WebhookDelivery"];
export type WholeDelivery = Schemas["WholeWebhookDelivery"];

/** Which deliveries are shown. */
export interface DeliveryFilter {
  readonly status?: Delivery["status"] | undefined;
  readonly task_id?: string | undefined;
  /** Of the receiver. */
  readonly origin?: string | undefined;
}

/** What stands in the address of the page. */
export interface DeliverySearch extends DeliveryFilter {
  /** The delivery that is open. */
  readonly id?: string | undefined;
}

const PATH = "/api/admin/webhook-deliveries";
const LIVE_MS = 5_000;

/** How soon to look again: what still moves is kept up to date, as long as somebody sees the page. */
function pace(rows: readonly Delivery[]): number | false {
  return rows.some(({ status }) => status === "PENDING" || status === "FAILED") ? LIVE_MS : false;
}

export function deliveriesQuery(filter: DeliveryFilter) {
  const query = new URLSearchParams({ limit: "50" });
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  return infiniteQueryOptions({
    queryKey: ["deliveries", "list", filter],
    queryFn: ({ pageParam }) => request<Delivery[]>("GET", pageParam),
    initialPageParam: `${PATH}?${query}`,
    getNextPageParam: (page) => page.next,
    refetchInterval: ({ state }) => pace(state.data?.pages.flatMap((page) => page.data) ?? []),
  });
}

export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ["deliveries", "one", id],
    queryFn: () => get<WholeDelivery>(`${PATH}/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => pace(state.data === undefined ? [] : [state.data]),
  });
}

/** Which callbacks are to be sent again: these, or all in a status, of one receiver or of all. */
export type Redelivery =
  | { readonly ids: readonly string[] }
  | { readonly status: Delivery["status"]; readonly origin?: string };

/** @returns how many are due now. @throws ApiError, OfflineError */
export async function redeliver(which: Redelivery): Promise<number> {
  const { count } = await post<{ count: number }>(`${PATH}/redeliver`, which);
  // Of all lists, and the number beside Deliveries.
  await queryClient.invalidateQueries({ queryKey: ["deliveries"] });
  return count;
}
