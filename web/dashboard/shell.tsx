import { ActionIcon, Menu } from "@mantine/core";
import { as, t } from "../../languages/text.ts";
import {
  IconChartBar,
  IconChecks,
  IconCircleCheck,
  IconClock,
  IconFlask,
  IconInbox,
  IconKeyboard,
  IconRobot,
  IconSettings,
  IconUser,
  IconUserCircle,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from "./ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Me } from "./api.ts";
import { ConfirmIdentity } from "./confirm-identity.tsx";
import type { Palette } from "./palette/palette.tsx";
import { signOut } from "./sign-out.ts";
import { isMac, useKeys } from "./ui/keyboard.ts";
import { useLive } from "./live.ts";
import { useOpened } from "./notified.ts";
import { dropPersonalOfOthers } from "./personal.ts";
import { isOperatorOf, seesPage } from "./projects/access.ts";
import { ProjectSwitcher } from "./projects/switcher.tsx";
import { abandonedQuery, countsQuery, meQuery, queryClient } from "./queries.ts";
import type { Scope } from "./queries.ts";
import { useIsPhone } from "./ui/phone.ts";
import { Shortcuts } from "./ui/shortcuts.tsx";
import { toast } from "./ui/toasts.ts";
import { SignedOut } from "./signed-out.tsx";
import { ViewLinks } from "./views/lazy.tsx";

const PLACES: readonly {
  scope: Scope["scope"];
  label: string;
  Icon: typeof IconInbox;
  count?: "open" | "mine" | "unclaimed";
}[] = [
  { scope: "all", label: t("Inbox"), Icon: IconInbox, count: "open" },
  { scope: "mine", label: as("my tasks", "Mine"), Icon: IconUser, count: "mine" },
  { scope: "unclaimed", label: t("Unassigned"), Icon: IconUsersGroup, count: "unclaimed" },
  { scope: "done", label: t("Closed"), Icon: IconCircleCheck },
];

/** Turns off the router's marking of links, because an open task belongs to the list that its address names. */
const NOT_BY_ADDRESS = { className: "", "aria-current": undefined };

/** The lists that a person has. */
export function placesOf(isOperator: boolean): typeof PLACES {
  return isOperator ? PLACES : PLACES.filter(({ scope }) => scope === "all" || scope === "done");
}

/** The pages of operators besides tasks. */
export const OPERATE = [
  { to: "/stats", label: t("Stats"), Icon: IconChartBar },
  { to: "/deliveries", label: t("Deliveries"), Icon: IconWebhook },
  { to: "/agents", label: t("Agents"), Icon: IconRobot },
  { to: "/users", label: t("People"), Icon: IconUsers },
  { to: "/audit", label: t("Audit"), Icon: IconClock },
  { to: "/playground", label: t("Playground"), Icon: IconFlask },
] as const;

/** The frame of every page for signed-in people. */
export function Shell() {
  const navigate = useNavigate();
  const isLive = useLive();
  const { data: me } = useQuery(meQuery);
  const isOperator = me !== undefined && isOperatorOf(me);
  const id = me?.user_id ?? null;
  // Somebody else may have used this browser before.
  useEffect(() => {
    if (id !== null) dropPersonalOfOthers(id);
  }, [id]);
  const [showsKeys, setShowsKeys] = useState(false);
  const palette = usePalette();
  useOpened((path) => void navigate({ to: path }));
  const go = (scope: Scope["scope"]) => () => void navigate({ to: "/inbox", search: { scope } });
  useKeys({
    "?": () => setShowsKeys(true),
    "Mod+k": palette.open,
    "g i": go("all"),
    "g m": isOperator ? go("mine") : undefined,
    "g d": go("done"),
    "g s": isOperator ? () => void navigate({ to: "/stats" }) : undefined,
  });
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t("Skip to the page")}
      </a>
      <nav className="places" aria-label={t("Main")}>
        <Link to="/inbox" className="mark">
          <span className="logo">
            <IconChecks size={16} stroke={2} aria-hidden />
          </span>
          <span>{t("Human Task Service")}</span>
        </Link>
        <ProjectSwitcher />
        <TaskLinks isOperator={isOperator} />
        <ViewLinks />
        {isOperator && <OperateLinks me={me} />}
        <Link to="/settings/{-$part}" params={{}} title={t("Settings")} className="place wide-only">
          <IconSettings size={16} stroke={1.75} aria-hidden />
          <span>{t("Settings")}</span>
        </Link>
        <span className="grow" />
        <button type="button" title={t("Shortcuts")} className="place wide-only" onClick={() => setShowsKeys(true)}>
          <IconKeyboard size={16} stroke={1.75} aria-hidden />
          <span>{t("Shortcuts")}</span>
          <kbd className="count-of" aria-hidden>
            ?
          </kbd>
        </button>
        {!isLive && <output className="chip warn">{t("Reconnecting")}</output>}
        <UserMenu me={me} openPalette={palette.open} />
      </nav>
      <Outlet />
      {showsKeys && <Shortcuts onClose={() => setShowsKeys(false)} />}
      {me !== undefined && palette.Opened !== null && <palette.Opened me={me} onClose={palette.close} />}
      {me !== undefined && <ConfirmIdentity me={me} />}
      {me !== undefined && <SignedOut me={me} />}
    </div>
  );
}

/** The lists of tasks. The link of the current list is marked, by its address. */
function TaskLinks({ isOperator }: { isOperator: boolean }) {
  const { data: counts, dataUpdatedAt } = useQuery(countsQuery);
  useWake(counts?.next_wake_at, dataUpdatedAt);
  const places = placesOf(isOperator);
  const here = useRouterState({
    select: ({ location: { pathname, search } }) =>
      /^\/(inbox|tasks|batch)\b/.test(pathname) && (search as Partial<Scope>).view == null
        ? ((search as Partial<Scope>).scope ?? "all")
        : null,
  });
  return places.map(({ scope, label, Icon, count }) => (
    <Link
      key={scope}
      title={label}
      to="/inbox"
      search={scope === "all" ? {} : { scope }}
      className={scope === here ? "place active" : "place"}
      aria-current={scope === here ? "page" : undefined}
      activeProps={NOT_BY_ADDRESS}
    >
      <Icon size={16} stroke={1.75} aria-hidden />
      <span>{label}</span>
      {count !== undefined && counts !== undefined && <span className="count-of">{counts[count]}</span>}
    </Link>
  ));
}

/** The clocks of the service and of the browser may differ by more. Then it is asked again after this. */
const WAKE_AGAIN_MS = 3_000;
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Refreshes the lists when a task that the person has snoozed comes back. Nothing announces that. @param asked - when `at` was read */
function useWake(at: string | undefined, asked: number): void {
  useEffect(() => {
    if (at === undefined) return undefined;
    const due = Math.max(Date.parse(at) + 100, asked + WAKE_AGAIN_MS);
    const wait = Math.min(Math.max(due - Date.now(), 0), TIMER_MAX_MS);
    const timer = setTimeout(() => void queryClient.invalidateQueries({ queryKey: ["tasks"] }), wait);
    return () => clearTimeout(timer);
  }, [at, asked]);
}

function OperateLinks({ me }: { me: Me }) {
  const { data: abandoned } = useQuery(abandonedQuery());
  return (
    <>
      <p className="places-of wide-only">{t("Operate")}</p>
      {OPERATE.filter(({ to }) => seesPage(me, to)).map(({ to, label, Icon }) => (
        <Link key={to} to={to} title={label} className="place wide-only">
          <Icon size={16} stroke={1.75} aria-hidden />
          <span>{label}</span>
          {to === "/deliveries" && abandoned !== undefined && abandoned !== "0" && (
            <span className="count-of bad" title={t("Failed")}>
              {abandoned}
            </span>
          )}
        </Link>
      ))}
    </>
  );
}

/** The palette, whose code loads when it is first opened. */
function usePalette() {
  const [Opened, setOpened] = useState<typeof Palette | null>(null);
  return {
    Opened,
    open: () =>
      void import("./palette/palette.tsx").then(
        ({ Palette }) => setOpened(() => Palette),
        () => toast({ message: t("Could not load the commands. The service can't be reached."), tone: "bad" }),
      ),
    close: () => setOpened(null),
  };
}

function UserMenu({ me, openPalette }: { me: Me | undefined; openPalette: () => void }) {
  const navigate = useNavigate();
  const isPhone = useIsPhone();
  const leave = async (): Promise<void> => {
    await signOut();
    await navigate({ to: "/login" });
  };
  return (
    <Menu position="top-start">
      <Menu.Target>
        <button type="button" className="place">
          <IconUserCircle size={16} stroke={1.75} aria-hidden />
          <span>{me?.display_name ?? me?.email ?? t("You")}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me?.email}</Menu.Label>
        <Menu.Item onClick={openPalette} rightSection={<kbd aria-hidden>{isMac ? "⌘" : t("Ctrl")} K</kbd>}>
          {t("Commands")}
        </Menu.Item>
        {isPhone &&
          me !== undefined &&
          OPERATE.filter(({ to }) => seesPage(me, to)).map(({ to, label }) => (
            <Menu.Item key={to} component={Link} to={to}>
              {label}
            </Menu.Item>
          ))}
        {isPhone && (
          <Menu.Item component={Link} to="/settings">
            {t("Settings")}
          </Menu.Item>
        )}
        <Menu.Item component="a" href="/api/docs">
          {t("API docs")}
        </Menu.Item>
        <Menu.Item component="a" href="/docs/troubleshooting">
          {t("Troubleshooting")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>{t("Sign out")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function IconButton({
  label,
  onClick,
  children,
}: {
  label: string;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <ActionIcon variant="default" size={32} aria-label={label} title={label} onClick={onClick}>
      {children}
    </ActionIcon>
  );
}
