import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { components } from "../../generated/api.d.ts";
import { get, request } from "../api.ts";

type Schemas = components["schemas"];
export type ServiceKey = Schemas["ServiceKey"];
export type NewServiceKey = Schemas["NewServiceKey"];
export type Settings = Schemas["Settings"];

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => get<Settings>("/api/settings"),
});

export const versionQuery = queryOptions({
  queryKey: ["version"],
  queryFn: () => get<{ version: string }>("/api/version"),
});

/** Newest first, revoked ones among them. */
export const serviceKeysQuery = infiniteQueryOptions({
  queryKey: ["service-keys"],
  queryFn: ({ pageParam }) => request<ServiceKey[]>("GET", pageParam),
  initialPageParam: "/api/service-keys",
  getNextPageParam: (page) => page.next,
});
