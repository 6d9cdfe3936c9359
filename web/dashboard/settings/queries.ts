import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { components } from "../schemas.d.ts";
import { get, request } from "../api.ts";
import { confirmThen } from "../confirmation.ts";
import { BROWSERS } from "../notified.ts";

type Schemas = components["schemas"];
export type ServiceKey = Schemas["ServiceKey"];
export type NewServiceKey = Schemas["NewServiceKey"];
export type Session = Schemas["Session"];
export type Passkey = Schemas["Passkey"];
export type PersonalToken = Schemas["PersonalToken"];
export type NewPersonalToken = Schemas["NewPersonalToken"];
export type Settings = Schemas["Settings"];
/** A sender of email; the API calls it an identity. */
export type Sender = Schemas["EmailIdentity"];
export type TestMail = Schemas["TestEmailResult"];
/** A workspace with the Slack app; the API calls it an installation. */
export type Workspace = Schemas["SlackInstallation"];
export type TestPost = Schemas["TestSlackResult"];
export type Calendar = Schemas["Calendar"];
/** Steps that tasks choose by a name. */
export type Template = Schemas["EscalationTemplate"];
export type ProviderCheck = Schemas["OidcProviderCheck"];
export type SecurityEvent = Schemas["SecurityEvent"];

/** Which security events the page shows. Days as YYYY-MM-DD, the last one included. */
export interface SecurityFilter {
  readonly type?: string | undefined;
  readonly outcome?: SecurityEvent["outcome"] | undefined;
  /** Email or id. */
  readonly actor?: string | undefined;
  readonly address?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => get<Settings>("/api/settings"),
});

export const versionQuery = queryOptions({
  queryKey: ["version"],
  queryFn: () => get<{ version: string }>("/api/version"),
});

export const PASSKEYS = "/api/auth/passkeys";

/** The oldest first. */
export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () => get<Passkey[]>(PASSKEYS),
});

export const PERSONAL_TOKENS = "/api/auth/me/tokens";

/** The oldest first. */
export const personalTokensQuery = queryOptions({
  queryKey: ["personal tokens"],
  queryFn: () => get<PersonalToken[]>(PERSONAL_TOKENS),
});

export type Choices = Schemas["NotificationChoices"];
export type NotifiedBrowser = Schemas["NotifiedBrowser"];

export const CHOICES = "/api/auth/me/notifications";

/** How the person is told what waits for them. */
export const choicesQuery = queryOptions({
  queryKey: ["notification choices"],
  queryFn: () => get<Choices>(CHOICES),
});

/** The oldest first, with the key that a browser needs. */
export const browsersQuery = queryOptions({
  queryKey: ["notified browsers", "all"],
  queryFn: () => get<Schemas["NotifiedBrowsers"]>(BROWSERS),
});

export const SESSIONS = "/api/auth/sessions";

/** The most recently used first. */
export const sessionsQuery = queryOptions({ queryKey: ["sessions"], queryFn: () => get<Session[]>(SESSIONS) });

/** Asks the person to confirm that it is them, unless they did a short time ago. @returns false if they do not */
export async function ensureConfirmed(): Promise<boolean> {
  const sessions = await get<Session[]>(SESSIONS);
  if (sessions.some(({ current, confirmed }) => current && confirmed)) return true;
  return confirmThen(new Error("You are not confirmed."), async () => true).catch(() => false);
}

export const SENDERS = "/api/channels/email/identities";

/** Sorted by id; the sender of the environment comes first. */
export const sendersQuery = queryOptions({ queryKey: ["senders"], queryFn: () => get<Sender[]>(SENDERS) });

export const CALENDARS = "/api/calendars";

/** Sorted by project and name. */
export const calendarsQuery = queryOptions({ queryKey: ["calendars"], queryFn: () => get<Calendar[]>(CALENDARS) });

export const TEMPLATES = "/api/escalations";

/** By name, built-in ones included. @param project - a slug */
export function templatesQuery(project: string) {
  return queryOptions({
    queryKey: ["templates", project],
    queryFn: () => get<Template[]>(`${TEMPLATES}?${new URLSearchParams({ project })}`),
  });
}

export const WORKSPACES = "/api/channels/slack/installations";

/** Sorted by name; the workspace of the environment comes first, and the service looks it up in Slack. */
export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: () => get<Workspace[]>(WORKSPACES),
});

/** The parts of the manifest that this page reads. The whole manifest is for Slack. */
interface Manifest {
  settings: { socket_mode_enabled: boolean };
}

/** @param isSocketMode - null uses the service's setting, or else what its address allows */
export function manifestQuery(isSocketMode: boolean | null) {
  const query = isSocketMode === null ? "" : `?socket_mode=${isSocketMode ? "1" : "0"}`;
  return queryOptions({
    queryKey: ["slack-manifest", isSocketMode],
    queryFn: () => get<Manifest>(`/api/channels/slack/manifest${query}`),
  });
}

/** Newest first, including revoked keys. */
export const serviceKeysQuery = infiniteQueryOptions({
  queryKey: ["service-keys"],
  queryFn: ({ pageParam }) => request<ServiceKey[]>("GET", pageParam),
  initialPageParam: "/api/service-keys",
  getNextPageParam: (page) => page.next,
});

/** The address of the events that match. Days are those of this browser. */
export function securityEventsPath(
  { from, until, ...filter }: SecurityFilter,
  more: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams(more);
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  if (from !== undefined) query.set("from", startOfDay(from, 0));
  if (until !== undefined) query.set("until", startOfDay(until, 1));
  return `/api/security-events?${query}`;
}

/** @param later - days */
function startOfDay(day: string, later: number): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

/** Newest first. */
export function securityEventsQuery(filter: SecurityFilter) {
  return infiniteQueryOptions({
    queryKey: ["security-events", filter],
    queryFn: ({ pageParam }) => request<SecurityEvent[]>("GET", pageParam),
    initialPageParam: securityEventsPath(filter, { limit: "50" }),
    getNextPageParam: (page) => page.next,
    // The newest are what is looked for.
    staleTime: 0,
  });
}
