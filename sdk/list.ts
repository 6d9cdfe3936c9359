import type { Reply, Send } from "./connection.ts";
import type { ListedTask, ListQuery, TaskRecord } from "./shapes.ts";

export interface ListFilter extends Omit<ListQuery, "status" | "cursor" | "offset" | "view"> {
  status?: TaskRecord["status"] | readonly TaskRecord["status"][];
}

/** Yields tasks. It loads each page when it is needed. */
export async function* listTasks(
  send: Send,
  filter: ListFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<ListedTask, void, undefined> {
  const { status = [], ...rest } = filter;
  const query = new URLSearchParams();
  for (const one of [status].flat()) query.append("status", one);
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
  yield* listPages(send, `/api/tasks?${query}`, signal);
}

/** Yields the rows of a list. It loads each page when it is needed. @param first - path of the first page */
export async function* listPages<T>(
  send: Send,
  first: string,
  signal: AbortSignal | undefined,
  taskId?: string,
): AsyncGenerator<T, void, undefined> {
  for (let path: string | undefined = first; path;) {
    const page: Reply<T[]> = await send({ method: "GET", path, signal, taskId });
    yield* page.data;
    path = /(\/api\/[^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
  }
}
