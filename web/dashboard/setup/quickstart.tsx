import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { get } from "../api.ts";
import type { ListedTask } from "../api.ts";
import { sentenceOf } from "../ui/page.tsx";
import { queryClient } from "../queries.ts";
import { isSample } from "../inbox/sample-task.ts";
import { Snippet } from "../ui/snippet.tsx";

/** The call that makes a task, and the moment one arrives: the last step of set-up, and later in the settings. */
export function Quickstart() {
  return (
    <section className="surface stack" aria-label="Quickstart">
      <p>
        An agent asks with one call. <code>SERVICE_ADMIN_API_TOKEN</code> is the token that you set, or that the service
        made at its first start: it stands in <code>secrets.json</code>, in its data directory.
      </p>
      <Snippet />
      <Arrival />
    </section>
  );
}

interface Arrivals {
  /** Id of the newest task there was; "": there was none. */
  readonly before: string;
  /** The first that came since. */
  readonly task: ListedTask | null;
}

const LOOK_EVERY_MS = 1_000;

/** Says when an agent's task arrives that was not there before. Samples are no agent's. */
function Arrival() {
  const queryKey = ["tasks", "arrivals", useId()];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async (): Promise<Arrivals> => {
      const tasks = (await get<ListedTask[]>("/api/tasks?limit=5")).filter((task) => !isSample(task));
      const before = queryClient.getQueryData<Arrivals>(queryKey)?.before;
      if (before === undefined) return { before: tasks[0]?.id ?? "", task: null };
      // Ids are in the order of time.
      return { before, task: tasks.findLast(({ id }) => id > before) ?? null };
    },
    gcTime: 0,
    refetchInterval: (query) => (query.state.data?.task ? false : LOOK_EVERY_MS),
  });
  return (
    <output className={`notice ${data?.task ? "ok" : "info"}`}>
      {data?.task ? (
        <>
          Received: <bdi>{data.task.task}</bdi>{" "}
          <Link to="/tasks/$id" params={{ id: data.task.id }} search={{}}>
            Open
          </Link>
        </>
      ) : error !== null ? (
        sentenceOf(error)
      ) : data === undefined ? (
        "Loading"
      ) : (
        `Waiting for your ${data.before === "" ? "first" : "next"} task`
      )}
    </output>
  );
}
