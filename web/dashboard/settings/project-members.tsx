import { Button, NativeSelect, Select } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { t } from "../../../languages/text.ts";
import { post, remove, type Me } from "../api.ts";
import { membersQuery, refreshProjects, usePeople, type Member, type Project } from "../projects/queries.ts";
import { nameOf } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel, sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { Problem, textOf } from "./form.tsx";

const ROLES = [
  { value: "member", label: t("Member") },
  { value: "operator", label: t("Operator") },
];

/** Adds a person to a project, or changes their role. */
async function setMember({ slug }: Project, user_id: string, role: string): Promise<Member> {
  const member = await post<Member>(`/api/projects/${slug}/members`, { user_id, role });
  await refreshProjects();
  return member;
}

function labelOf({ user_id, ...names }: Member): string {
  return nameOf({ id: user_id, ...names });
}

/** The people of a project. */
export function Members({ project, me }: { project: Project; me: Me }) {
  const query = useQuery(membersQuery(project.slug));
  const { asked, ask, close } = useDialog<Member>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  // While the people are loaded, there is too little to scroll to.
  useEffect(() => {
    if (!query.isPending) heading.current?.closest("section")?.scrollIntoView();
  }, [query.isPending]);
  return (
    <section className="surface stack" aria-labelledby="members">
      <h2 id="members" ref={heading} tabIndex={-1}>
        {t("People of {project}", { project: project.name })}
      </h2>
      <p className="muted">
        {t(
          "Members see and answer what they are asked. Operators also see all tasks of the project, and change its people, agents, keys and senders. Operators of the service see every project.",
        )}
      </p>
      {query.isPending ? (
        <p className="muted">{t("Loading")}</p>
      ) : query.isError ? (
        <ErrorPanel title={t("Could not load the people")} error={query.error} retry={() => void query.refetch()} />
      ) : (
        <>
          {query.data.length > 0 && <MemberTable project={project} members={query.data} onRemove={ask} />}
          <Add key={query.data.length} project={project} members={query.data} me={me} />
        </>
      )}
      {asked !== null && (
        <Confirm
          title={t("Remove {person} from {project}?", { person: labelOf(asked), project: project.name })}
          action={t("Remove")}
          onConfirm={async () => {
            await remove(`/api/projects/${project.slug}/members/${asked.user_id}`);
            toast({ message: t("{person} removed", { person: labelOf(asked) }) });
            await refreshProjects();
          }}
          onClose={close}
        >
          <div className="stack">
            <p>{t("They no longer see its tasks.")}</p>
            <p>
              {t(
                "Open tasks for a role, or offered to several people, go on to the others. A task for this person alone becomes unassigned: only operators see it, until they assign it again.",
              )}
            </p>
          </div>
        </Confirm>
      )}
    </section>
  );
}

interface MemberTableProps {
  project: Project;
  members: readonly Member[];
  onRemove: (member: Member) => void;
}

function MemberTable({ project, members, onRemove }: MemberTableProps) {
  const change = useMutation({
    mutationFn: ({ user_id, role }: { user_id: string; role: string }) => setMember(project, user_id, role),
    onSuccess: (member) => toast({ message: roleWords(member) }),
    onError: (failure) => toast({ message: sentenceOf(failure), tone: "bad" }),
  });
  return (
    <table className="data as-cards" aria-label={t("People of {project}", { project: project.name })}>
      <thead>
        <tr>
          <th scope="col">{t("Person")}</th>
          <th scope="col">{t("Role")}</th>
          <th scope="col">
            <span className="unseen">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr key={member.user_id}>
            <th scope="row">
              <strong>{labelOf(member)}</strong>
              {member.email !== null && member.email !== labelOf(member) && <div className="muted">{member.email}</div>}
            </th>
            <td data-label={t("Role")}>
              <NativeSelect
                size="xs"
                aria-label={t("Role of {person}", { person: labelOf(member) })}
                data={ROLES}
                value={member.role}
                disabled={change.isPending}
                onChange={(event) => change.mutate({ user_id: member.user_id, role: event.currentTarget.value })}
              />
            </td>
            <td>
              <div className="row end">
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t("Remove {name}", { name: labelOf(member) })}
                  onClick={() => onRemove(member)}
                >
                  {t("Remove")}
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function roleWords(member: Member): string {
  const person = labelOf(member);
  return member.role === "operator"
    ? t("{person} is an operator now", { person })
    : t("{person} is a member now", { person });
}

function Add({ project, members, me }: { project: Project; members: readonly Member[]; me: Me }) {
  const people = usePeople(me).filter(({ id }) => members.every(({ user_id }) => user_id !== id));
  const add = useMutation({
    mutationFn: (form: HTMLFormElement) => setMember(project, textOf(form, "user_id"), textOf(form, "role")),
    onSuccess: (member) => toast({ message: t("{person} added", { person: labelOf(member) }) }),
  });
  if (people.length === 0)
    return (
      <p className="muted">
        {me.is_operator
          ? t("Everyone is in this project.")
          : t(
              "You can add people of other projects where you are an operator. Ask an operator of the service to add others.",
            )}
      </p>
    );
  return (
    <form
      className="stack"
      aria-label={t("Add a person")}
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(event.currentTarget);
      }}
    >
      <Select
        name="user_id"
        label={t("Add a person")}
        data={people.map((user) => ({ value: user.id, label: nameOf(user) }))}
        searchable
        openOnFocus={false}
        nothingFoundMessage={t("No matches")}
        required
        withAsterisk={false}
      />
      <NativeSelect name="role" label={t("Role")} data={ROLES} />
      <Problem error={add.error} />
      <div className="row">
        <Button type="submit" loading={add.isPending}>
          {t("Add")}
        </Button>
      </div>
    </form>
  );
}
