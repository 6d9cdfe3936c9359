import { useQuery } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  useChildMatches,
  useLocation,
} from "@tanstack/react-router";
import { isDate } from "../../form/plan/times.ts";
import type { DeliverySearch } from "./deliveries/queries.ts";
import type { GroupSearch } from "./groups/queries.ts";
import type { AuditFilter } from "./audit/queries.ts";
import { InboxPage } from "./inbox/inbox.tsx";
import { LoginPage } from "./login.tsx";
import { lazily } from "./ui/lazily.tsx";
import { Crash, Forbidden, NotFound } from "./ui/page.tsx";
import { seesPage } from "./projects/access.ts";
import { meQuery, queryClient, setupQuery, tasksQuery } from "./queries.ts";
import type { Scope } from "./queries.ts";
import type { TaskStatus } from "./api.ts";
import { STATUSES } from "./ui/status.tsx";
import type { SecurityFilter } from "./settings/queries.ts";
import type { SlackReturn } from "./settings/slack-return.tsx";
import type { SetupSearch } from "./setup/setup.tsx";
import { Shell } from "./shell.tsx";
import type { StatsSearch } from "./stats/figures.ts";

const SetupPage = lazily("setup", async () => (await import("./setup/setup.tsx")).SetupPage);

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Crash });

const PRIORITIES = ["urgent", "high", "normal", "low"] as const;
const RANGES = ["1", "7", "30"] as const;
const TONES = ["ok", "bad"] as const;
const BOOLEANS = ["true", "false"] as const;
const SCOPES = ["all", "mine", "unclaimed", "done"] as const;

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const dayOf = (value: unknown) => {
  const text = textOf(value);
  // A day such as February 30th would become another one.
  return text !== undefined && isDate(text) ? text : undefined;
};

/** Reads an inbox from its address, so that people can save, share and reload it. Defaults are left out. */
function readScope(search: Record<string, unknown>): Partial<Scope> {
  const text = (name: string): string | null => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const scope = SCOPES.find((known) => known === text("scope"));
  const status = text("status");
  const [q, assignee, agent, label] = [text("q"), text("assignee"), text("agent"), text("label")];
  const priority = PRIORITIES.find((known) => known === text("priority"));
  const [decision, by, channel] = [text("decision"), text("by"), text("channel")];
  const range = RANGES.find((known) => known === text("range"));
  const [project, view] = [text("project"), text("view")];
  const [from, to] = [dayOf(search["from"]), dayOf(search["to"])];
  const tone = TONES.find((known) => known === text("tone"));
  const edited = BOOLEANS.find((known) => known === text("edited"));
  const [question, age] = [text("question"), text("age")];
  return {
    ...(scope === undefined || scope === "all" ? {} : { scope }),
    ...(text("sort") === "created" ? { sort: "created" as const } : {}),
    ...(status !== null && Object.hasOwn(STATUSES, status) ? { status: status as TaskStatus } : {}),
    ...(assignee === null ? {} : { assignee }),
    ...(agent === null ? {} : { agent }),
    ...(label === null ? {} : { label }),
    ...(priority === undefined ? {} : { priority }),
    ...(q === null ? {} : { q }),
    ...(decision === null ? {} : { decision }),
    ...(by === null ? {} : { by }),
    ...(channel === null ? {} : { channel }),
    ...(range === undefined ? {} : { range }),
    ...(project === null ? {} : { project }),
    ...(view === null ? {} : { view }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(tone === undefined ? {} : { tone }),
    ...(edited === undefined ? {} : { edited }),
    ...(text("refused") === "true" ? { refused: "true" as const } : {}),
    ...(question === null ? {} : { question }),
    ...(age !== null && /^\d{1,4}-\d{0,4}$/.test(age) ? { age } : {}),
  };
}

/** Defaults are left out of addresses. */
function isDefault(name: string, value: unknown): boolean {
  return (name === "scope" && value === "all") || (name === "sort" && value === "deadline");
}

const NO_FILTERS = {
  status: null,
  assignee: null,
  agent: null,
  label: null,
  priority: null,
  decision: null,
  by: null,
  channel: null,
  range: null,
  from: null,
  to: null,
  tone: null,
  edited: null,
  refused: null,
  question: null,
  age: null,
  project: null,
  view: null,
};

function wholeScope(search: Partial<Scope>): Scope {
  return { scope: "all", sort: "deadline", q: "", ...NO_FILTERS, ...search };
}

function readSetupSearch({ step, answered, to }: Record<string, unknown>): SetupSearch {
  return {
    ...(step === "2" || step === "3" ? { step } : {}),
    ...(typeof answered === "string" ? { answered } : {}),
    ...(typeof to === "string" && to.startsWith("/tasks/") ? { to } : {}),
  };
}

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(meQuery);
    if (me.passkey_required === true) throw redirect({ to: "/passkey", search: { to: location.href } });
    if (me.authenticated) return;
    const { needs_setup } = await queryClient.fetchQuery(setupQuery);
    const search = { to: location.href };
    throw needs_setup
      ? redirect({ to: "/setup", search: readSetupSearch(search) })
      : redirect({ to: "/login", search });
  },
});

/** The list and what is beside it. They stay while the address goes from one task to another, so that this is quick. */
const desk = createRoute({
  getParentRoute: () => signedIn,
  id: "desk",
  component: function Desk() {
    const path = useChildMatches({ select: ([match]) => match?.fullPath });
    const id = useChildMatches({ select: ([match]) => (match?.params as { id?: string } | undefined)?.id ?? null });
    const search = useChildMatches({ select: ([match]) => match?.search as Partial<Scope> | undefined });
    return <InboxPage id={id} isBatch={path === "/batch"} search={wholeScope(search ?? {})} />;
  },
});

const inbox = createRoute({
  getParentRoute: () => desk,
  path: "/inbox",
  validateSearch: readScope,
  // The list is requested before the page is drawn, and before all that is beside it.
  beforeLoad: ({ search }) => {
    const me = queryClient.getQueryData(meQuery.queryKey);
    if (me !== undefined) void queryClient.prefetchInfiniteQuery(tasksQuery(wholeScope(search), me));
  },
});
const task = createRoute({ getParentRoute: () => desk, path: "/tasks/$id", validateSearch: readScope });
const batch = createRoute({ getParentRoute: () => desk, path: "/batch", validateSearch: readScope });

/** Pages for operators only. The service also refuses their requests to others. */
const operating = createRoute({
  getParentRoute: () => signedIn,
  id: "operating",
  component: function Operating() {
    const { data: me } = useQuery(meQuery);
    const { pathname } = useLocation();
    return me === undefined || seesPage(me, pathname) ? <Outlet /> : <Forbidden />;
  },
});

const StatsPage = lazily("stats", async () => (await import("./stats/stats.tsx")).StatsPage);
const DeliveriesPage = lazily("deliveries", async () => (await import("./deliveries/deliveries.tsx")).DeliveriesPage);
const AgentsPage = lazily("agents", async () => (await import("./agents/agents.tsx")).AgentsPage);
const AuditPage = lazily("audit", async () => (await import("./audit/audit.tsx")).AuditPage);
const UsersPage = lazily("users", async () => (await import("./users/users.tsx")).UsersPage);
const GroupsPage = lazily("groups", async () => (await import("./groups/groups.tsx")).GroupsPage);
const PlaygroundPage = lazily("playground", async () => (await import("./playground/playground.tsx")).PlaygroundPage);
const PasskeyRequiredPage = lazily(
  "passkey",
  async () => (await import("./settings/passkey-required.tsx")).PasskeyRequiredPage,
);
const InvitationPage = lazily("invitation", async () => (await import("./invitation/invitation.tsx")).InvitationPage);
const SettingsPage = lazily("settings", async () => (await import("./settings/settings.tsx")).SettingsPage);

/** The last 30 days have no name in the address. */
const DAYS = ["7", "90"] as const;

const stats = createRoute({
  getParentRoute: () => operating,
  path: "/stats",
  validateSearch: (search: Record<string, unknown>): StatsSearch => ({
    days: DAYS.find((known) => known === search["days"]),
    from: dayOf(search["from"]),
    to: dayOf(search["to"]),
  }),
  loader: StatsPage.preload,
  component: () => <StatsPage />,
});

const DELIVERY_STATUSES = ["PENDING", "FAILED", "ABANDONED", "SUCCEEDED"] as const;

const DELIVERY_KINDS = ["callback", "resume", "event"] as const;

const deliveries = createRoute({
  getParentRoute: () => operating,
  path: "/deliveries",
  validateSearch: (search: Record<string, unknown>): DeliverySearch => ({
    status: DELIVERY_STATUSES.find((known) => known === search["status"]),
    kind: DELIVERY_KINDS.find((known) => known === search["kind"]),
    connection: textOf(search["connection"]),
    subscription: textOf(search["subscription"]),
    task_id: textOf(search["task_id"]),
    origin: textOf(search["origin"]),
    id: textOf(search["id"]),
  }),
  loader: DeliveriesPage.preload,
  component: () => <DeliveriesPage />,
});

const agents = createRoute({
  getParentRoute: () => operating,
  path: "/agents",
  loader: AgentsPage.preload,
  component: () => <AgentsPage />,
});

const AUDIT_KINDS = ["task", "security"] as const;

const users = createRoute({
  getParentRoute: () => operating,
  path: "/users",
  validateSearch: (search: Record<string, unknown>): { q?: string | undefined } => ({ q: textOf(search["q"]) }),
  loader: UsersPage.preload,
  component: () => <UsersPage />,
});

const GROUP_KINDS = ["pool", "role", "access_level"] as const;

const groups = createRoute({
  getParentRoute: () => operating,
  path: "/groups",
  validateSearch: (search: Record<string, unknown>): GroupSearch => ({
    kind: GROUP_KINDS.find((known) => known === search["kind"]),
    name: textOf(search["name"]),
  }),
  loader: GroupsPage.preload,
  component: () => <GroupsPage />,
});

const audit = createRoute({
  getParentRoute: () => operating,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): AuditFilter => ({
    kind: AUDIT_KINDS.find((known) => known === search["kind"]),
    what: textOf(search["what"]),
    actor: textOf(search["actor"]),
    from: dayOf(search["from"]),
    until: dayOf(search["until"]),
  }),
  loader: AuditPage.preload,
  component: () => <AuditPage />,
});

const playground = createRoute({
  getParentRoute: () => operating,
  path: "/playground",
  loader: PlaygroundPage.preload,
  component: () => <PlaygroundPage />,
});

/** `/settings` is the profile. Each other part has its own address. */
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings/{-$part}",
  validateSearch: ({ outcome, ...search }: Record<string, unknown>): SlackReturn & SecurityFilter => ({
    installed: textOf(search["installed"]),
    problem: textOf(search["problem"]),
    type: textOf(search["type"]),
    outcome: outcome === "success" || outcome === "failure" ? outcome : undefined,
    actor: textOf(search["actor"]),
    address: textOf(search["address"]),
    from: dayOf(search["from"]),
    until: dayOf(search["until"]),
  }),
  loader: SettingsPage.preload,
  component: () => <SettingsPage />,
});

/** Reads the page to open afterwards. Only a path within this service is accepted. */
function readTo(search: Record<string, unknown>): { to?: string } {
  return typeof search["to"] === "string" && /^\/(?!\/)/.test(search["to"]) ? { to: search["to"] } : {};
}

const passkey = createRoute({
  getParentRoute: () => root,
  path: "/passkey",
  validateSearch: readTo,
  beforeLoad: async ({ search: { to = "/inbox" } }) => {
    // The session may have been limited since it was last asked for.
    const me = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
    if (me.passkey_required !== true) throw redirect({ to });
  },
  loader: PasskeyRequiredPage.preload,
  component: () => <PasskeyRequiredPage to={passkey.useSearch().to ?? "/inbox"} />,
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  loader: InvitationPage.preload,
  component: () => <InvitationPage />,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: readTo,
  component: () => <LoginPage to={login.useSearch().to ?? "/inbox"} />,
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  validateSearch: readSetupSearch,
  beforeLoad: async ({ search: { step }, location }) => {
    const { needs_setup } = await queryClient.fetchQuery(setupQuery);
    if (needs_setup) {
      if (step !== undefined) throw redirect({ to: "/setup" });
      return;
    }
    const me = await queryClient.ensureQueryData(meQuery);
    if (step === undefined || !me.is_operator) throw redirect({ to: "/inbox" });
    if (me.passkey_required === true) throw redirect({ to: "/passkey", search: { to: location.href } });
  },
  component: () => <SetupPage search={setup.useSearch()} />,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/inbox" });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    login,
    passkey,
    invitation,
    setup,
    signedIn.addChildren([
      desk.addChildren([inbox, task, batch]),
      settings,
      operating.addChildren([stats, deliveries, agents, users, groups, audit, playground]),
    ]),
  ]),
  // Search parameters are plain texts, and not parsed as JSON.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const texts = Object.entries(search).filter(
      ([name, value]) => typeof value === "string" && value !== "" && !isDefault(name, value),
    );
    const query = new URLSearchParams(texts as [string, string][]).toString();
    return query === "" ? "" : `?${query}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
