import { renderToString } from "preact-render-to-string";
import { planPayload, type PayloadInput } from "../../form/payload/payload.ts";
import type { TaskFormProps } from "../../form/plan/task-form.ts";
import { Markdown } from "../form/payload/markdown.tsx";
import { TextDiff } from "../form/payload/text-diff.tsx";
import { PayloadView } from "../form/payload/view.tsx";
import { Changes } from "../form/changes.tsx";
import { TaskForm } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";

/** The form as HTML that is complete without scripts. */
export function renderForm(props: TaskFormProps): string {
  return renderToString(toPreact(<TaskForm {...props} Changes={Changes} />));
}

/**
 * What there is to review, the same way.
 *
 * @param isPlain - Markdown and changes of texts are shown as they were written, which never takes long
 * @param wholeAt - address of the page that shows what is too much for this one
 * @returns `tells_time`: it says how long ago something was
 */
export function renderPayload(input: PayloadInput, { isPlain, wholeAt }: { isPlain: boolean; wholeAt?: string }) {
  const plan = planPayload(input);
  const parts = isPlain ? {} : { Markdown, TextDiff };
  return {
    html: renderToString(toPreact(<PayloadView plan={plan} wholeAt={wholeAt} {...parts} />)),
    tells_time: tellsTime(plan),
  };
}

function tellsTime(plan: unknown): boolean {
  const open: unknown[] = [plan];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if ("relative" in next && next.relative !== null) return true;
    open.push(...Object.values(next));
  }
  return false;
}
