import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { get } from "../api.ts";
import type { ListedTask } from "../api.ts";
import { sentenceOf } from "../ui/page.tsx";
import { isSample } from "../inbox/sample-task.ts";
import { Snippet } from "../ui/snippet.tsx";
import { Time } from "../ui/times.tsx";

/**
 * The call that creates a task, and the newest task of an agent. It is the last step of setup, and a part of the
 * settings.
 */
export function Quickstart() {
  return (
    <section className="surface stack" aria-label="Quickstart">
      <p>
        An agent creates a task with one call. <code>SERVICE_TOKEN</code> is the token of an agent. The command{" "}
        <code>service agents create --name my-agent</code> prints a new one.
      </p>
      <Snippet />
      <Arrival />
    </section>
  );
}

const LOOK_EVERY_MS = 1_000;
/** More than one task, because samples are skipped. */
const LOOK_AT = 5;

/**
 * Shows the newest task of an agent. The task may be older than this page, because people may run the snippet first.
 * Samples are not tasks of an agent.
 */
function Arrival() {
  const { data, error } = useQuery({
    queryKey: ["tasks", "arrivals"],
    queryFn: async (): Promise<{ newest: ListedTask | null }> => {
      const tasks = await get<ListedTask[]>(`/api/tasks?limit=${LOOK_AT}`);
      return { newest: tasks.find((task) => !isSample(task)) ?? null };
    },
    gcTime: 0,
    refetchInterval: LOOK_EVERY_MS,
  });
  const newest = data?.newest ?? null;
  return (
    <output className={`notice ${newest === null ? "info" : "ok"}`}>
      {newest !== null ? (
        <>
          Received: <bdi>{newest.task}</bdi>, <Time at={newest.created_at} />.{" "}
          <Link to="/tasks/$id" params={{ id: newest.id }} search={{}}>
            Open
          </Link>
        </>
      ) : error !== null ? (
        sentenceOf(error)
      ) : data === undefined ? (
        "Loading"
      ) : (
        "Waiting for your first task"
      )}
    </output>
  );
}
