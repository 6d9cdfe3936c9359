import type { Me } from "../api.ts";

type Person = Pick<Me, "is_operator" | "projects">;

/** The pages of operators that operators of one project have, too. */
const OF_PROJECTS: ReadonlySet<string> = new Set([
  "/stats",
  "/deliveries",
  "/agents",
  "/audit",
  "/settings/email",
  "/settings/keys",
  "/settings/calendars",
  "/settings/escalation",
  "/settings/hooks",
  "/settings/connections",
  "/settings/events",
  "/settings/projects",
]);

/** Returns whether a person sees a page that is only for operators. The service asks again. */
export function seesPage(me: Person, path: string): boolean {
  return me.is_operator || (OF_PROJECTS.has(path) && isOperatorOf(me));
}

/** Returns whether a person is an operator of a project, or of all. @param slug - undefined: of any project */
export function isOperatorOf({ is_operator, projects }: Person, slug?: string): boolean {
  return (
    is_operator || projects.some(({ project, role }) => role === "operator" && (slug === undefined || project === slug))
  );
}
