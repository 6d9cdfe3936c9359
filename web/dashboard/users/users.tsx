import { Button, TextInput } from "@mantine/core";
import { IconSearch } from "../ui/icons.tsx";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { Page, ErrorPanel } from "../ui/page.tsx";
import { meQuery } from "../queries.ts";
import { Deactivate } from "./deactivate.tsx";
import { UserForm } from "./form.tsx";
import { usersQuery } from "./queries.ts";
import type { User } from "./queries.ts";
import { InactiveTable, UserTable } from "./table.tsx";
import "../operate.css";

/** What is asked about somebody; without a person, about somebody new. */
type Dialog = { kind: "edit"; user: User | null } | { kind: "deactivate"; user: User };

/** Who answers tasks, who operates the service, and who did. */
export function UsersPage() {
  const { q = "" } = useSearch({ from: "/signed-in/operating/users" });
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = (): void => setDialog(null);
  return (
    <Page
      title="Users"
      about="People who answer tasks, and operators"
      actions={<Button onClick={() => setDialog({ kind: "edit", user: null })}>Add a person</Button>}
    >
      <TextInput
        className="search"
        type="search"
        aria-label="Search"
        placeholder="Name or e-mail"
        leftSection={<IconSearch size={16} aria-hidden />}
        defaultValue={q}
        onChange={(event) => void navigate({ to: "/users", search: { q: event.currentTarget.value }, replace: true })}
      />
      <Active
        q={q}
        me={me?.user_id ?? null}
        onEdit={(user) => setDialog({ kind: "edit", user })}
        onDeactivate={(user) => setDialog({ kind: "deactivate", user })}
      />
      <Inactive q={q} />
      {dialog?.kind === "edit" && (
        <UserForm
          user={dialog.user}
          isMyself={dialog.user !== null && dialog.user.id === me?.user_id}
          onClose={close}
        />
      )}
      {dialog?.kind === "deactivate" && <Deactivate user={dialog.user} onClose={close} />}
    </Page>
  );
}

interface ActiveProps {
  q: string;
  me: string | null;
  onEdit: (user: User) => void;
  onDeactivate: (user: User) => void;
}

function Active({ q, ...table }: ActiveProps) {
  const query = useInfiniteQuery(usersQuery(q, true));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorPanel title="The list could not be loaded" error={query.error} retry={() => void query.refetch()} />;
  const users = query.data.pages.flatMap((page) => page.data);
  if (users.length === 0)
    return (
      <div className="empty">
        <h2>Nobody matches</h2>
        <p>No active person has “{q}” in their name or e-mail.</p>
      </div>
    );
  return (
    <>
      <UserTable users={users} {...table} />
      <LoadMore query={query} />
    </>
  );
}

/** Folded away; a list that cannot be loaded is told about above. */
function Inactive({ q }: { q: string }) {
  const query = useInfiniteQuery(usersQuery(q, false));
  const users = query.data?.pages.flatMap((page) => page.data) ?? [];
  if (users.length === 0) return null;
  return (
    <details className="fold">
      <summary>
        Deactivated ({users.length}
        {query.hasNextPage ? "+" : ""})
      </summary>
      <InactiveTable users={users} />
      <LoadMore query={query} />
    </details>
  );
}
