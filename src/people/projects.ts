import { readStatement, type Reader } from "../db/database.ts";
import type { ProjectRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { isInProject, isOperator, isOperatorOf, operatedBy, type Caller } from "./caller.ts";
import { DEFAULT_PROJECT } from "./memberships.ts";

/** How the hint begins that a project was changed. */
export const PROJECT_HINT = "project:";

export function isSlug(text: string): boolean {
  return /^[a-z0-9-]{1,64}$/.test(text);
}

const selectProject = readStatement<{ slug: string }, ProjectRow>((query, param) =>
  query.selectFrom("projects").selectAll().where("slug", "=", param("slug")),
);

/** Rejects malformed slugs before any query. */
export async function findProject(reader: Reader, slug: string): Promise<ProjectRow | null> {
  if (!isSlug(slug)) return null;
  const [row] = await reader.run(selectProject, { slug });
  return row ?? null;
}

/** Rejects projects that do not exist for the caller. @throws ServiceError PROJECT_NOT_FOUND */
export async function requireSeesProject(reader: Reader, caller: Caller, slug: string): Promise<void> {
  if (!isKnownTo(caller, slug) || (await findProject(reader, slug)) === null)
    throw new ServiceError("PROJECT_NOT_FOUND");
}

function isKnownTo(caller: Caller, slug: string): boolean {
  switch (caller.kind) {
    case "admin":
      return true;
    case "agent":
    case "service_key":
      return caller.project === slug;
    case "user":
      return isInProject(caller.user, slug);
    case "recipient":
    case "personal_token":
      return false;
  }
}

/**
 * Returns the projects that an operator looks at: the one that is asked for, or all of theirs.
 * @returns null: all of the service
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND
 */
export async function projectsOf(
  reader: Reader,
  caller: Caller,
  asked: string | null | undefined,
): Promise<readonly string[] | null> {
  const own = isOperator(caller) ? null : operatedBy(caller);
  if (own?.length === 0) throw new ServiceError("FORBIDDEN");
  if (asked == null) return own;
  await requireSeesProject(reader, caller, asked);
  if (!isOperatorOf(caller, asked)) throw new ServiceError("FORBIDDEN");
  return [asked];
}

/**
 * Returns the project of something new: the one that is named, else the default project, else the only one where the caller is an
 * operator.
 *
 * @throws ServiceError VALIDATION_FAILED, PROJECT_ARCHIVED, FORBIDDEN
 */
export async function projectForNew(reader: Reader, caller: Caller, asked: string | null | undefined): Promise<string> {
  if (caller.kind === "agent") {
    if (asked != null && asked !== caller.project) throw invalid("/project", "Is not the project of this agent.");
    if (caller.is_archived) throw new ServiceError("PROJECT_ARCHIVED");
    return caller.project;
  }
  const slug = asked ?? ownProject(caller, "/project");
  if (isOperatorOf(caller, slug)) return requireOpen(reader, slug);
  // Others must not learn that the project exists.
  if (caller.kind === "user" && isInProject(caller.user, slug)) throw new ServiceError("FORBIDDEN");
  throw noSuchProject();
}

/**
 * Returns the project that an operator means without naming one: the default project, or the only one of theirs.
 * @param path - where a request can name one
 * @throws ServiceError FORBIDDEN, VALIDATION_FAILED
 */
function ownProject(caller: Caller, path: string): string {
  if (isOperatorOf(caller, DEFAULT_PROJECT)) return DEFAULT_PROJECT;
  const [only, ...others] = operatedBy(caller);
  if (only === undefined) throw new ServiceError("FORBIDDEN");
  if (others.length > 0) throw invalid(path, "Must name one of your projects.", "required");
  return only;
}

/** The default project is always open. */
async function requireOpen(reader: Reader, slug: string): Promise<string> {
  if (slug === DEFAULT_PROJECT) return slug;
  const project = await findProject(reader, slug);
  if (project === null) throw noSuchProject();
  if (project.archived_at !== null) throw new ServiceError("PROJECT_ARCHIVED");
  return slug;
}

function noSuchProject(): ServiceError {
  return invalid("/project", "There is no such project.");
}

/**
 * Returns the project whose settings an operator means.
 * @param asked - `?project=`
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export async function projectOfOperator(reader: Reader, caller: Caller, asked: string | undefined): Promise<string> {
  if (asked === undefined) return ownProject(caller, "/query/project");
  await projectsOf(reader, caller, asked);
  return asked;
}

/**
 * The same for reading, which agents that ask may do in their project: they create the tasks that name what is there.
 * @throws ServiceError FORBIDDEN, AGENT_SCOPE_MISSING, PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export async function projectOfAsker(reader: Reader, caller: Caller, asked: string | undefined): Promise<string> {
  if (caller.kind !== "agent") return projectOfOperator(reader, caller, asked);
  if (asked !== undefined) await requireSeesProject(reader, caller, asked);
  if (!caller.scopes.includes("ask")) throw new ServiceError("AGENT_SCOPE_MISSING");
  return caller.project;
}
