import { t } from "../../../languages/text.ts";
import type { Task } from "../api.ts";
import { Source } from "../ui/source.tsx";

/** The task as an agent gets it, and the call that returns it. */
export function Raw({ task }: { task: Task }) {
  const { response, ...request } = task;
  const curl = `curl -s ${location.origin}/api/tasks/${task.id} \\\n  -H "Authorization: Bearer $SERVICE_ADMIN_API_TOKEN"`;
  return (
    <div className="task-sections">
      <Source title={t("Fetch it")} text={curl} />
      <Source title={t("Response")} text={JSON.stringify(response, null, 2)} />
      <Source title={t("Task")} text={JSON.stringify(request, null, 2)} />
    </div>
  );
}
