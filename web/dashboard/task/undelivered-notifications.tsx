import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "../api.ts";
import { undelivered } from "./notifications.ts";
import { auditQuery } from "../queries.ts";

/** What is put right in the settings of mail. */
const OF_MAIL: ReadonlySet<string> = new Set(["no_identity", "sealed"]);

/** What is put right in the settings of Slack. */
const OF_SLACK: ReadonlySet<string> = new Set([
  "no_team",
  "not_set_up",
  "invalid_auth",
  "token_revoked",
  "account_inactive",
  "missing_scope",
  "sealed",
]);

/** The activity has all of them. */
const SHOWN = 3;

/** Whom the task's messages did not reach; nothing where they did. For operators. */
export function UndeliveredNotifications({ task, showActivity }: { task: Task; showActivity: () => void }) {
  // The trail is for operators, who alone are given `notify`; of a task that names nobody, nobody is told.
  const enabled = (task.notify ?? []).length > 0;
  const { data: trail } = useQuery({ ...auditQuery(task.id), enabled });
  const failed = undelivered(trail ?? []);
  if (failed.length === 0) return null;
  const isAmong = (words: ReadonlySet<string>, isOfMail: boolean): boolean =>
    failed.some(({ isMail, failure }) => isMail === isOfMail && words.has(failure?.word ?? ""));
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
        {isAmong(OF_MAIL, true) && (
          <Link to="/settings/{-$part}" params={{ part: "email" }} className="link-button">
            Mail settings
          </Link>
        )}
        {isAmong(OF_SLACK, false) && (
          <Link to="/settings/{-$part}" params={{ part: "slack" }} className="link-button">
            Slack settings
          </Link>
        )}
      </p>
    </section>
  );
}
