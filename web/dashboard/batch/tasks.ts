import { ApiError, get, request } from "../api.ts";
import type { ListedTask, Me, Task } from "../api.ts";
import { inProject, listParameters } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { withoutEdits } from "./action.ts";
import { inParallel, PARALLEL } from "./parallel.ts";

/** The fields of a task that deciding it with others needs. None of them ever changes. */
export type BatchTask = Pick<
  Task,
  | "id"
  | "task"
  | "payload"
  | "payload_schema"
  | "response_schema"
  | "form_definition"
  | "redact_payload"
  | "is_verified"
  | "verification_attempt"
  | "version"
> & {
  /** Where several people approve: the round that the payload is about. */
  readonly approvals: { readonly round: number } | null;
  readonly action: NamedAction | null;
  readonly actions: readonly NamedAction[] | null;
};

type NamedAction = Pick<NonNullable<Task["action"]>, "name" | "risk">;

/** Fewer tasks than this are read one by one. */
const FEW = 10;
/** Pages that are read of the list. Tasks that are not in these are read one by one. */
const PAGES_MAX = 5;

/**
 * Returns the tasks with their documents, in the given order. Tasks that were deleted are left out.
 * @param given - an id may be repeated
 */
export async function loadTasks(given: readonly string[], list: Scope, me: Me): Promise<BatchTask[]> {
  const ids = [...new Set(given)];
  const found = new Map<string, BatchTask>();
  if (ids.length >= FEW) await loadFromList(new Set(ids), found, list, me);
  const missing = ids.filter((id) => !found.has(id));
  await inParallel(missing, PARALLEL, async (id) => {
    const task = await get<Task>(`/api/tasks/${encodeURIComponent(id)}`).catch(nullIfGone);
    if (task !== null) found.set(id, withoutEdits(task));
  });
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function loadFromList(
  wanted: ReadonlySet<string>,
  found: Map<string, BatchTask>,
  list: Scope,
  me: Me,
): Promise<void> {
  let path: string | null = `/api/tasks?view=full&include=schemas&limit=200&${listParameters(list, me)}`;
  for (let page = 0; page < PAGES_MAX && path !== null && found.size < wanted.size; page++) {
    const { data, next }: { data: ListedTask[]; next: string | null } = await request("GET", inProject(path));
    // A list has the arguments as the agent asked for them. Where several people approve, one may have changed them.
    for (const task of data)
      if (wanted.has(task.id) && task.approvals === null)
        found.set(task.id, withoutEdits(task as ListedTask & BatchTask & { approvals: null }));
    path = next;
  }
}

/** Returns null for a task that was deleted, or that this person may no longer see. @throws any other error */
function nullIfGone(error: unknown): null {
  if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return null;
  throw error;
}
