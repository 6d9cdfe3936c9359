import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { meQuery } from "../queries.ts";
import { readPreferences } from "../ui/preferences.ts";
import { isOperatorOf } from "./access.ts";
import { projectsQuery, type Project } from "./queries.ts";

const DEFAULT = "default";

type Choice = { value: string; label: string };

/** Returns the projects of an operator, as choices. */
function useProjects(isShown: (project: Project) => boolean): readonly Choice[] {
  const { data: me } = useQuery(meQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const own = projects.filter((project) => isShown(project) && me !== undefined && isOperatorOf(me, project.slug));
  return own.map(({ slug, name }) => ({ value: slug, label: name }));
}

function useOpenProjects(): readonly Choice[] {
  return useProjects(({ archived_at }) => archived_at === null);
}

/** Returns the open projects of an operator, as choices; none if there is nothing to choose. */
function useChoices(): readonly Choice[] {
  const open = useOpenProjects();
  return open.length < 2 ? [] : open;
}

/** Returns all projects of an operator, and the one to begin with; null while they are loaded. */
export function useOperated(): { choices: readonly Choice[]; start: string | null } {
  const choices = useProjects(() => true);
  return { choices, start: choices.length === 0 ? null : startOf(choices) };
}

/** Returns the project that is looked at, or else the default one. */
function startOf(choices: readonly Choice[]): string {
  const wanted = [readPreferences().project, DEFAULT].find((slug) => choices.some(({ value }) => value === slug));
  return wanted ?? choices[0]!.value;
}

/** Returns the project that something new begins with; null while the projects are loaded. */
export function useNewProject(): string | null {
  const open = useOpenProjects();
  return open.length === 0 ? null : startOf(open);
}

/** The project of something new. */
export function ProjectField({ name = "project", error }: { name?: string; error?: string | undefined }) {
  const choices = useChoices();
  if (choices.length === 0) return null;
  return (
    <NativeSelect
      name={name}
      label={t("Project")}
      description={t("You can't change it later.")}
      data={choices}
      defaultValue={startOf(choices)}
      error={error}
    />
  );
}

/** The projects that a new person joins. */
export function ProjectChoices({ error }: { error: string | undefined }) {
  const choices = useChoices();
  if (choices.length === 0) return null;
  return (
    <Checkbox.Group label={t("Projects")} defaultValue={[startOf(choices)]} error={error}>
      <div className="stack">
        {choices.map(({ value, label }) => (
          <Checkbox key={value} name="projects" value={value} label={label} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
