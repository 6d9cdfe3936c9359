import { Button, TextInput } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import { IconSearch } from "../ui/icons.tsx";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { AbsenceDialog } from "../absence/dialog.tsx";
import { useDialog } from "../ui/dialog.ts";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { Page, ErrorPanel } from "../ui/page.tsx";
import { meQuery } from "../queries.ts";
import { Deactivate } from "./deactivate.tsx";
import { UserForm } from "./form.tsx";
import { NewLink, useLinks, type Links } from "./invitation.tsx";
import { usersQuery } from "./queries.ts";
import type { User } from "./queries.ts";
import { InactiveTable, UserTable } from "./table.tsx";
import "../operate.css";

/** The open dialog. If user is null, the dialog adds a person. */
type Asked = { kind: "edit"; user: User | null } | { kind: "absence" | "deactivate"; user: User };

/** The people who answer tasks or operate the service, and deactivated people. */
export function UsersPage() {
  const { q = "" } = useSearch({ from: "/signed-in/operating/users" });
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const { asked, ask, close } = useDialog<Asked>();
  const links = useLinks();
  return (
    <Page
      title={t("People")}
      about={t("People who answer tasks, and operators")}
      actions={
        <>
          <Button component={Link} to="/groups" variant="default">
            {t("Pools and roles")}
          </Button>
          <Button onClick={() => ask({ kind: "edit", user: null })}>{t("Add a person")}</Button>
        </>
      }
    >
      <TextInput
        className="search"
        type="search"
        aria-label={t("Search")}
        placeholder={t("Name or email")}
        leftSection={<IconSearch size={16} aria-hidden />}
        defaultValue={q}
        onChange={(event) => void navigate({ to: "/users", search: { q: event.currentTarget.value }, replace: true })}
      />
      <Active
        q={q}
        me={me?.user_id ?? null}
        makeLink={links.make}
        onEdit={(user) => ask({ kind: "edit", user })}
        onAbsence={(user) => ask({ kind: "absence", user })}
        onDeactivate={(user) => ask({ kind: "deactivate", user })}
      />
      <Inactive q={q} />
      {asked?.kind === "edit" && (
        <UserForm
          user={asked.user}
          isMyself={asked.user !== null && asked.user.id === me?.user_id}
          makeLink={links.make}
          onClose={close}
        />
      )}
      {asked?.kind === "absence" && <AbsenceDialog user={asked.user} onClose={close} />}
      {asked?.kind === "deactivate" && <Deactivate user={asked.user} onClose={close} />}
      <NewLink links={links} />
    </Page>
  );
}

interface ActiveProps {
  q: string;
  me: string | null;
  makeLink: Links["make"];
  onEdit: (user: User) => void;
  onAbsence: (user: User) => void;
  onDeactivate: (user: User) => void;
}

function Active({ q, ...table }: ActiveProps) {
  const query = useInfiniteQuery(usersQuery(q, true));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorPanel title={t("Could not load the list")} error={query.error} retry={() => void query.refetch()} />;
  const users = query.data.pages.flatMap((page) => page.data);
  if (users.length === 0)
    return (
      <div className="empty">
        <h2>{t("No matches")}</h2>
        <p>{t("No active person has “{q}” in their name or email.", { q })}</p>
      </div>
    );
  return (
    <>
      <UserTable users={users} {...table} />
      <LoadMore query={query} />
    </>
  );
}

/** Deactivated people. It shows no error, because the list above does. */
function Inactive({ q }: { q: string }) {
  const query = useInfiniteQuery(usersQuery(q, false));
  const users = query.data?.pages.flatMap((page) => page.data) ?? [];
  if (users.length === 0) return null;
  return (
    <details className="fold">
      <summary>{t("Deactivated ({count})", { count: `${users.length}${query.hasNextPage ? "+" : ""}` })}</summary>
      <InactiveTable users={users} />
      <LoadMore query={query} />
    </details>
  );
}
