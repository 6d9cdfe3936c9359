import { renderToString } from "preact-render-to-string";
import { planPayload, type PayloadInput } from "../../form/payload/payload.ts";
import type { ConversationProps } from "../../form/plan/conversation.ts";
import type { TaskFormProps } from "../../form/plan/task-form.ts";
import { Markdown } from "../form/payload/markdown.tsx";
import { TextDiff } from "../form/payload/text-diff.tsx";
import { PayloadView } from "../form/payload/view.tsx";
import { Changes } from "../form/changes.tsx";
import { PostedConversation } from "../form/posted-conversation.tsx";
import { TaskForm } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";

/** The language of all that is drawn, which the thread sets before each drawing. */
export { setSpeech } from "../../languages/text.ts";

/** Returns the form as HTML that is complete without scripts. */
export function renderForm(props: TaskFormProps): string {
  const html = renderToString(toPreact(<TaskForm {...props} Changes={Changes} />));
  // Other fields of the page are posted with it. A script does not need the id.
  return html.replace("<form ", '<form id="answer-form" ');
}

/** Returns the conversation in the same way. */
export function renderConversation(props: ConversationProps): string {
  return renderToString(toPreact(<PostedConversation {...props} />));
}

/**
 * Returns the payload in the same way.
 *
 * @param isPlain - shows Markdown and text changes unformatted, which never takes long
 * @param wholeAt - address of the page that shows the parts that are too large for this one
 * @returns `tells_time`: whether it contains a relative time
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
