import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { t } from "../../../languages/text.ts";
import type { Task } from "../api.ts";
import { kindsQuery } from "../connections/queries.ts";
import { engineName } from "../connections/words.ts";
import { taskQuery } from "../queries.ts";
import { IconAlertTriangle, IconPoint } from "../ui/icons.tsx";
import { readFailure } from "./notifications.ts";
import { hasFailed, statusWords, type Entry } from "./resuming.ts";

/** Attempts change nothing of the task, so no event says that one has ended. */
const LOOK_MS = 5_000;

/** What waits for a task, for those who see its callback. */
export function Resumed({ task: { id, resume } }: { task: Task }) {
  const { data: kinds } = useQuery(kindsQuery);
  const isPending = resume?.some(({ status }) => status === "pending");
  useQuery({ ...taskQuery(id), refetchInterval: isPending === true ? LOOK_MS : false });
  if (resume === undefined || resume.length === 0) return null;
  return (
    <section aria-labelledby="resumed">
      <h2 id="resumed">{t("What it resumes")}</h2>
      <ol className="trail">
        {resume.map((entry, i) => {
          const failed = hasFailed(entry);
          const Icon = failed ? IconAlertTriangle : IconPoint;
          return (
            // oxlint-disable-next-line react/no-array-index-key -- they have no ids, and their order never changes
            <li key={i} className={failed ? "warn" : undefined}>
              <Icon size={16} stroke={1.75} aria-hidden />
              <div>
                <p>
                  <strong>{statusWords(entry)}:</strong> {engineName(kinds, entry.kind)}
                  {entry.connection !== undefined && (
                    <>
                      , <bdi>{entry.connection}</bdi>
                    </>
                  )}
                </p>
                {entry.error !== null && !wasResumed(entry) && (
                  <p className="muted" dir="auto">
                    {readFailure(entry.error).sentence}
                  </p>
                )}
              </div>
              {entry.status !== "waiting" && entry.delivery_id !== null && (
                <Link to="/deliveries" search={{ id: entry.delivery_id }}>
                  {t("Delivery")}
                </Link>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** An error of an earlier attempt says nothing then. */
function wasResumed({ status }: Entry): boolean {
  return status === "done" || status === "done_already";
}
