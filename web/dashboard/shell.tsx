import { ActionIcon, Menu } from "@mantine/core";
import { IconChecks, IconCircleCheck, IconInbox, IconUser, IconUserCircle, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { post } from "./api.ts";
import { useLive } from "./live.ts";
import { countsQuery, meQuery, queryClient } from "./queries.ts";
import type { Scope } from "./queries.ts";

const PLACES: readonly {
  scope: Scope["scope"];
  label: string;
  Icon: typeof IconInbox;
  count?: "open" | "mine" | "unclaimed";
}[] = [
  { scope: "all", label: "Inbox", Icon: IconInbox, count: "open" },
  { scope: "mine", label: "Mine", Icon: IconUser, count: "mine" },
  { scope: "unclaimed", label: "Unclaimed", Icon: IconUsersGroup, count: "unclaimed" },
  { scope: "done", label: "Done", Icon: IconCircleCheck },
];

/** What is around every page of somebody who is signed in. */
export function Shell() {
  const navigate = useNavigate();
  const isLive = useLive();
  const { data: me } = useQuery(meQuery);
  const { data: counts } = useQuery(countsQuery);
  const open = counts?.open ?? 0;
  useEffect(() => {
    document.title = `${open > 0 ? `(${open}) ` : ""}Inbox - Human Task Service`;
  }, [open]);
  const places = me?.is_operator ? PLACES : PLACES.filter(({ scope }) => scope === "all" || scope === "done");
  const signOut = async (): Promise<void> => {
    await post("/api/auth/logout");
    queryClient.clear();
    await navigate({ to: "/login" });
  };
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the task
      </a>
      <nav className="places" aria-label="Main">
        <Link to="/inbox" className="mark">
          <span className="logo">
            <IconChecks size={16} stroke={2} aria-hidden />
          </span>
          <span>Human Task Service</span>
        </Link>
        {places.map(({ scope, label, Icon, count }) => (
          <Link
            key={scope}
            to="/inbox"
            search={{ scope }}
            activeOptions={{ includeSearch: true, exact: false }}
            className="place"
          >
            <Icon size={16} stroke={1.75} aria-hidden />
            <span>{label}</span>
            {count !== undefined && counts !== undefined && <span className="count-of">{counts[count]}</span>}
          </Link>
        ))}
        <span className="grow" />
        {!isLive && <output className="chip warn">Reconnecting</output>}
        <Menu position="top-start">
          <Menu.Target>
            <button type="button" className="place">
              <IconUserCircle size={16} stroke={1.75} aria-hidden />
              <span>{me?.display_name ?? me?.email ?? "You"}</span>
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{me?.email}</Menu.Label>
            <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </nav>
      <Outlet />
    </div>
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
