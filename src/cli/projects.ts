import { PROJECT_ROLES } from "../people/memberships.ts";
import type { MembershipRecord, ProjectRecord } from "../projects/schema.ts";
import { recipientsOf } from "./agents.ts";
import { need, oneOf } from "./options.ts";
import { findUser, type OperatorCommand } from "./people.ts";
import { table } from "./table.ts";

export async function listProjects(): Promise<OperatorCommand> {
  return async (calls) =>
    table(
      ["slug", "name", "created", "archived"],
      (await calls.call<ProjectRecord[]>("GET", "/api/projects")).map((project) => [
        project.slug,
        project.name,
        project.created_at,
        project.archived_at,
      ]),
    );
}

/** @throws UsageError */
export async function createProject(given: {
  slug?: string;
  name?: string;
  recipients?: string;
}): Promise<OperatorCommand> {
  const slug = need(given.slug, "--slug");
  const recipients = recipientsOf(given.recipients);
  return async (calls) => {
    await calls.call<ProjectRecord>("POST", "/api/projects", { slug, name: given.name || slug, ...recipients });
    return `Created the project ${slug}.`;
  };
}

export async function setArchived(slug: string, archived: boolean): Promise<OperatorCommand> {
  return async (calls) => {
    await calls.call<ProjectRecord>("PATCH", pathOf(slug), { archived });
    return archived ? `${slug} accepts nothing new. Its open tasks can be answered.` : `${slug} takes new tasks again.`;
  };
}

export async function listMembers(slug: string): Promise<OperatorCommand> {
  return async (calls) =>
    table(
      ["email", "name", "role", "user id"],
      (await calls.call<MembershipRecord[]>("GET", `${pathOf(slug)}/members`)).map((member) => [
        member.email,
        member.display_name,
        member.role,
        member.user_id,
      ]),
    );
}

/** @throws UsageError */
export async function addMember(slug: string, given: { email?: string; role?: string }): Promise<OperatorCommand> {
  const email = need(given.email, "--email");
  const role = oneOf(given.role ?? "member", PROJECT_ROLES, "--role");
  return async (calls) => {
    const { id } = await findUser(calls, email);
    await calls.call<MembershipRecord>("POST", `${pathOf(slug)}/members`, { user_id: id, role });
    return `${email} is ${role === "member" ? "a member" : "an operator"} of ${slug}.`;
  };
}

/** @throws UsageError */
export async function removeMember(slug: string, given: { email?: string }): Promise<OperatorCommand> {
  const email = need(given.email, "--email");
  return async (calls) => {
    const { id } = await findUser(calls, email);
    await calls.call("DELETE", `${pathOf(slug)}/members/${id}`);
    return `${email} is no longer in ${slug}.`;
  };
}

function pathOf(slug: string): string {
  return `/api/projects/${encodeURIComponent(slug)}`;
}
