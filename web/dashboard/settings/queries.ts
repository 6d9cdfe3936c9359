import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { components } from "../schemas.d.ts";
import { get, request } from "../api.ts";

type Schemas = components["schemas"];
export type ServiceKey = Schemas["ServiceKey"];
export type NewServiceKey = Schemas["NewServiceKey"];
export type Settings = Schemas["Settings"];
/** Somebody that mail is from; the API calls it an identity. */
export type Sender = Schemas["EmailIdentity"];
export type TestMail = Schemas["TestEmailResult"];
/** One that the Slack app is in; the API calls it an installation. */
export type Workspace = Schemas["SlackInstallation"];
export type TestPost = Schemas["TestSlackResult"];

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

export const WORKSPACES = "/api/channels/slack/installations";

/** By name; the one of the environment comes first, and Slack is asked about it. */
export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: () => get<Workspace[]>(WORKSPACES),
});

/** What is read of the manifest here; all of it is for Slack. */
interface Manifest {
  settings: { socket_mode_enabled: boolean };
}

/** @param isSocketMode - null: as the service is set, or else as its address allows */
export function manifestQuery(isSocketMode: boolean | null) {
  const query = isSocketMode === null ? "" : `?socket_mode=${isSocketMode ? "1" : "0"}`;
  return queryOptions({
    queryKey: ["slack-manifest", isSocketMode],
    queryFn: () => get<Manifest>(`/api/channels/slack/manifest${query}`),
  });
}

/** Newest first, revoked ones among them. */
export const serviceKeysQuery = infiniteQueryOptions({
  queryKey: ["service-keys"],
  queryFn: ({ pageParam }) => request<ServiceKey[]>("GET", pageParam),
  initialPageParam: "/api/service-keys",
  getNextPageParam: (page) => page.next,
});
