import { plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { ListedTask, Task } from "../api.ts";
import { IconAlertTriangle } from "../ui/icons.tsx";
import { summaryOf, wisherOf } from "./asked.ts";

/** Says in the header of a task what the agent wants to run, and on whose behalf. */
export function ActionLine({ task }: { task: Task }) {
  const { action, actions } = task;
  const { name, email, id } = task.on_behalf_of ?? {};
  const person = name ?? email ?? id;
  const subject = action === null ? plural(actions?.length ?? 0, "{n} action", "{n} actions") : action.name;
  return (
    <>
      <p className="row" dir="auto">
        <span>
          {rich(
            person === undefined
              ? isOver(task)
                ? "{agent} wanted to run {actions}"
                : "{agent} wants to run {actions}"
              : isOver(task)
                ? "{agent} wanted to run {actions}, on behalf of {person} (according to the agent)"
                : "{agent} wants to run {actions}, on behalf of {person} (according to the agent)",
            { agent: <bdi>{wisherOf(task)}</bdi>, actions: <strong>{subject}</strong>, person },
          )}
        </span>
        {summaryOf(task)?.isHigh === true && <RiskChip />}
      </p>
      {action?.description != null && (
        <p className="muted task-rest" dir="auto">
          {action.description}
        </p>
      )}
    </>
  );
}

function isOver({ completed_at, cancelled_at, timed_out_at }: Task): boolean {
  return (completed_at ?? cancelled_at ?? timed_out_at) !== null;
}

/** The action of a row in the list. */
export function ActionTag({ task }: { task: ListedTask }) {
  const summary = summaryOf(task);
  if (summary === null) return null;
  const have = task.approvals?.have;
  return (
    <span className="task-meta">
      <span className="who">
        <span className="unseen">{t("Action:")} </span>
        <code>{summary.name}</code>
        {have != null && ` · ${t("{have} of {need} approved", { have, need: task.approvals!.need })}`}
      </span>
      {summary.isHigh && <RiskChip />}
    </span>
  );
}

export function RiskChip() {
  return (
    <span className="chip bad">
      <IconAlertTriangle size={12} stroke={2} aria-hidden />
      {t("High risk")}
    </span>
  );
}
