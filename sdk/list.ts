import type { Send } from "./connection.ts";
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
  for (let more = true; more;) {
    const { data, headers } = await send<ListedTask[]>({ method: "GET", path: `/api/tasks?${query}`, signal });
    yield* data;
    const cursor = /[?&]cursor=([^&>]*)[^>]*>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
    more = cursor !== undefined;
    if (cursor !== undefined) query.set("cursor", decodeURIComponent(cursor));
  }
}
