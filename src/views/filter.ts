import type { Reader } from "../db/database.ts";
import { invalid, ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";
import type { SessionCaller } from "../people/caller.ts";
import { isInProject } from "../people/caller.ts";
import { requireSeesProject } from "../people/projects.ts";
import { findUser } from "../people/store.ts";
import { isTerminal } from "../tasks/lifecycle.ts";
import type { ListTasksQuery } from "../tasks/schema.ts";
import { SEARCHED_STATES, unknownStateOf } from "../tasks/search-terms.ts";
import type { GivenFilter, ViewFilter } from "./schema.ts";

/** Fields that only lists of closed tasks have. */
const OF_CLOSED = ["decision", "by", "channel", "range"] as const;

/**
 * Checks a filter before it is saved. @returns it without defaults
 * @throws ServiceError VALIDATION_FAILED
 */
export async function readFilter(reader: Reader, caller: SessionCaller, given: GivenFilter): Promise<ViewFilter> {
  const filter = withoutDefaults(given);
  const { scope = "all", q, status } = filter;
  const isClosed = scope === "done";
  const state = q === undefined ? null : unknownStateOf(q);
  if (state !== null)
    throw invalid(
      "/filter/q",
      `\`is:${state}\` is not known. After \`is:\` comes one of ${SEARCHED_STATES.join(", ")}.`,
    );
  if (status !== undefined && isTerminal(status) !== isClosed)
    throw invalid("/filter/status", `${isClosed ? "Closed" : "Open"} tasks never have this status.`);
  if (filter.assignee !== undefined && scope !== "all")
    throw invalid("/filter/assignee", "Is only for the scope `all`.");
  for (const name of OF_CLOSED)
    if (filter[name] !== undefined && !isClosed) throw invalid(`/filter/${name}`, "Is only for the scope `done`.");
  for (const name of ["assignee", "by"] as const) {
    const id = filter[name];
    const isPerson = id !== undefined && !(name === "assignee" && id === "none");
    if (isPerson && !(isId("usr", id) && (await findUser(reader, id))))
      throw invalid(`/filter/${name}`, "There is no such user.");
  }
  if (filter.agent !== undefined && !(await isAgentOf(reader, caller, filter.agent)))
    throw invalid("/filter/agent", "There is no such agent in your projects.");
  if (filter.project !== undefined && !(await seesProject(reader, caller, filter.project)))
    throw invalid("/filter/project", "There is no such project.");
  return filter;
}

function withoutDefaults(given: GivenFilter): ViewFilter {
  const { scope, sort, q, status, assignee, agent, label, priority, decision, by, channel, range, project } = given;
  // Closed tasks have an order of their own.
  const order = scope === "done" || sort === "deadline" ? null : sort;
  const search = q?.trim() === "" ? null : q?.trim();
  const whole = { scope: scope === "all" ? null : scope, sort: order, q: search, status, assignee, agent, label };
  const set = Object.entries({ ...whole, priority, decision, by, channel, range, project });
  return Object.fromEntries(set.filter(([, value]) => value != null));
}

async function isAgentOf(reader: Reader, { user }: SessionCaller, id: string): Promise<boolean> {
  const agent = isId("agt", id)
    ? await reader.query.selectFrom("agents").select("project").where("id", "=", id).executeTakeFirst()
    : undefined;
  return agent !== undefined && isInProject(user, agent.project);
}

/** Returns whether a project exists for a person. */
export async function seesProject(reader: Reader, caller: SessionCaller, slug: string): Promise<boolean> {
  try {
    await requireSeesProject(reader, caller, slug);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "PROJECT_NOT_FOUND") return false;
    throw error;
  }
}

/** Returns the query of the open tasks that a view shows. @param project - the one that is looked at, if the view names none */
export function queryOf({ id }: { id: string }, filter: ViewFilter, project: string | undefined): ListTasksQuery {
  const { scope = "all", q, status, assignee, agent, label, priority } = filter;
  const slug = filter.project ?? project;
  const isUnassigned = scope === "unclaimed" || assignee === "none";
  const assigned_to = scope === "mine" ? id : isUnassigned ? undefined : assignee;
  return {
    terminal: false,
    ...(isUnassigned && { unassigned: true }),
    ...(assigned_to !== undefined && { assigned_to }),
    ...(q !== undefined && { q }),
    ...(status !== undefined && { status: [status] }),
    ...(agent !== undefined && { agent }),
    ...(label !== undefined && { label: [label] }),
    ...(priority !== undefined && { priority }),
    ...(slug !== undefined && { project: slug }),
  };
}
