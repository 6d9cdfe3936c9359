import { t } from "../../../languages/text.ts";
import { useSeveralProjects } from "./queries.ts";

/** Returns the name of a project, to be shown; null if there is only one. */
export function useProjectName(slug: string | null): string | null {
  const projects = useSeveralProjects();
  return projects === null || slug === null ? null : (projects.find((known) => known.slug === slug)?.name ?? slug);
}

/** Returns the name of an agent, with its project if there are several. Agents of different projects can have the same name. */
export function useAgentName({ name, project: slug }: { name: string; project: string }): string {
  const project = useProjectName(slug);
  return project === null ? name : t("{name} of {project}", { name, project });
}

/** The name of the project of a thing in a list. Nothing if there is only one. */
export function ProjectLine({ slug }: { slug: string | null }) {
  const name = useProjectName(slug);
  return name === null ? null : <p className="muted">{t("Project: {name}", { name })}</p>;
}
