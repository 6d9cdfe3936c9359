import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { components } from "../../generated/api.d.ts";
import { get, request } from "../api.ts";

type Schemas = components["schemas"];
export type ServiceKey = Schemas["ServiceKey"];
export type NewServiceKey = Schemas["NewServiceKey"];
export type Settings = Schemas["Settings"];
/** Somebody that mail is from; the API calls it an identity. */
export type Sender = Schemas["EmailIdentity"];
export type TestMail = Schemas["TestEmailResult"];

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => get<Settings>("/api/settings"),
});

export const versionQuery = queryOptions({
  queryKey: ["version"],
  queryFn: () => get<{ version: string }>("/api/version"),
});

export const SENDERS = "/api/channels/email/identities";

/** By id; the one of the environment comes first. */
export const sendersQuery = queryOptions({ queryKey: ["senders"], queryFn: () => get<Sender[]>(SENDERS) });

/** Newest first, revoked ones among them. */
export const serviceKeysQuery = infiniteQueryOptions({
  queryKey: ["service-keys"],
  queryFn: ({ pageParam }) => request<ServiceKey[]>("GET", pageParam),
  initialPageParam: "/api/service-keys",
  getNextPageParam: (page) => page.next,
});
