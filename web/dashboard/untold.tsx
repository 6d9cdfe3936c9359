import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "./api.ts";
import { untold } from "./notifications.ts";
import { auditQuery } from "./queries.ts";

/** What is put right in the settings. */
const IS_OF_SETTINGS: ReadonlySet<string> = new Set(["no_identity", "sealed"]);

/** The activity has all of them. */
const SHOWN = 3;

/** Whom the task's messages did not reach; nothing where they did. For operators. */
export function Untold({ task, showActivity }: { task: Task; showActivity: () => void }) {
  // The trail is for operators, who alone are given `notify`; of a task that names nobody, nobody is told.
  const enabled = (task.notify ?? []).length > 0;
  const { data: trail } = useQuery({ ...auditQuery(task.id), enabled });
  const failed = untold(trail ?? []);
  if (failed.length === 0) return null;
  return (
    <section className="notice warn stack" aria-label="Who was not told">
      {failed.slice(0, SHOWN).map(({ to, failure }) => (
        <p key={to}>
          <strong>
            <bdi>{to}</bdi>
          </strong>{" "}
          was not told: <bdi>{failure?.sentence}</bdi>
        </p>
      ))}
      {failed.length > SHOWN && <p>Nor were {failed.length - SHOWN} more.</p>}
      <p className="row">
        <button type="button" className="link-button" onClick={showActivity}>
          Show the activity
        </button>
        {failed.some(({ failure }) => IS_OF_SETTINGS.has(failure?.word ?? "")) && (
          <Link to="/settings/{-$part}" params={{ part: "email" }} className="link-button">
            Mail settings
          </Link>
        )}
      </p>
    </section>
  );
}
