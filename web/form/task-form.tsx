import { useMemo } from "react";
import { readForm } from "../../form/plan/plan.ts";
import type { TaskFormProps } from "../../form/plan/task-form.ts";
import { AnswerForm } from "./answer-form.tsx";
import type { AnswerFormProps } from "./answer-form.tsx";
import { useTextRules } from "./text-rules.ts";

/** The form of a task, as dashboards, embedded pages and email pages show it beside the payload. */
export function TaskForm(props: TaskFormProps & Pick<AnswerFormProps, "onEdit" | "onAnswer" | "Changes" | "Fields">) {
  const { task, channel, time_zone, now, sent_back } = props;
  const { response_schema, form_definition, payload } = task;
  const texts = useTextRules(response_schema);
  const form = useMemo(
    () => readForm({ response_schema, form_definition, payload, channel, time_zone, now: new Date(now), texts }),
    [response_schema, form_definition, payload, channel, time_zone, now, texts],
  );
  return (
    <AnswerForm
      // Entries for one task must never appear in another.
      key={task.task_id}
      {...props}
      form={form}
      sentBack={sent_back}
      isVerified={task.is_verified}
    />
  );
}
