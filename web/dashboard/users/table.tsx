import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { as, plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { useSeveralProjects } from "../projects/queries.ts";
import { AwayChip } from "../absence/chip.tsx";
import type { Me } from "../api.ts";
import type { Kind } from "../groups/queries.ts";
import { useNames } from "../inbox/who.ts";
import { meQuery, setupQuery } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { IconCheck } from "../ui/icons.tsx";
import { inOneLine } from "../lists.ts";
import { Moment } from "../ui/times.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { Invitation, type Links } from "./invitation.tsx";
import { activityQuery, addressOf, changeUser, nameOf, refreshUsers } from "./queries.ts";
import type { User, UserActivity } from "./queries.ts";

interface UserTableProps {
  users: readonly User[];
  /** Id of the signed-in user. */
  me: string | null;
  makeLink: Links["make"];
  onEdit: (user: User) => void;
  onAbsence: (user: User) => void;
  onDeactivate: (user: User) => void;
}

export function UserTable({ users, me, makeLink, onEdit, onAbsence, onDeactivate }: UserTableProps) {
  const hasCompany = useHasCompany();
  const { data: activity } = useQuery(activityQuery(users.map(({ id }) => id)));
  return (
    <div className="surface flush">
      <table className="data as-cards" aria-label={t("People")}>
        <thead>
          <tr>
            <th scope="col">{t("Person")}</th>
            <th scope="col">{t("Operator")}</th>
            <th scope="col">{t("Role")}</th>
            <th scope="col">{t("Pool")}</th>
            <th scope="col">{t("Access level")}</th>
            <th scope="col">{t("Can sign in")}</th>
            <th scope="col">{t("Last chosen by role")}</th>
            <th scope="col">
              <span className="skip">{as("verb", "Change")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <Person user={user} isMyself={user.id === me} activity={activity?.get(user.id)} />
              <td data-label={t("Operator")}>
                <YesOrNo is={user.is_operator} />
              </td>
              <td data-label={t("Role")}>
                <GroupLink kind="role" name={user.role} />
              </td>
              <td data-label={t("Pool")}>
                <GroupLink kind="pool" name={user.pool} />
              </td>
              <td data-label={t("Access level")}>
                <GroupLink kind="access_level" name={user.access_level} />
              </td>
              <td data-label={t("Can sign in")}>
                <div className="stack">
                  {user.invitation?.kind !== "invitation" && (
                    <div>
                      {!canSignIn(user) && hasCompany && user.email !== null ? (
                        t("With the company account")
                      ) : (
                        <YesOrNo is={canSignIn(user)} />
                      )}
                    </div>
                  )}
                  <Invitation user={user} make={makeLink} />
                </div>
              </td>
              <td data-label={t("Last chosen by role")}>
                {user.last_assigned_at === null ? (
                  <span className="muted">{t("Never")}</span>
                ) : (
                  <Moment at={user.last_assigned_at} />
                )}
              </td>
              <td>
                <div className="row end">
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={t("Edit {name}", { name: nameOf(user) })}
                    onClick={() => onEdit(user)}
                  >
                    {t("Edit")}
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={t("Absence of {person}", { person: nameOf(user) })}
                    onClick={() => onAbsence(user)}
                  >
                    {t("Absence")}
                  </Button>
                  <DeactivateButton user={user} isMyself={user.id === me} onDeactivate={onDeactivate} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether people can sign in with a company account. The email of the account finds the person at the first sign-in. */
function useHasCompany(): boolean {
  return useQuery(setupQuery).data?.sign_in.oidc === true;
}

/** Whether a person has a password, or has signed in with a company account. */
function canSignIn({ has_password, email, oidc_accounts }: User): boolean {
  return (has_password && email !== null) || oidc_accounts.length > 0;
}

const NONE = <span className="muted">–</span>;

/** A pool, a role or an access level, with a link to its people and what waits for it. */
function GroupLink({ kind, name }: { kind: Kind; name: string | null }) {
  if (name === null) return NONE;
  return (
    <Link to="/groups" search={{ kind, name }}>
      {name}
    </Link>
  );
}

interface PersonProps {
  user: User;
  isMyself: boolean;
  activity?: UserActivity | undefined;
}

function Person({ user, isMyself, activity }: PersonProps) {
  const name = nameOf(user);
  const address = addressOf(user);
  return (
    <th scope="row">
      <strong>{name}</strong>
      {isMyself && <span className="muted"> {t("(you)")}</span>}
      {user.absence !== null && (
        <>
          {" "}
          <AwayChip absence={user.absence} />
        </>
      )}
      {address !== name && <div className="muted">{address}</div>}
      {activity !== undefined && <ActivityOf activity={activity} />}
      {user.absence?.delegate_user_id != null && <DelegateOf id={user.absence.delegate_user_id} />}
      <ProjectsOf user={user} />
    </th>
  );
}

/** What a person has to do and has done, each number with its list, and when they were last seen. */
function ActivityOf({ activity: { user_id, open, answered, last_seen_at } }: { activity: UserActivity }) {
  return (
    <div className="muted">
      {open === 0 ? (
        t("No open tasks")
      ) : (
        <Link to="/inbox" search={{ assignee: user_id }}>
          {plural(open, "{n} open", "{n} open")}
        </Link>
      )}
      {" · "}
      {answered === 0 ? (
        t("none answered in 30 days")
      ) : (
        <Link to="/inbox" search={{ scope: "done", by: user_id, range: "30" }}>
          {plural(answered, "{n} answered in 30 days", "{n} answered in 30 days")}
        </Link>
      )}
      {" · "}
      {last_seen_at === null ? t("signed out") : rich("seen {time}", { time: <Moment at={last_seen_at} /> })}
    </div>
  );
}

/** Who gets the tasks of a person while they are away. */
function DelegateOf({ id }: { id: string }) {
  const { data: me } = useQuery(meQuery);
  return me === undefined ? null : <DelegateName id={id} me={me} />;
}

function DelegateName({ id, me }: { id: string; me: Me }) {
  const names = useNames(me);
  const name = names.get(id);
  if (id === me.user_id) return <div className="muted">{t("Delegate: you")}</div>;
  return name === undefined ? null : <div className="muted">{t("Delegate: {name}", { name })}</div>;
}

/** The projects of a person and their roles in them. Nothing if there is only one project. */
function ProjectsOf({ user }: { user: User }) {
  const known = useSeveralProjects();
  if (known === null) return null;
  const names = user.projects.map(({ project, role }) => {
    const name = known.find(({ slug }) => slug === project)?.name ?? project;
    return role === "operator" ? t("{project} (operator)", { project: name }) : name;
  });
  const all =
    names.length === 0
      ? t("No projects")
      : plural(names.length, "Project: {names}", "Projects: {names}", { names: inOneLine(names) });
  return <div className="muted">{user.is_operator ? t("All projects") : all}</div>;
}

function YesOrNo({ is }: { is: boolean }) {
  if (!is) return <span className="muted">{t("No")}</span>;
  return (
    <span className="chip ok">
      <IconCheck size={14} stroke={1.75} aria-hidden />
      {t("Yes")}
    </span>
  );
}

/** An operator who could deactivate their own account could leave the service without one. */
const WHY_NOT = t("You can't deactivate yourself. Ask another operator.");

function DeactivateButton({
  user,
  isMyself,
  onDeactivate,
}: {
  user: User;
  isMyself: boolean;
  onDeactivate: (user: User) => void;
}) {
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={t("Deactivate {name}", { name: nameOf(user) })}
      // Not disabled, so that the keyboard reaches it and it can say why.
      {...(isMyself ? { "aria-disabled": true, "data-disabled": true, title: WHY_NOT } : {})}
      onClick={() => (isMyself ? toast({ message: WHY_NOT, tone: "bad" }) : onDeactivate(user))}
    >
      {t("Deactivate")}
    </Button>
  );
}

export function InactiveTable({ users }: { users: readonly User[] }) {
  const hasCompany = useHasCompany();
  const { asked, ask, close } = useDialog<User>();
  const activate = async (user: User): Promise<void> => {
    await changeUser(user.id, { active: true });
    await refreshUsers();
    toast({ message: t("{name} is active again", { name: nameOf(user) }) });
  };
  const reactivate = async (user: User): Promise<void> => {
    try {
      await activate(user);
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
    }
  };
  return (
    <div className="surface flush">
      <table className="data as-cards" aria-label={t("Deactivated people")}>
        <thead>
          <tr>
            <th scope="col">{t("Person")}</th>
            <th scope="col">{t("Operator")}</th>
            <th scope="col">{t("Can sign in")}</th>
            <th scope="col">
              <span className="skip">{as("verb", "Change")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <Person user={user} isMyself={false} />
              <td data-label={t("Operator")}>
                <YesOrNo is={user.is_operator} />
              </td>
              <td data-label={t("Can sign in")}>
                {canSignIn(user) || (hasCompany && user.email !== null) ? t("When active") : t("No")}
              </td>
              <td>
                <div className="row end">
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={t("Reactivate {name}", { name: nameOf(user) })}
                    onClick={() => (user.is_operator ? ask(user) : void reactivate(user))}
                  >
                    {t("Reactivate")}
                  </Button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked !== null && (
        <Confirm
          title={t("Reactivate {name}?", { name: nameOf(asked) })}
          action={t("Reactivate")}
          tone="accent"
          onConfirm={() => activate(asked)}
          onClose={close}
        >
          {t("They are an operator: they get full access to this service again.")}
        </Confirm>
      )}
    </div>
  );
}
