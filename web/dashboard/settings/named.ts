import { t } from "../../../languages/text.ts";
import { FieldError } from "./field-error.ts";
import { textOf } from "./form.tsx";

/** What a project has by a name, such as a calendar. */
interface Named {
  name: string;
  /** "": the project that the service chooses. */
  project: string;
}

/** Returns the address of what a project has by a name. @param path - of all of its kind */
export function pathOf(path: string, { name, project }: Named): string {
  const query = project === "" ? "" : `?${new URLSearchParams({ project })}`;
  return `${path}/${encodeURIComponent(name)}${query}`;
}

/** Returns the entered name of something new. @throws FieldError */
export function readNew(form: HTMLFormElement, project: string): Named {
  const name = textOf(form, "/params/name").trim();
  if (!/^[a-z0-9_-]{1,64}$/.test(name))
    throw new FieldError("/params/name", t("Enter 1 to 64 of a to z, 0 to 9, hyphens and underscores."));
  return { name, project };
}

const TAKEN = {
  calendar: t("A calendar with this name exists. Edit that calendar."),
  template: t("A template with this name exists. Edit that template."),
} as const;

/** Rejects a name that is taken. The service would replace what has it. @throws FieldError */
export function requireNew({ name, project }: Named, known: readonly Named[], kind: keyof typeof TAKEN): void {
  if (known.some((other) => other.name === name && (project === "" || other.project === project)))
    throw new FieldError("/params/name", TAKEN[kind]);
}
