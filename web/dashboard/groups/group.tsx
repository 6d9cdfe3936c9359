import { Button, Select } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { AwayChip } from "../absence/chip.tsx";
import { activeUsersQuery } from "../queries.ts";
import { Problem } from "../settings/form.tsx";
import { activityQuery, addressOf, nameOf, type User, type UserActivity } from "../users/queries.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { ErrorPanel, Page } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { groupsQuery, peopleOfQuery, setGroup, type Kind } from "./queries.ts";
import { Waiting } from "./waiting.tsx";
import { KIND_WORDS } from "./words.ts";

interface GroupProps {
  kind: Kind;
  name: string;
}

/** One pool, role or access level: what waits for it, and its people. */
export function GroupOf({ kind, name }: GroupProps) {
  const groups = useQuery(groupsQuery);
  const query = useInfiniteQuery(peopleOfQuery(kind, name));
  const { asked, ask, close } = useDialog<User>();
  const group = groups.data?.groups.find((one) => one.kind === kind && one.name === name);
  const people = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Page
      title={`${KIND_WORDS[kind]} ${name}`}
      actions={
        <Button component={Link} to="/groups" variant="default">
          {t("All pools and roles")}
        </Button>
      }
    >
      {group !== undefined && (
        <div>
          <Waiting group={group} isAll={groups.data?.all_counted ?? true} />
          {group.waiting > 0 && (
            <Link to="/inbox" search={{ scope: "unclaimed" }}>
              {t("All unassigned tasks")}
            </Link>
          )}
        </div>
      )}
      {query.isPending && <Loading />}
      {query.isError && (
        <ErrorPanel title={t("Could not load the people")} error={query.error} retry={() => void query.refetch()} />
      )}
      {query.data !== undefined && people.length === 0 && (
        <div className="empty">
          <h2>{t("No one is here")}</h2>
          <p>{t("Tasks that ask for it find no one, and wait until an operator assigns them.")}</p>
        </div>
      )}
      {people.length > 0 && <People people={people} onRemove={ask} />}
      <LoadMore query={query} />
      {query.data !== undefined && <Add kind={kind} name={name} people={people} />}
      {asked !== null && (
        <Confirm
          title={t("Remove {person} from {group}?", { person: nameOf(asked), group: name })}
          action={t("Remove")}
          onConfirm={async () => {
            await setGroup(asked, kind, null);
            toast({ message: t("{person} removed from {group}", { person: nameOf(asked), group: name }) });
          }}
          onClose={close}
        >
          {t("New tasks for it no longer reach them. They keep the tasks that they have.")}
        </Confirm>
      )}
    </Page>
  );
}

function People({ people, onRemove }: { people: readonly User[]; onRemove: (user: User) => void }) {
  const { data: activity } = useQuery(activityQuery(people.map(({ id }) => id)));
  return (
    <div className="surface flush">
      <table className="data as-cards" aria-label={t("People")}>
        <thead>
          <tr>
            <th scope="col">{t("Person")}</th>
            <th scope="col">{t("On duty")}</th>
            <th scope="col">{t("Open tasks")}</th>
            <th scope="col">{t("Answered in 30 days")}</th>
            <th scope="col">
              <span className="skip">{t("Change")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {people.map((user) => (
            <Person key={user.id} user={user} activity={activity?.get(user.id)} onRemove={onRemove} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PersonProps {
  user: User;
  activity: UserActivity | undefined;
  onRemove: (user: User) => void;
}

function Person({ user, activity, onRemove }: PersonProps) {
  const name = nameOf(user);
  return (
    <tr>
      <th scope="row">
        <strong>{name}</strong>
        {addressOf(user) !== name && <div className="muted">{addressOf(user)}</div>}
      </th>
      <td data-label={t("On duty")}>{user.absence === null ? t("On duty") : <AwayChip absence={user.absence} />}</td>
      <td data-label={t("Open tasks")}>
        {activity !== undefined && activity.open > 0 ? (
          <Link to="/inbox" search={{ assignee: user.id }}>
            {activity.open}
          </Link>
        ) : (
          activity?.open
        )}
      </td>
      <td data-label={t("Answered in 30 days")}>
        {activity !== undefined && activity.answered > 0 ? (
          <Link to="/inbox" search={{ scope: "done", by: user.id, range: "30" }}>
            {activity.answered}
          </Link>
        ) : (
          activity?.answered
        )}
      </td>
      <td>
        <div className="row end">
          <ActButton label={t("Remove")} of={name} onClick={() => onRemove(user)} />
        </div>
      </td>
    </tr>
  );
}

/** Adds a person. Each person has one pool, one role and one access level, so that it may take the place of another. */
function Add({ kind, name, people }: GroupProps & { people: readonly User[] }) {
  const { data: all = [] } = useQuery(activeUsersQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const others = all.filter(({ id }) => people.every((one) => one.id !== id));
  const add = useMutation({
    mutationFn: (user: User) => setGroup(user, kind, name),
    onSuccess: (user) => {
      setChosen(null);
      toast({ message: t("{person} added to {group}", { person: nameOf(user), group: name }) });
    },
  });
  const user = others.find(({ id }) => id === chosen);
  const former = user?.[kind] ?? null;
  return (
    <form
      className="surface stack"
      aria-label={t("Add a person")}
      onSubmit={(event) => {
        event.preventDefault();
        if (user !== undefined) add.mutate(user);
      }}
    >
      <Select
        label={t("Add a person")}
        data={others.map((user) => ({ value: user.id, label: nameOf(user) }))}
        value={chosen}
        onChange={setChosen}
        searchable
        openOnFocus={false}
        nothingFoundMessage={t("No matches")}
      />
      {user !== undefined && former !== null && (
        <p className="muted">
          {t("{person} has {former} now. This takes its place.", { person: nameOf(user), former })}
        </p>
      )}
      <Problem error={add.error} />
      <div className="row">
        <Button type="submit" disabled={user === undefined} loading={add.isPending}>
          {t("Add")}
        </Button>
      </div>
    </form>
  );
}
