import { renderToString } from "preact-render-to-string";
import { planPayload, type PayloadInput } from "../../form/payload.ts";
import type { TaskFormProps } from "../../form/task-form.ts";
import { Markdown } from "../form/payload/markdown.tsx";
import { TextDiff } from "../form/payload/text-diff.tsx";
import { PayloadView } from "../form/payload/view.tsx";
import { TaskForm } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";

/** The form as HTML that is complete without scripts. */
export function renderForm(props: TaskFormProps): string {
  return renderToString(toPreact(<TaskForm {...props} />));
}

/** What there is to review, the same way. */
export function renderPayload(input: PayloadInput): string {
  return renderToString(toPreact(<PayloadView plan={planPayload(input)} Markdown={Markdown} TextDiff={TextDiff} />));
}
