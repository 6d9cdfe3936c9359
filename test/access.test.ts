import assert from "node:assert/strict";
import { newAgent } from "./support/agents.ts";
import { createAuthenticator } from "./support/authenticator.ts";
import { EMBED_ENV, mint, newServiceKey, PARENT } from "./support/embed.ts";
import { PRE_TOOL_USE } from "./support/hooks.ts";
import { newPersonalToken } from "./support/personal-tokens.ts";
import { PASSWORD, addUser, person, signedIn, type Signed } from "./support/people.ts";
import { join, newProject } from "./support/projects.ts";
import { MANY_REQUESTS_MS, ADMIN_TOKEN, newTaskBody, testOnBoth, type TestService } from "./support/service.ts";
import { createLink } from "../src/channels/email/links.ts";

/** Everybody who may knock, with what they carry. Whoever brings a new way in adds themselves here. */
const CALLERS = [
  "anonymous",
  "wrong bearer",
  "admin bearer",
  "operator",
  "assignee",
  "candidate",
  "other user",
  // Everything that a request finds is in the default project.
  "operator of the project",
  "operator of another project",
  "member of another project",
  "deactivated user",
  "service key",
  "service key of another project",
  "revoked service key",
  "mail link",
  "embed token",
  "personal token of the assignee",
  "personal token of an operator",
  "revoked personal token",
  // Each agent has one scope, or only the trust in its host, and asked for the task itself unless it says otherwise.
  "asking agent",
  "answering agent",
  "embedding agent",
  "agent whose host answers",
  "reading agent, of another's task",
  "asking agent, of another's task",
  "agent of another project",
  "stopped agent",
  "expired agent token",
  "revoked agent token",
] as const;
type Caller = (typeof CALLERS)[number];
const NOBODY: ReadonlySet<Caller> = new Set([
  "anonymous",
  "wrong bearer",
  "deactivated user",
  "revoked service key",
  "mail link",
  "embed token",
  "revoked personal token",
]);

type Agent = (typeof AGENTS)[number];
const AGENTS = [
  "asking agent",
  "answering agent",
  "embedding agent",
  "agent whose host answers",
  "reading agent, of another's task",
  "asking agent, of another's task",
  "agent of another project",
] as const satisfies Caller[];
const SCOPE = {
  "asking agent": ["ask"],
  "answering agent": ["answer"],
  "embedding agent": ["embed"],
  "agent whose host answers": [],
  "reading agent, of another's task": ["read"],
  "asking agent, of another's task": ["ask"],
  // And all others.
  "agent of another project": ["read"],
} as const satisfies Record<Agent, readonly string[]>;
/** What their tokens get, wherever tokens count. */
const REFUSED_TOKENS: Partial<Record<Caller, string>> = {
  "stopped agent": "AGENT_DISABLED",
  "expired agent token": "AGENT_TOKEN_REVOKED",
  "revoked agent token": "AGENT_TOKEN_REVOKED",
};
const ASKERS: readonly Caller[] = ["asking agent", "asking agent, of another's task", "agent of another project"];
/** Agents that have some tasks in their lists. */
const LISTERS: readonly Caller[] = [...ASKERS, "answering agent", "reading agent, of another's task"];
const SEERS: readonly Caller[] = ["asking agent", "answering agent", "reading agent, of another's task"];

/** Of all projects. */
const OPERATORS: readonly Caller[] = ["admin bearer", "operator"];
/** Of the project of what a request finds. */
const ITS_OPERATORS: readonly Caller[] = [...OPERATORS, "operator of the project"];
/** Of some project. */
const SOME_OPERATORS: readonly Caller[] = [...ITS_OPERATORS, "operator of another project"];
/** They create tasks, which can name a calendar or a template. */
const CALENDAR_READERS: readonly Caller[] = [...SOME_OPERATORS, ...ASKERS];
const ITS_CALENDAR_READERS: readonly Caller[] = [...ITS_OPERATORS, "asking agent", "asking agent, of another's task"];
const OTHERS_OF_PROJECTS: readonly Caller[] = ["operator of another project", "member of another project"];
const PEOPLE: readonly Caller[] = [
  "operator",
  "assignee",
  "candidate",
  "other user",
  "operator of the project",
  ...OTHERS_OF_PROJECTS,
];
const SIGNED_IN: readonly Caller[] = ["admin bearer", ...PEOPLE];
const IN_PROJECT: readonly Caller[] = SIGNED_IN.filter((caller) => !OTHERS_OF_PROJECTS.includes(caller));
const INVOLVED: readonly Caller[] = [...ITS_OPERATORS, "assignee", "candidate"];

/** What a request finds: a task that is assigned to one caller, was offered to another, and belongs to nobody else. */
interface World {
  task: string;
  delivery: string;
  connection: string;
  subscription: string;
  user: string;
  key: string;
  identity: string;
  calendar: string;
  template: string;
  agent: string;
  agentToken: string;
}

const FILE = {
  url: "http://127.0.0.1:1/notes.txt",
  sha256: "0".repeat(64),
  bytes: 1,
  media_type: "text/plain",
  name: "notes.txt",
};

interface Route {
  may: readonly Caller[] | "everybody";
  /** The answer to those who may. */
  status: number;
  path?: (world: World) => string;
  body?: (world: World) => object;
  /** Those who may as far as it is known who they are, and are then refused for another reason. */
  except?: Partial<Record<Caller, readonly [status: number, error_code: string]>>;
  /** Tells that the answer is what it should be. */
  has?: string;
  /** Takes credentials of its own and no others: the code for everybody else. */
  refusal?: string;
  /** Some scope of an agent allows it. */
  isScoped?: true;
}

const TEMPLATE = { steps: [{ after: 60, do: "raise" }] };
const CALENDAR = { time_zone: "Europe/Berlin", hours: { mon: [["09:00", "17:00"]] } };

const taskPath = (rest = "") => ({ path: ({ task }: World) => `/api/tasks/${task}${rest}` });
const identityPath =
  (rest = "") =>
  ({ identity }: World) =>
    `/api/channels/email/identities/${identity}${rest}`;
const DEVICE = createAuthenticator("http://localhost:0");
const answer = { response: { approved: true } };

/** Every route of the API, who may call it, and what they get. */
const ROUTES: Record<string, Route> = {
  "GET /api/health": { may: "everybody", status: 200, has: "status" },
  "GET /api/version": { may: "everybody", status: 200, has: "version" },
  // The operators' contacts, where they have set some.
  "GET /.well-known/security.txt": { may: "everybody", status: 404, has: "error_code" },
  "GET /api/settings": { may: OPERATORS, status: 200, has: "version" },
  "GET /api/audit": { may: SOME_OPERATORS, status: 200 },
  "GET /api/audit/export": {
    may: SOME_OPERATORS,
    status: 200,
    path: () => "/api/audit/export?format=csv",
  },
  "GET /api/security-events": { may: OPERATORS, status: 200 },
  "GET /metrics": { may: ["admin bearer"], status: 200 },
  "GET /api/setup/status": { may: "everybody", status: 200, has: "needs_setup" },
  "POST /api/setup/operator": {
    may: "everybody",
    status: 409,
    body: () => ({ email: "eve@example.com", password: PASSWORD }),
    has: "error_code",
  },
  "POST /api/invitation": {
    may: "everybody",
    status: 403,
    body: () => ({ token: "hts_invite_wrong" }),
    has: "error_code",
  },
  "POST /api/invitation/accept": {
    may: "everybody",
    status: 403,
    body: () => ({ token: "hts_invite_wrong", password: PASSWORD }),
    has: "error_code",
  },
  "POST /api/auth/login": {
    may: "everybody",
    status: 200,
    body: () => ({ email: "login@example.com", password: PASSWORD }),
    has: "user_id",
  },
  "POST /api/auth/logout": { may: "everybody", status: 204 },
  "GET /api/auth/me": { may: "everybody", status: 200, has: "authenticated" },
  "PATCH /api/auth/me": { may: PEOPLE, status: 200, body: () => ({ display_name: "Dana" }), has: "user_id" },
  "POST /api/auth/confirm": { may: PEOPLE, status: 200, body: () => ({ password: PASSWORD }), has: "user_id" },
  "GET /api/auth/confirm": { may: PEOPLE, status: 200, has: "ways" },
  // No provider is set up. Their errors are pages.
  "GET /api/auth/oidc/start": { may: "everybody", status: 404 },
  "GET /api/auth/oidc/callback": { may: "everybody", status: 404 },
  "POST /api/auth/oidc/check": { may: OPERATORS, status: 404, has: "error_code" },
  "POST /api/auth/confirm/options": { may: PEOPLE, status: 200, has: "public_key" },
  "POST /api/auth/login/passkey/options": { may: "everybody", status: 200, has: "public_key" },
  // The challenges are none of ours.
  "POST /api/auth/login/passkey": {
    may: "everybody",
    status: 422,
    body: () => ({ credential: DEVICE.get({ challenge: "AAAA", rpId: "localhost" }) }),
    has: "error_code",
  },
  "GET /api/auth/passkeys": { may: PEOPLE, status: 200 },
  "POST /api/auth/passkeys/options": { may: PEOPLE, status: 200, has: "public_key" },
  "POST /api/auth/passkeys": {
    may: PEOPLE,
    status: 422,
    body: () => ({
      name: "Laptop",
      credential: DEVICE.create({ challenge: "AAAA", rp: { id: "localhost" }, user: { id: "AAAA" } }),
    }),
    has: "error_code",
  },
  "PATCH /api/auth/passkeys/{id}": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/auth/passkeys/psk_0",
    body: () => ({ name: "Laptop" }),
    has: "error_code",
  },
  "DELETE /api/auth/passkeys/{id}": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/auth/passkeys/psk_0",
    has: "error_code",
  },
  "GET /api/auth/me/tokens": { may: PEOPLE, status: 200 },
  "POST /api/auth/me/tokens": { may: PEOPLE, status: 201, body: () => ({ name: "Assistant" }), has: "token" },
  "DELETE /api/auth/me/tokens/{id}": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/auth/me/tokens/ptk_0",
    has: "error_code",
  },
  "GET /api/auth/me/notifications": { may: PEOPLE, status: 200 },
  "PATCH /api/auth/me/notifications": { may: PEOPLE, status: 200, body: () => ({ digest: "off" }), has: "digest" },
  "GET /api/auth/me/browsers": { may: PEOPLE, status: 200 },
  "PUT /api/auth/me/browsers/{id}": {
    may: PEOPLE,
    status: 422,
    path: () => `/api/auth/me/browsers/${"0".repeat(64)}`,
    body: () => ({ endpoint: "http://127.0.0.1:9/push" }),
    has: "error_code",
  },
  "DELETE /api/auth/me/browsers/{id}": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/auth/me/browsers/0",
    has: "error_code",
  },
  "POST /api/auth/me/browsers/{id}/test": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/auth/me/browsers/0/test",
    has: "error_code",
  },
  "GET /api/auth/me/browsers/{id}/news": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/auth/me/browsers/0/news",
  },
  "GET /api/views": { may: PEOPLE, status: 200 },
  "POST /api/views": {
    may: PEOPLE,
    status: 201,
    body: () => ({ name: crypto.randomUUID(), filter: { q: "is:urgent" } }),
    has: "filter",
  },
  "PATCH /api/views/{id}": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/views/viw_0",
    body: () => ({ position: 0 }),
    has: "error_code",
  },
  "DELETE /api/views/{id}": { may: PEOPLE, status: 404, path: () => "/api/views/viw_0", has: "error_code" },
  "GET /api/auth/sessions": { may: PEOPLE, status: 200 },
  "DELETE /api/auth/sessions": { may: PEOPLE, status: 204 },
  "DELETE /api/auth/sessions/{id}": {
    may: PEOPLE,
    status: 404,
    path: () => "/api/auth/sessions/ses_0",
    has: "error_code",
  },
  "POST /api/tasks": {
    may: [...SOME_OPERATORS, ...ASKERS],
    isScoped: true,
    status: 201,
    body: () => newTaskBody(),
    has: "id",
  },
  "POST /api/tasks/batch": {
    may: [...SOME_OPERATORS, ...ASKERS],
    isScoped: true,
    status: 200,
    body: () => ({ tasks: [newTaskBody()] }),
    has: "results",
  },
  "GET /api/tasks": { may: [...SIGNED_IN, ...LISTERS], isScoped: true, status: 200 },
  "GET /api/tasks/export": {
    may: [...SIGNED_IN, ...LISTERS],
    isScoped: true,
    status: 200,
    path: () => "/api/tasks/export?format=csv",
  },
  "GET /api/tasks/counts": { may: [...SIGNED_IN, ...LISTERS], isScoped: true, status: 200, has: "open" },
  "GET /api/tasks/{id}": { may: [...INVOLVED, ...SEERS], isScoped: true, status: 200, ...taskPath(), has: "id" },
  "GET /api/tasks/{id}/poll": {
    may: [...INVOLVED, ...SEERS],
    isScoped: true,
    status: 200,
    ...taskPath("/poll?timeout=0"),
    has: "task_id",
  },
  "GET /api/tasks/{id}/review": {
    may: [...INVOLVED, ...SEERS],
    isScoped: true,
    status: 200,
    ...taskPath("/review"),
    has: "review_html",
  },
  "GET /api/tasks/{id}/attempts": {
    may: [...INVOLVED, ...SEERS],
    isScoped: true,
    status: 200,
    ...taskPath("/attempts"),
  },
  "GET /api/tasks/{id}/comments": {
    may: [...INVOLVED, ...SEERS],
    isScoped: true,
    status: 200,
    ...taskPath("/comments"),
  },
  "POST /api/tasks/{id}/comments": {
    may: [...INVOLVED, "asking agent", "answering agent"],
    isScoped: true,
    status: 201,
    ...taskPath("/comments"),
    body: () => ({ text: "Which card was charged?" }),
    has: "is_asker",
  },
  "GET /api/tasks/{id}/versions": {
    may: [...INVOLVED, ...SEERS],
    isScoped: true,
    status: 200,
    ...taskPath("/versions"),
  },
  "GET /api/tasks/{id}/files/{sha256}": {
    may: [...INVOLVED, ...SEERS],
    isScoped: true,
    // It is not of a type that is shown, so nothing is fetched.
    status: 422,
    ...taskPath(`/files/${FILE.sha256}`),
    has: "error_code",
  },
  "POST /api/tasks/{id}/revise": {
    may: [...ITS_OPERATORS, "asking agent"],
    isScoped: true,
    status: 200,
    ...taskPath("/revise"),
    body: () => ({ payload: { amount: 1 } }),
    has: "version",
  },
  "POST /api/tasks/{id}/complete": {
    may: [...INVOLVED, "answering agent"],
    isScoped: true,
    status: 200,
    ...taskPath("/complete"),
    body: () => answer,
    // It is assigned to a person.
    except: { "agent whose host answers": [403, "HOST_MAY_NOT_ANSWER"] },
    has: "id",
  },
  // One person decides this one.
  "DELETE /api/tasks/{id}/approvals/me": {
    may: INVOLVED,
    status: 404,
    ...taskPath("/approvals/me"),
    has: "error_code",
  },
  "PUT /api/tasks/{id}/snooze": {
    may: INVOLVED,
    status: 200,
    ...taskPath("/snooze"),
    // The clock of tests begins at twelve.
    body: () => ({ until: "2026-01-31T12:50:00Z" }),
    except: { "admin bearer": [403, "FORBIDDEN"] },
    has: "id",
  },
  "DELETE /api/tasks/{id}/snooze": {
    may: INVOLVED,
    status: 200,
    ...taskPath("/snooze"),
    except: { "admin bearer": [403, "FORBIDDEN"] },
    has: "id",
  },
  "POST /api/tasks/{id}/claim": {
    may: INVOLVED,
    status: 200,
    ...taskPath("/claim"),
    body: () => ({}),
    except: { "admin bearer": [400, "CLAIM_NEEDS_A_PERSON"] },
    has: "claimed_by_email",
  },
  "POST /api/tasks/{id}/release": { may: INVOLVED, status: 200, ...taskPath("/release"), has: "id" },
  "POST /api/tasks/{id}/assign": {
    may: ITS_OPERATORS,
    status: 200,
    ...taskPath("/assign"),
    body: ({ user }) => ({ user_id: user }),
    has: "id",
  },
  "POST /api/tasks/{id}/cancel": {
    may: [...ITS_OPERATORS, "asking agent"],
    isScoped: true,
    status: 200,
    ...taskPath("/cancel"),
    has: "id",
  },
  "PATCH /api/tasks/{id}": {
    may: [...ITS_OPERATORS, "asking agent"],
    isScoped: true,
    status: 200,
    ...taskPath(),
    body: () => ({ timeout_seconds: 7200 }),
    has: "id",
  },
  "GET /api/tasks/{id}/audit": {
    may: [...ITS_OPERATORS, "asking agent", "reading agent, of another's task"],
    isScoped: true,
    status: 200,
    ...taskPath("/audit"),
  },
  "DELETE /api/tasks/{id}": { may: ITS_OPERATORS, status: 204, ...taskPath() },
  "GET /api/events": { may: [...SIGNED_IN, ...LISTERS], isScoped: true, status: 200 },
  "GET /api/stats": { may: SOME_OPERATORS, status: 200, has: "totals" },
  "GET /api/stats/groups": { may: SOME_OPERATORS, status: 200, has: "all" },
  "GET /api/users": { may: OPERATORS, status: 200 },
  "GET /api/users/groups": { may: OPERATORS, status: 200, has: "groups" },
  "GET /api/users/activity": {
    may: OPERATORS,
    status: 200,
    path: ({ user }) => `/api/users/activity?user_id=${user}`,
  },
  "POST /api/users": {
    may: OPERATORS,
    status: 201,
    body: () => ({ slack_team_id: "T1", slack_user_id: crypto.randomUUID() }),
    has: "id",
  },
  "GET /api/users/{id}": { may: OPERATORS, status: 200, path: ({ user }) => `/api/users/${user}`, has: "id" },
  "PATCH /api/users/{id}": {
    may: OPERATORS,
    status: 200,
    path: ({ user }) => `/api/users/${user}`,
    body: () => ({ role: "approver" }),
    has: "id",
  },
  "DELETE /api/users/{id}": { may: OPERATORS, status: 200, path: ({ user }) => `/api/users/${user}`, has: "id" },
  "DELETE /api/users/{id}/sessions": {
    may: OPERATORS,
    status: 204,
    path: ({ user }) => `/api/users/${user}/sessions`,
  },
  "DELETE /api/users/{id}/oidc-accounts": {
    may: OPERATORS,
    status: 204,
    path: ({ user }) => `/api/users/${user}/oidc-accounts`,
  },
  // Everyone for themselves: src/people/absence/absence.test.ts.
  "PUT /api/users/{id}/absence": {
    may: OPERATORS,
    status: 200,
    path: ({ user }) => `/api/users/${user}/absence`,
    body: () => ({ from: "2026-01-05T00:00:00Z", until: "2999-01-01T00:00:00Z" }),
    has: "until",
  },
  "DELETE /api/users/{id}/absence": {
    may: OPERATORS,
    status: 204,
    path: ({ user }) => `/api/users/${user}/absence`,
  },
  "GET /api/users/{id}/delegates": { may: OPERATORS, status: 200, path: ({ user }) => `/api/users/${user}/delegates` },
  "GET /api/projects": { may: [...SIGNED_IN, ...AGENTS], status: 200 },
  "POST /api/projects": {
    may: OPERATORS,
    status: 201,
    body: () => ({ slug: crypto.randomUUID(), name: "Shop" }),
    has: "slug",
  },
  "GET /api/projects/{slug}": {
    may: [...IN_PROJECT, ...AGENTS.filter((agent) => agent !== "agent of another project")],
    status: 200,
    path: () => "/api/projects/default",
    has: "slug",
  },
  "PATCH /api/projects/{slug}": {
    may: ITS_OPERATORS,
    status: 200,
    path: () => "/api/projects/default",
    body: () => ({ name: "All" }),
    has: "slug",
  },
  "GET /api/projects/{slug}/members": { may: ITS_OPERATORS, status: 200, path: () => "/api/projects/default/members" },
  "POST /api/projects/{slug}/members": {
    may: ITS_OPERATORS,
    status: 201,
    path: () => "/api/projects/default/members",
    body: ({ user }) => ({ user_id: user, role: "operator" }),
    has: "role",
  },
  "DELETE /api/projects/{slug}/members/{user_id}": {
    may: ITS_OPERATORS,
    status: 204,
    path: ({ user }) => `/api/projects/default/members/${user}`,
  },
  "GET /api/hooks/rules": {
    may: ITS_OPERATORS,
    status: 200,
    path: () => "/api/hooks/rules?project=default",
    has: "rules",
  },
  "PUT /api/hooks/rules": {
    may: ITS_OPERATORS,
    status: 200,
    path: () => "/api/hooks/rules?project=default",
    body: () => ({ rules: [{ tool: "*", decision: "ask" }] }),
    has: "rules",
  },
  "POST /api/hooks/rules/preview": {
    may: ITS_OPERATORS,
    status: 200,
    path: () => "/api/hooks/rules/preview?project=default",
    body: () => ({ rules: [{ tool: "*", decision: "ask" }] }),
    has: "calls",
  },
  "GET /api/connections": { may: SOME_OPERATORS, status: 200 },
  "GET /api/connections/kinds": { may: SOME_OPERATORS, status: 200 },
  "POST /api/connections": {
    may: SOME_OPERATORS,
    status: 201,
    body: () => ({ ...CONNECTION, name: crypto.randomUUID() }),
    has: "has_secret",
  },
  "GET /api/connections/{id}": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ connection }) => `/api/connections/${connection}`,
    has: "has_secret",
  },
  "PATCH /api/connections/{id}": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ connection }) => `/api/connections/${connection}`,
    body: () => ({ secret: "another-key" }),
    has: "has_secret",
  },
  "POST /api/connections/{id}/probe": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ connection }) => `/api/connections/${connection}/probe`,
    has: "detail",
  },
  // Who it is comes with GitHub's signature; this connection is to something else.
  "POST /api/connections/{id}/github": {
    may: "everybody",
    status: 404,
    path: ({ connection }) => `/api/connections/${connection}/github`,
    has: "error_code",
  },
  "DELETE /api/connections/{id}": {
    may: ITS_OPERATORS,
    status: 204,
    path: ({ connection }) => `/api/connections/${connection}`,
  },
  "GET /api/event-subscriptions": { may: SOME_OPERATORS, status: 200 },
  "POST /api/event-subscriptions": {
    may: SOME_OPERATORS,
    status: 201,
    body: () => SUBSCRIPTION,
    has: "secret",
  },
  "GET /api/event-subscriptions/{id}": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ subscription }) => `/api/event-subscriptions/${subscription}`,
    has: "events",
  },
  "PATCH /api/event-subscriptions/{id}": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ subscription }) => `/api/event-subscriptions/${subscription}`,
    body: () => ({ events: ["task.rejected"] }),
    has: "events",
  },
  "POST /api/event-subscriptions/{id}/rotate": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ subscription }) => `/api/event-subscriptions/${subscription}/rotate`,
    has: "secret",
  },
  "DELETE /api/event-subscriptions/{id}": {
    may: ITS_OPERATORS,
    status: 204,
    path: ({ subscription }) => `/api/event-subscriptions/${subscription}`,
  },
  "POST /api/hooks/claude-code": {
    may: ASKERS,
    isScoped: true,
    status: 200,
    body: () => PRE_TOOL_USE,
    has: "hookSpecificOutput",
  },
  "GET /api/escalations": {
    may: ITS_CALENDAR_READERS,
    isScoped: true,
    status: 200,
    path: () => "/api/escalations?project=default",
  },
  "GET /api/escalations/{name}": {
    may: ITS_CALENDAR_READERS,
    isScoped: true,
    status: 200,
    path: () => "/api/escalations/standard?project=default",
    has: "steps",
  },
  "PUT /api/escalations/{name}": {
    may: ITS_OPERATORS,
    status: 201,
    path: () => `/api/escalations/${crypto.randomUUID()}?project=default`,
    body: () => TEMPLATE,
    has: "steps",
  },
  "DELETE /api/escalations/{name}": {
    may: ITS_OPERATORS,
    status: 204,
    path: ({ template }) => `/api/escalations/${template}?project=default`,
  },
  "GET /api/calendars": { may: CALENDAR_READERS, isScoped: true, status: 200 },
  "GET /api/calendars/{name}": {
    may: ITS_CALENDAR_READERS,
    isScoped: true,
    status: 200,
    path: ({ calendar }) => `/api/calendars/${calendar}?project=default`,
    has: "hours",
  },
  "PUT /api/calendars/{name}": {
    may: ITS_OPERATORS,
    status: 201,
    path: () => `/api/calendars/${crypto.randomUUID()}?project=default`,
    body: () => CALENDAR,
    has: "hours",
  },
  "DELETE /api/calendars/{name}": {
    may: ITS_OPERATORS,
    status: 204,
    path: ({ calendar }) => `/api/calendars/${calendar}?project=default`,
  },
  "GET /api/agents": { may: SOME_OPERATORS, status: 200 },
  "POST /api/agents": { may: SOME_OPERATORS, status: 201, body: () => ({ name: crypto.randomUUID() }), has: "tokens" },
  "GET /api/agents/{id}": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ agent }) => `/api/agents/${agent}`,
    has: "tokens",
  },
  "PATCH /api/agents/{id}": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ agent }) => `/api/agents/${agent}`,
    body: () => ({ disabled: true, cancel_open_tasks: true }),
    has: "disabled_at",
  },
  "DELETE /api/agents/{id}": { may: ITS_OPERATORS, status: 204, path: ({ agent }) => `/api/agents/${agent}` },
  "POST /api/agents/{id}/tokens": {
    may: ITS_OPERATORS,
    status: 201,
    path: ({ agent }) => `/api/agents/${agent}/tokens`,
    body: () => ({}),
    has: "token",
  },
  "DELETE /api/agents/{id}/tokens/{token_id}": {
    may: ITS_OPERATORS,
    status: 204,
    path: ({ agent, agentToken }) => `/api/agents/${agent}/tokens/${agentToken}`,
  },
  "GET /api/users/{id}/passkeys": { may: OPERATORS, status: 200, path: ({ user }) => `/api/users/${user}/passkeys` },
  "DELETE /api/users/{id}/passkeys": {
    may: OPERATORS,
    status: 204,
    path: ({ user }) => `/api/users/${user}/passkeys`,
  },
  "POST /api/users/{id}/invitation": {
    may: OPERATORS,
    status: 201,
    path: ({ user }) => `/api/users/${user}/invitation`,
    body: () => ({ send_email: false }),
    has: "url",
  },
  "DELETE /api/users/{id}/invitation": {
    may: OPERATORS,
    status: 404,
    path: ({ user }) => `/api/users/${user}/invitation`,
    has: "error_code",
  },
  "GET /api/users/{id}/tokens": { may: OPERATORS, status: 200, path: ({ user }) => `/api/users/${user}/tokens` },
  "DELETE /api/users/{id}/tokens": { may: OPERATORS, status: 204, path: ({ user }) => `/api/users/${user}/tokens` },
  "GET /api/service-keys": { may: SOME_OPERATORS, status: 200 },
  "POST /api/service-keys": { may: SOME_OPERATORS, status: 201, body: () => ({ name: "Shop" }), has: "key" },
  "DELETE /api/service-keys/{id}": { may: ITS_OPERATORS, status: 204, path: ({ key }) => `/api/service-keys/${key}` },
  "POST /api/embed/tokens": {
    may: ["service key", "embedding agent"],
    isScoped: true,
    status: 200,
    body: ({ task }) => ({ task_id: task, parent_origin: PARENT, sub: "customer-17" }),
    has: "embed_token",
    refusal: "SERVICE_KEY_NOT_FOUND",
  },
  "GET /api/embed/task": {
    may: ["embed token"],
    status: 200,
    has: "payload",
    refusal: "INVALID_EMBED_TOKEN",
  },
  "POST /api/embed/task/complete": {
    may: ["embed token"],
    status: 200,
    body: () => answer,
    has: "completed_at",
    refusal: "INVALID_EMBED_TOKEN",
  },
  "GET /api/embed/task/comments": {
    may: ["embed token"],
    status: 200,
    has: "comments",
    refusal: "INVALID_EMBED_TOKEN",
  },
  "POST /api/embed/task/comments": {
    may: ["embed token"],
    status: 200,
    body: () => ({ text: "Why?" }),
    has: "comments",
    refusal: "INVALID_EMBED_TOKEN",
  },
  "GET /api/channels/email/identities": { may: SOME_OPERATORS, status: 200 },
  "POST /api/channels/email/identities": {
    may: SOME_OPERATORS,
    status: 200,
    body: () => ({
      id: crypto.randomUUID(),
      display_name: "New",
      from_email: "new@example.com",
      transport: "smtp",
      transport_config: { host: "127.0.0.1" },
    }),
    has: "id",
  },
  "GET /api/channels/email/identities/{id}": { may: ITS_OPERATORS, status: 200, path: identityPath(), has: "id" },
  "DELETE /api/channels/email/identities/{id}": { may: ITS_OPERATORS, status: 204, path: identityPath() },
  "POST /api/channels/email/identities/{id}/test": {
    may: ITS_OPERATORS,
    status: 200,
    path: identityPath("/test"),
    body: () => ({ to: "dana@example.com" }),
    has: "sent",
  },
  // Who it is comes with Slack's signature; without Slack there is nobody to ask.
  "POST /api/channels/slack/interactions": { may: "everybody", status: 503, has: "error_code" },
  "POST /api/channels/slack/events": { may: "everybody", status: 503, has: "error_code" },
  "GET /api/channels/slack/oauth/callback": { may: "everybody", status: 503, has: "error_code" },
  "GET /api/channels/slack/oauth/start": {
    may: OPERATORS,
    status: 503,
    except: { "admin bearer": [403, "FORBIDDEN"] },
    has: "error_code",
  },
  "GET /api/channels/slack/manifest": { may: OPERATORS, status: 200, has: "settings" },
  "GET /api/channels/slack/installations": { may: OPERATORS, status: 503, has: "error_code" },
  "POST /api/channels/slack/installations": {
    may: OPERATORS,
    status: 503,
    body: () => ({ bot_token: "xoxb-1" }),
    has: "error_code",
  },
  "DELETE /api/channels/slack/installations/{team_id}": {
    may: OPERATORS,
    status: 503,
    path: () => "/api/channels/slack/installations/T0123",
    has: "error_code",
  },
  "POST /api/channels/slack/installations/{team_id}/test": {
    may: OPERATORS,
    status: 503,
    path: () => "/api/channels/slack/installations/T0123/test",
    body: () => ({ to: "#approvals" }),
    has: "error_code",
  },
  "GET /api/admin/webhook-deliveries": { may: SOME_OPERATORS, status: 200 },
  "GET /api/admin/webhook-deliveries/summary": { may: SOME_OPERATORS, status: 200, has: "counts" },
  "GET /api/admin/webhook-deliveries/{id}": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ delivery }) => `/api/admin/webhook-deliveries/${delivery}`,
    has: "id",
  },
  "POST /api/admin/webhook-deliveries/{id}/redeliver": {
    may: ITS_OPERATORS,
    status: 200,
    path: ({ delivery }) => `/api/admin/webhook-deliveries/${delivery}/redeliver`,
    has: "id",
  },
  "POST /api/admin/webhook-deliveries/redeliver": {
    may: SOME_OPERATORS,
    status: 202,
    body: ({ delivery }) => ({ ids: [delivery] }),
    has: "count",
  },
  "POST /api/admin/reseal": { may: OPERATORS, status: 200, has: "resealed" },
};

testOnBoth(
  "every route answers every kind of caller as the table says",
  async (service) => {
    const { paths } = (await service.call<{ paths: Record<string, object> }>("GET", "/api/openapi.json")).body;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(described.toSorted(), Object.keys(ROUTES).toSorted(), "every route stands in the table");

    await addUser(service, { email: "login@example.com", password: PASSWORD });
    const { headers, assignee } = await callers(service);
    for (const [name, route] of Object.entries(ROUTES)) {
      // Of this route. Making one takes more than ten requests, so one in which nothing has changed is used again.
      let untouched: World | null = null;
      for (const caller of CALLERS) {
        const world: World = untouched ?? (await newWorld(service, assignee));
        const isAsker = caller in SCOPE && !caller.includes("of another");
        if (isAsker) await askedBy(service, world.task, caller as Agent);
        const { status, body } = await ask(service, name, route, world, await headers(caller, world));
        untouched = !isAsker && (status >= 400 || name.startsWith("GET ")) ? world : null;
        const expected = expectedOf(name, route, caller);
        assert.equal(status, expected.status, `${name} by ${caller}: ${JSON.stringify(body)}`);
        if (expected.error_code !== null) {
          const error = body as Record<string, unknown>;
          assert.equal(error["error_code"], expected.error_code, `${name} by ${caller}`);
          assert.deepEqual(Object.keys(error), ["error_code", "message", "docs", "request_id"], `${name} by ${caller}`);
        } else if (route.has !== undefined) assert.ok(route.has in (body as object), `${name} by ${caller}`);
      }
    }
  },
  { env: { ...EMBED_ENV, SERVICE_HOOK_HOLD_SECONDS: "0" }, limitMs: 2 * MANY_REQUESTS_MS },
);

const CONNECTION = { kind: "temporal", address: { url: "http://127.0.0.1:9", namespace: "default" }, secret: "a-key" };

const SUBSCRIPTION = { url: "http://127.0.0.1:9/events", events: ["task.rejected"] };

/** What is in another project does not exist. */
const MISSING: readonly (readonly [part: string, error_code: string])[] = [
  ["/api/tasks/{id}", "TASK_NOT_FOUND"],
  ["/api/agents/{id}", "AGENT_NOT_FOUND"],
  ["/api/service-keys/{id}", "NOT_FOUND"],
  ["/api/channels/email/identities/{id}", "NOT_FOUND"],
  ["/api/admin/webhook-deliveries/{id}", "DELIVERY_NOT_FOUND"],
  ["/api/connections/{id}", "CONNECTION_NOT_FOUND"],
  ["/api/event-subscriptions/{id}", "SUBSCRIPTION_NOT_FOUND"],
  ["/api/projects/{slug}", "PROJECT_NOT_FOUND"],
  ["/api/calendars/{name}", "PROJECT_NOT_FOUND"],
  ["/api/escalations/{name}", "PROJECT_NOT_FOUND"],
  ["/api/escalations", "PROJECT_NOT_FOUND"],
  ["/api/hooks/rules", "PROJECT_NOT_FOUND"],
];

/** Returns the refusal of a person of another project. Members get 403 before anything is read. */
function refusalElsewhere(name: string, caller: Caller): { status: number; error_code: string } {
  const missing = MISSING.find(([part]) => name.includes(part));
  if (missing === undefined) return { status: 403, error_code: "FORBIDDEN" };
  const isForAnybody = missing[1] === "TASK_NOT_FOUND" || missing[0] === "/api/projects/{slug}";
  if (caller === "member of another project" && (!isForAnybody || FOR_OPERATORS.has(name)))
    return { status: 403, error_code: "FORBIDDEN" };
  return { status: 404, error_code: missing[1] };
}

/** What no member may do with any task. */
const FOR_OPERATORS: ReadonlySet<string> = new Set([
  "POST /api/tasks/{id}/assign",
  "POST /api/tasks/{id}/cancel",
  "POST /api/tasks/{id}/revise",
  "PATCH /api/tasks/{id}",
  "GET /api/tasks/{id}/audit",
  "DELETE /api/tasks/{id}",
]);

/** A task that an agent does not see does not exist for it, whatever it tries. */
function refusalOfAgent(name: string, { isScoped }: Route, caller: Agent): { status: number; error_code: string } {
  if (
    caller === "agent of another project" &&
    (name.includes("/api/projects/{slug}") || /^GET .*(?:calendars.{name}|escalations)/.test(name))
  )
    return { status: 404, error_code: "PROJECT_NOT_FOUND" };
  const isOfTask = name.includes("/api/tasks/{id}");
  const isTask = isOfTask || name === "POST /api/embed/tokens";
  if (isTask && caller === "agent of another project") return { status: 404, error_code: "TASK_NOT_FOUND" };
  if (isOfTask && caller === "asking agent, of another's task") return { status: 404, error_code: "TASK_NOT_FOUND" };
  return { status: 403, error_code: isScoped ? "AGENT_SCOPE_MISSING" : "FORBIDDEN" };
}

function expectedOf(name: string, route: Route, caller: Caller): { status: number; error_code: string | null } {
  const exception = route.except?.[caller];
  if (exception) return { status: exception[0], error_code: exception[1] };
  if (route.may === "everybody" || route.may.includes(caller)) return { status: route.status, error_code: null };
  if (REFUSED_TOKENS[caller] !== undefined && (route.refusal === undefined || route.isScoped))
    return { status: 401, error_code: REFUSED_TOKENS[caller] };
  if (caller in SCOPE && (route.refusal === undefined || route.isScoped))
    return refusalOfAgent(name, route, caller as Agent);
  if (caller === "service key of another project" && name === "POST /api/embed/tokens")
    return { status: 404, error_code: "TASK_NOT_FOUND" };
  if (OTHERS_OF_PROJECTS.includes(caller) && route.refusal === undefined) return refusalElsewhere(name, caller);
  if (route.refusal !== undefined) return { status: 401, error_code: route.refusal };
  if (NOBODY.has(caller)) return { status: 401, error_code: "UNAUTHENTICATED" };
  return { status: 403, error_code: "FORBIDDEN" };
}

/** @returns what each carries; sessions are fresh each time, since some calls end them */
async function callers(service: TestService) {
  const operator = await person(service, { is_operator: true, password: PASSWORD });
  const assignee = await person(service, { password: PASSWORD });
  const candidate = await person(service, { email: "candidate@example.com", password: PASSWORD });
  const other = await person(service, { password: PASSWORD });
  await newProject(service, "elsewhere");
  const ours = await person(service, { password: PASSWORD });
  await join(service, "default", ours.user.id, "operator");
  const theirs = await person(service, { password: PASSWORD, projects: ["elsewhere"] });
  await join(service, "elsewhere", theirs.user.id, "operator");
  const foreign = await person(service, { password: PASSWORD, projects: ["elsewhere"] });
  const gone = await person(service);
  await service.call("DELETE", `/api/users/${gone.user.id}`);
  const key = await newServiceKey(service);
  const foreignKey = await newServiceKey(service, { project: "elsewhere" });
  const revoked = await newServiceKey(service);
  await service.call("DELETE", `/api/service-keys/${revoked.id}`);
  const assistant = await newPersonalToken(assignee);
  const operating = await newPersonalToken(operator);
  const ended = await newPersonalToken(other);
  await service.call("DELETE", `/api/users/${other.user.id}/tokens`);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const tokens = await agentTokens(service);

  const headers = async (caller: Caller, { task }: World): Promise<Partial<Signed> | { authorization: string }> => {
    switch (caller) {
      case "anonymous":
        return {};
      case "wrong bearer":
        return bearer(`${ADMIN_TOKEN}x`);
      case "admin bearer":
        return bearer(ADMIN_TOKEN);
      case "operator":
        return signedIn(service, operator.user.id);
      case "assignee":
        return signedIn(service, assignee.user.id);
      case "candidate":
        return signedIn(service, candidate.user.id);
      case "other user":
        return signedIn(service, other.user.id);
      case "operator of the project":
        return signedIn(service, ours.user.id);
      case "operator of another project":
        return signedIn(service, theirs.user.id);
      case "member of another project":
        return signedIn(service, foreign.user.id);
      case "deactivated user":
        return gone.headers;
      case "service key":
        return bearer(key.key);
      case "service key of another project":
        return bearer(foreignKey.key);
      case "revoked service key":
        return bearer(revoked.key);
      // What it opens is a page of its own, which src/channels/email/action.test.ts is about.
      case "mail link":
        return bearer(createLink(service.ctx, "tsk_01m81bvfgf92apdy632xfsjkcp", "dana@example.com").split("/").at(-1)!);
      case "embed token":
        return bearer((await mint(service, key.key, { task_id: task })).body.embed_token);
      case "personal token of the assignee":
        return bearer(assistant.token);
      case "personal token of an operator":
        return bearer(operating.token);
      case "revoked personal token":
        return bearer(ended.token);
      default:
        return bearer(tokens[caller]);
    }
  };
  return { headers, assignee: assignee.user.id };
}

/** Makes an agent for each of these callers. @returns their tokens */
async function agentTokens(service: TestService): Promise<Record<Exclude<Caller, NotAgent>, string>> {
  const tokens = {} as Record<Exclude<Caller, NotAgent>, string>;
  for (const caller of AGENTS)
    tokens[caller] = (
      await newAgent(
        service,
        caller === "agent of another project"
          ? { scopes: ["ask", "read", "answer", "embed"], project: "elsewhere" }
          : { scopes: SCOPE[caller], host_answers: caller === "agent whose host answers" },
      )
    ).token;
  const stopped = await newAgent(service);
  await service.call("PATCH", `/api/agents/${stopped.id}`, { body: { disabled: true } });
  tokens["stopped agent"] = stopped.token;
  const revoked = await newAgent(service);
  await service.call("DELETE", `/api/agents/${revoked.id}/tokens/${revoked.token_id}`);
  tokens["revoked agent token"] = revoked.token;
  const expired = await newAgent(service, {}, { expires_in_days: 1 });
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("agent_tokens").set({ expires_at: tx.now() }).where("id", "=", expired.token_id).execute(),
  );
  tokens["expired agent token"] = expired.token;
  return tokens;
}

type NotAgent = Exclude<Caller, Agent | "stopped agent" | "expired agent token" | "revoked agent token">;

/** Makes a task one that an agent asked for. */
async function askedBy(service: TestService, task: string, caller: Agent): Promise<void> {
  const { db } = service.ctx;
  const scopes = JSON.stringify(SCOPE[caller]);
  const { id } = await db.query
    .selectFrom("agents")
    .select("id")
    .where("scopes", "=", scopes)
    .orderBy("id")
    .executeTakeFirstOrThrow();
  await db.write((tx) =>
    tx.query
      .updateTable("tasks")
      .set({ asked_by_kind: "agent", asked_by_id: id, asked_by_name: "agent" })
      .where("id", "=", task)
      .execute(),
  );
}

/** Returns the id of the first of a few things that can be there, and creates it if it was deleted. */
async function keptAt({ call }: TestService, path: string, body: object): Promise<string> {
  const { body: kept } = await call<{ id: string; name?: string }[]>("GET", path);
  const found = kept.find(({ name }) => name === undefined || name === "kept");
  return found?.id ?? (await call<{ id: string }>("POST", path, { body })).body.id;
}

async function newWorld(service: TestService, assignee: string): Promise<World> {
  const { id: task } = await service.create({
    assign_to: { emails: ["candidate@example.com"] },
    payload: { amount: 12.5, notes: FILE },
    callback_url: "http://127.0.0.1:1/callback",
  });
  // Assigned without ending the offer, as where a candidate's claim has lapsed.
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("tasks").set({ assigned_to_user_id: assignee }).where("id", "=", task).execute(),
  );
  const ended = await service.create({ callback_url: "http://127.0.0.1:1/callback" });
  await service.call("POST", `/api/tasks/${ended.id}/cancel`);
  const deliveries = await service.call<{ id: string }[]>("GET", `/api/admin/webhook-deliveries?task_id=${ended.id}`);
  const user = await addUser(service);
  const identity = "main";
  await service.call("POST", "/api/channels/email/identities", {
    body: { id: identity, display_name: "Main", from_email: "tasks@example.com", transport: "log" },
  });
  const template = "support";
  await service.call("PUT", `/api/escalations/${template}`, { body: TEMPLATE });
  const calendar = "support";
  await service.call("PUT", `/api/calendars/${calendar}`, { body: CALENDAR });
  const { id: agent, token_id: agentToken } = await newAgent(service);
  const connection = await keptAt(service, "/api/connections", { ...CONNECTION, name: "kept" });
  const subscription = await keptAt(service, "/api/event-subscriptions", SUBSCRIPTION);
  const { id: key } = await newServiceKey(service);
  return {
    task,
    delivery: deliveries.body[0]!.id,
    connection,
    subscription,
    user: user.id,
    key,
    identity,
    calendar,
    template,
    agent,
    agentToken,
  };
}

let calls = 0;

async function ask(
  service: TestService,
  name: string,
  route: Route,
  world: World,
  headers: object,
): Promise<{ status: number; body: unknown }> {
  const [method, described] = name.split(" ") as ["GET" | "POST" | "PUT" | "PATCH" | "DELETE", string];
  const url = route.path?.(world) ?? described;
  const payload = route.body && JSON.stringify(route.body(world));
  const response = await service.app.inject({
    method,
    url,
    headers: { ...headers, ...(payload !== undefined && { "content-type": "application/json" }) },
    ...(payload !== undefined && { payload }),
    // Nothing in this test is about how often one may try.
    remoteAddress: `10.0.${(calls >> 8) & 255}.${calls++ & 255}`,
    payloadAsStream: true,
  });
  const stream = response.stream();
  if (String(response.headers["content-type"]).startsWith("text/event-stream")) {
    stream.destroy();
    return { status: response.statusCode, body: null };
  }
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return { status: response.statusCode, body: text.startsWith("{") ? (JSON.parse(text) as unknown) : text };
}
