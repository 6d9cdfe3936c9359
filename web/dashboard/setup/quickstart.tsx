import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { get } from "../api.ts";
import type { ListedTask } from "../api.ts";
import { sentenceOf } from "../ui/page.tsx";
import { isSample } from "../inbox/sample-keys.ts";
import { NewAgent } from "./new-agent.tsx";
import { Snippet } from "../ui/snippet.tsx";
import { Time } from "../ui/times.tsx";

/**
 * An agent, the call with which it asks, and its newest task. It is the last step of setup, and a part of the settings.
 */
export function Quickstart() {
  const [token, setToken] = useState<string | null>(null);
  return (
    <>
      <section className="surface stack" aria-labelledby="agent">
        <h2 id="agent">{t("1. An agent and its token")}</h2>
        <NewAgent token={token} onToken={setToken} />
      </section>
      <section className="surface stack" aria-labelledby="call">
        <h2 id="call">{t("2. Ask, and wait for the answer")}</h2>
        <p className="muted">
          {token === null
            ? t("The calls read the token of your agent from SERVICE_TOKEN, and wait until you have answered.")
            : t("The calls have the token of your agent, and wait until you have answered.")}
        </p>
        <Snippet token={token} />
        <Arrival />
      </section>
    </>
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
          {rich("Received: {task}, {time}.", {
            task: <bdi>{newest.task}</bdi>,
            time: <Time at={newest.created_at} />,
          })}{" "}
          {newest.completed_at !== null && <>{t("Answered: your agent has it.")} </>}
          <Link to="/tasks/$id" params={{ id: newest.id }} search={{}}>
            {as("verb", "Open")}
          </Link>
        </>
      ) : error !== null ? (
        sentenceOf(error)
      ) : data === undefined ? (
        t("Loading")
      ) : (
        t("Waiting for your first task")
      )}
    </output>
  );
}
