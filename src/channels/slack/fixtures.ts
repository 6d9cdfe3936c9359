import type { FormFixture } from "../../../form/fixtures/forms.ts";
import { FIXTURE_NOW } from "../../../form/fixtures/payloads.ts";
import { HOUR } from "../../lib/time.ts";
import { hostileTexts } from "../email/message-fixtures.ts";
import type { SlackTask } from "./summary.ts";

/** Tasks for tests. */
export function slackTask(more: Partial<SlackTask> = {}): SlackTask {
  return {
    id: "tsk_01K9Z8Q6V3",
    task: "Approve the order",
    payload: {},
    payload_schema: {},
    response_schema: { type: "object", properties: { note: { type: "string" } } },
    form_definition: null,
    redact_payload: false,
    timeout_at: FIXTURE_NOW.getTime() + 4 * HOUR,
    ...more,
  };
}

export function taskOfForm({ title, response_schema, form_definition, payload = {} }: FormFixture): SlackTask {
  return slackTask({ task: title, response_schema, form_definition: form_definition ?? null, payload });
}

/** A task that asks for these fields. */
export function askingFor(properties: Record<string, unknown>, ...required: string[]): Partial<SlackTask> {
  return { response_schema: { type: "object", properties, required } };
}

/** Texts that try to call somebody, to be a link or a picture, or to look like what we say. */
export const HOSTILE: readonly string[] = [
  ...Object.values(hostileTexts()),
  "<!channel> <!here|here> <!everyone> <@U0123456789> <@W0123456789|boss> <#C0123456789|general> <!subteam^S0123456789>",
  "<https://evil.example/|Approve> <mailto:a@evil.example|mail> https://evil.example www.evil.example",
  "@channel @here @everyone (@dana) @ dana, ada@example.com \u2060@channel @\u200Bhere",
  "<!date^0^{date}^https://evil.example/|now>",
  "*bold* _italics_ ~gone~ `code` ```block```",
  "> quoted\n> lines\n• a list\n:white_check_mark: Approved by Dana",
  "&lt;!channel&gt; &amp;lt;!here&amp;gt; &#60;!channel&#62;",
  "<".repeat(4_000),
  "&".repeat(4_000),
  `${"&".repeat(74)}x`,
  "👩‍👩‍👧‍👦".repeat(7),
  "",
  " ",
  "\n\n",
];
