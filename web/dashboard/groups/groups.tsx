import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { t } from "../../../languages/text.ts";
import { Loading } from "../ui/loading.tsx";
import { ErrorPanel, Page } from "../ui/page.tsx";
import { GroupOf } from "./group.tsx";
import { groupsQuery, type Group, type Groups } from "./queries.ts";
import { Waiting } from "./waiting.tsx";
import { KIND_WORDS, peopleWord } from "./words.ts";
import "../operate.css";

/** The pools, roles and access levels by which tasks choose people, or one of them. */
export function GroupsPage() {
  const { kind, name } = useSearch({ from: "/signed-in/operating/groups" });
  return kind === undefined || name === undefined ? (
    <All />
  ) : (
    <GroupOf key={`${kind} ${name}`} kind={kind} name={name} />
  );
}

function All() {
  const query = useQuery(groupsQuery);
  return (
    <Page
      title={t("Pools and roles")}
      about={t("Agents choose people by these")}
      actions={
        <Button component={Link} to="/users" variant="default">
          {t("All people")}
        </Button>
      }
    >
      {query.isPending && <Loading />}
      {query.isError && (
        <ErrorPanel title={t("Could not load the list")} error={query.error} retry={() => void query.refetch()} />
      )}
      {query.data !== undefined && <Table {...query.data} />}
    </Page>
  );
}

function Table({ groups, all_counted }: Groups) {
  if (groups.length === 0)
    return (
      <div className="empty">
        <h2>{t("No pools, roles or access levels yet")}</h2>
        <p>{t("Give people one under People, Edit. Agents then name it in their tasks.")}</p>
      </div>
    );
  return (
    <div className="surface flush">
      <table className="data as-cards" aria-label={t("Pools and roles")}>
        <thead>
          <tr>
            <th scope="col">{t("Name")}</th>
            <th scope="col">{t("Kind")}</th>
            <th scope="col">{t("People")}</th>
            <th scope="col">{t("Waits")}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Row key={`${group.kind} ${group.name}`} group={group} isAll={all_counted} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ group, isAll }: { group: Group; isAll: boolean }) {
  const { kind, name, people, away } = group;
  return (
    <tr>
      <th scope="row">
        <Link to="/groups" search={{ kind, name }} className="opens">
          {name}
        </Link>
      </th>
      <td data-label={t("Kind")}>{KIND_WORDS[kind]}</td>
      <td data-label={t("People")}>
        <div>
          {people === 0 ? <span className="chip bad">{t("No one")}</span> : peopleWord(people)}
          {away > 0 && <div className="muted">{away === people ? t("All away") : t("{away} away", { away })}</div>}
        </div>
      </td>
      <td data-label={t("Waits")}>
        <div>
          <Waiting group={group} isAll={isAll} />
        </div>
      </td>
    </tr>
  );
}
