import type { SectionBlock, TextObject } from "@slack/types";
import { own, wrappedHints } from "../../../../form/plan/hints.ts";
import { planPayload } from "../../../../form/payload/payload.ts";
import { summarise } from "../../../../form/payload/summary.ts";
import { oneLine, plainLines } from "../../../../form/plain-text.ts";
import { fieldNames } from "../../../../form/plan/plan.ts";
import type { Form } from "../../../../form/plan/plan.ts";
import { titled } from "./text.ts";

/** What Slack needs to know of a task: fields of its record, and the deadline in epoch milliseconds. (spec: Resources) */
export interface SlackTask {
  id: string;
  task: string;
  payload: unknown;
  payload_schema: unknown;
  response_schema: unknown;
  form_definition: unknown;
  redact_payload: boolean;
  timeout_at: number;
}

/** More of a task's text is read in the browser. */
const MAX_TASK = 2_900;
const MAX_FACT = 400;

/** What is to be decided: the first line in bold. */
export function taskSection({ id, task }: Pick<SlackTask, "id" | "task">, max = MAX_TASK): SectionBlock {
  const [head = "", ...rest] = plainLines(task).split("\n");
  const text = titled(head || `Task ${id}`, rest.join("\n").trim(), max, "... see the full text");
  return { type: "section", text };
}

/** In one line, for what has no room for more. */
export function nameOfTask({ id, task }: Pick<SlackTask, "id" | "task">): string {
  return oneLine(task) || `Task ${id}`;
}

/** Facts of the payload, side by side: those that the task asks for if there are any. None of a redacted payload. */
export function factsOf(task: SlackTask, form: Form, max: number): SectionBlock[] {
  if (task.redact_payload) return [];
  const hints = wrappedHints(task.form_definition, fieldNames(form.source));
  const wanted = slackHint(task, form, "summary");
  const pointers = Array.isArray(wanted)
    ? wanted.filter((pointer): pointer is string => typeof pointer === "string")
    : [];
  const plan = planPayload({
    payload: task.payload,
    payload_schema: task.payload_schema,
    hints: own(hints, "payload"),
    time_zone: form.time_zone,
    now: form.now,
    // What is asked for may stand anywhere.
    only_facts: pointers.length === 0,
  });
  const asked = summarise(plan, [...new Set(pointers)]).slice(0, max);
  const facts = asked.length > 0 ? asked : summarise(plan, max);
  const fields = facts.map(({ title, text }): TextObject => titled(title || "-", text, MAX_FACT));
  return fields.length === 0 ? [] : [{ type: "section", fields }];
}

/** `channels.slack.<key>` of the task's hints. */
export function slackHint(task: Pick<SlackTask, "form_definition">, form: Form, key: string): unknown {
  const hints = wrappedHints(task.form_definition, fieldNames(form.source));
  return own(own(own(hints, "channels"), "slack"), key);
}
