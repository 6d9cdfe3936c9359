import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../queries.ts";
import { readPreferences } from "../ui/preferences.ts";
import { isOperatorOf } from "./access.ts";
import { projectsQuery } from "./queries.ts";

const DEFAULT = "default";

/** Returns the open projects of an operator, as choices; none if there is nothing to choose. */
function useChoices(): readonly { value: string; label: string }[] {
  const { data: me } = useQuery(meQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const open = projects.filter(
    ({ slug, archived_at }) => archived_at === null && me !== undefined && isOperatorOf(me, slug),
  );
  return open.length < 2 ? [] : open.map(({ slug, name }) => ({ value: slug, label: name }));
}

/** Returns the project that is looked at, or else the default one. */
function startOf(choices: ReturnType<typeof useChoices>): string {
  const wanted = [readPreferences().project, DEFAULT].find((slug) => choices.some(({ value }) => value === slug));
  return wanted ?? choices[0]!.value;
}

/** The project of something new. */
export function ProjectField({ name = "project", error }: { name?: string; error?: string | undefined }) {
  const choices = useChoices();
  if (choices.length === 0) return null;
  return (
    <NativeSelect
      name={name}
      label="Project"
      description="You can't change it later."
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
    <Checkbox.Group label="Projects" defaultValue={[startOf(choices)]} error={error}>
      <div className="stack">
        {choices.map(({ value, label }) => (
          <Checkbox key={value} name="projects" value={value} label={label} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
