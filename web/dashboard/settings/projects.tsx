import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { patch, post } from "../api.ts";
import { isOperatorOf } from "../projects/access.ts";
import { projectsQuery, refreshProjects, type Project } from "../projects/queries.ts";
import { meQuery } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { Members } from "./project-members.tsx";
import { ProjectRecipients } from "./project-recipients.tsx";
import { Rename } from "./rename.tsx";
import "../operate.css";

/** The open dialog. */
interface Asked {
  readonly kind: "rename" | "recipients" | "archive";
  readonly project: Project;
}

/** The projects, and their people. (beyond: Projects) */
export function Projects() {
  const query = useQuery(projectsQuery);
  const { data: me } = useQuery(meQuery);
  const { asked, ask, close } = useDialog<Asked>();
  const [shown, setShown] = useState<string | null>(null);
  if (query.isPending || me === undefined) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load the projects")} error={query.error} retry={() => void query.refetch()} />
    );
  const projects = query.data.filter(({ slug }) => isOperatorOf(me, slug));
  const people = projects.find(({ slug }) => slug === shown);
  return (
    <>
      {me.is_operator && <Create />}
      <section className="surface stack" aria-labelledby="projects">
        <h2 id="projects">{t("Projects")}</h2>
        <ProjectTable projects={projects} isForAll={me.is_operator} onAsk={ask} onPeople={setShown} />
      </section>
      {people !== undefined && <Members key={people.slug} project={people} me={me} />}
      {asked?.kind === "rename" && (
        <Rename
          name={asked.project.name}
          maxLength={200}
          rename={(name) => change(asked.project, { name })}
          onClose={close}
        />
      )}
      {asked?.kind === "recipients" && (
        <ProjectRecipients
          project={asked.project}
          save={async (recipients) => {
            await change(asked.project, { recipients });
            toast({ message: t("Saved") });
          }}
          onClose={close}
        />
      )}
      {asked?.kind === "archive" && <Archive project={asked.project} onClose={close} />}
    </>
  );
}

function Create() {
  const create = useMutation({
    mutationFn: ({ slug, name }: { slug: string; name: string }) => post<Project>("/api/projects", { slug, name }),
    onSuccess: async ({ name }) => {
      toast({ message: t("{project} created", { project: name }) });
      await refreshProjects();
    },
  });
  return (
    <form
      className="surface stack"
      aria-labelledby="create"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const fields = { slug: textOf(form, "slug"), name: textOf(form, "name") };
        create.mutate(fields, { onSuccess: () => form.reset() });
      }}
    >
      <h2 id="create">{t("Create a project")}</h2>
      <p className="muted">{t("A project keeps the tasks of one group of people apart from those of others.")}</p>
      <TextInput
        name="name"
        label={t("Name")}
        autoComplete="off"
        maxLength={200}
        required
        withAsterisk={false}
        error={problemAt(create.error, "/name")}
      />
      <TextInput
        name="slug"
        label={t("Slug")}
        description={t("Such as refunds. Programs name the project by it. It never changes.")}
        autoComplete="off"
        maxLength={64}
        required
        withAsterisk={false}
        error={problemAt(create.error, "/slug")}
      />
      <Problem error={create.error} fields={["/name", "/slug"]} />
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          {t("Create project")}
        </Button>
      </div>
    </form>
  );
}

interface ProjectTableProps {
  projects: readonly Project[];
  /** Only operators of all archive a project, and limit whom its agents may ask. */
  isForAll: boolean;
  onAsk: (asked: Asked) => void;
  onPeople: (slug: string) => void;
}

function ProjectTable({ projects, isForAll, onAsk, onPeople }: ProjectTableProps) {
  return (
    <table className="data as-cards" aria-label={t("Projects")}>
      <thead>
        <tr>
          <th scope="col">{t("Name")}</th>
          <th scope="col">{t("Slug")}</th>
          <th scope="col">
            <span className="unseen">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {projects.map((project) => (
          <tr key={project.slug}>
            <th scope="row">
              <bdi>{project.name}</bdi>{" "}
              {project.archived_at !== null && <span className="chip mute">{t("Archived")}</span>}
            </th>
            <td data-label={t("Slug")}>
              <code>{project.slug}</code>
            </td>
            <td>
              <div className="row end">
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t("People of {project}", { project: project.name })}
                  onClick={() => onPeople(project.slug)}
                >
                  {t("People")}
                </Button>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t("Rename {name}", { name: project.name })}
                  onClick={() => onAsk({ kind: "rename", project })}
                >
                  {t("Rename")}
                </Button>
                {isForAll && (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={t("Recipients of {project}", { project: project.name })}
                    onClick={() => onAsk({ kind: "recipients", project })}
                  >
                    {t("Recipients")}
                  </Button>
                )}
                {isForAll && project.slug !== "default" && (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={
                      project.archived_at === null
                        ? t("Archive {project}", { project: project.name })
                        : t("Bring back {project}", { project: project.name })
                    }
                    onClick={() => onAsk({ kind: "archive", project })}
                  >
                    {archiveWord(project)}
                  </Button>
                )}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function archiveWord({ archived_at }: Project): string {
  return archived_at === null ? as("verb", "Archive") : t("Bring back");
}

async function change(
  { slug }: Project,
  fields: { name?: string; archived?: boolean; recipients?: Project["recipients"] },
): Promise<void> {
  await patch(`/api/projects/${slug}`, fields);
  await refreshProjects();
}

function Archive({ project, onClose }: { project: Project; onClose: () => void }) {
  const { name, archived_at } = project;
  const archived = archived_at === null;
  return (
    <Confirm
      title={archived ? t("Archive {project}?", { project: name }) : t("Bring {project} back?", { project: name })}
      action={archiveWord(project)}
      tone={archived ? "bad" : "accent"}
      onConfirm={async () => {
        await change(project, { archived });
        toast({
          message: archived ? t("{project} archived", { project: name }) : t("{project} is back", { project: name }),
        });
      }}
      onClose={onClose}
    >
      {archived
        ? t("It takes no new tasks, agents or keys. People can still answer its open tasks. You can bring it back.")
        : t("It takes new tasks, agents and keys again.")}
    </Confirm>
  );
}
