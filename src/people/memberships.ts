/** What a person is in a project. (beyond: Projects) */
export const PROJECT_ROLES = ["member", "operator"] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** The project of a new service, and of everything without a named project. */
export const DEFAULT_PROJECT = "default";

/** The roles of a person by the slugs of their projects. */
export type Memberships = Readonly<Record<string, ProjectRole>>;

/** The role of a person who left a project. Their open tasks there go to others. */
export const LEFT = "left";

/**
 * @param text - as `membershipsOfUser` selects it. null: a process of the release before has added the person, who is a member
 *   of the default project
 */
export function membershipsIn(text: string | null): Memberships {
  if (text === null) return { [DEFAULT_PROJECT]: "member" };
  const entries = text.split(",").map((entry) => entry.split(":") as [string, ProjectRole | typeof LEFT]);
  const current = entries.filter((entry): entry is [string, ProjectRole] => entry[1] !== LEFT);
  return Object.fromEntries(current.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the role of a person in a project; null if they are not in it. */
export function roleIn(memberships: Memberships, project: string): ProjectRole | null {
  return Object.hasOwn(memberships, project) ? memberships[project]! : null;
}

/** Returns the projects of a person as the wire shows them. */
export function toProjectRoles(memberships: Memberships): { project: string; role: ProjectRole }[] {
  return Object.entries(memberships).map(([project, role]) => ({ project, role }));
}
