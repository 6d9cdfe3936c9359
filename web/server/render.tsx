import { renderToString } from "preact-render-to-string";
import { TaskForm, type TaskFormProps } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";

/** The form as HTML that is complete without scripts. */
export function renderForm(props: TaskFormProps): string {
  return renderToString(toPreact(<TaskForm {...props} live={false} />));
}
