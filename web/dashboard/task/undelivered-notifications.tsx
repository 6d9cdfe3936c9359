import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { Task } from "../api.ts";
import { undelivered } from "./notifications.ts";
import { auditQuery } from "../queries.ts";

/** Failures that the email settings can fix. */
const OF_MAIL: ReadonlySet<string> = new Set(["no_identity", "sealed"]);

/** Failures that the Slack settings can fix. */
const OF_SLACK: ReadonlySet<string> = new Set([
  "no_team",
  "not_set_up",
  "invalid_auth",
  "token_revoked",
  "account_inactive",
  "missing_scope",
  "sealed",
]);

/** The activity shows all failures. */
const SHOWN = 3;

/** Shows who was not notified, and why. For operators. */
export function UndeliveredNotifications({ task, showActivity }: { task: Task; showActivity: () => void }) {
  // Only operators see `notify` and may read the audit trail. No one is notified of a task without `notify` and assignee.
  const isAssigned = task.assigned_to_user_id !== null || task.assigned_to_email !== null;
  const enabled = task.notify !== undefined && ((task.notify ?? []).length > 0 || isAssigned);
  const { data: trail } = useQuery({ ...auditQuery(task.id), enabled });
  const failed = undelivered(trail ?? []);
  if (failed.length === 0) return null;
  const isAmong = (words: ReadonlySet<string>, isOfMail: boolean): boolean =>
    failed.some(({ isMail, failure }) => isMail === isOfMail && words.has(failure?.word ?? ""));
  return (
    <section className="notice warn stack" aria-label={t("Failed notifications")}>
      {failed.slice(0, SHOWN).map(({ to, failure }) => (
        <p key={to}>
          {rich("Couldn't notify {person}: {reason}", {
            person: (
              <strong>
                <bdi>{to}</bdi>
              </strong>
            ),
            reason: <bdi>{failure?.sentence}</bdi>,
          })}
        </p>
      ))}
      {failed.length > SHOWN && <p>{plural(failed.length - SHOWN, "and {n} more", "and {n} more")}</p>}
      <p className="row">
        <button type="button" className="link-button" onClick={showActivity}>
          {t("Show the activity")}
        </button>
        {isAmong(OF_MAIL, true) && (
          <Link to="/settings/{-$part}" params={{ part: "email" }} className="link-button">
            {t("Email settings")}
          </Link>
        )}
        {isAmong(OF_SLACK, false) && (
          <Link to="/settings/{-$part}" params={{ part: "slack" }} className="link-button">
            {t("Slack settings")}
          </Link>
        )}
      </p>
    </section>
  );
}
