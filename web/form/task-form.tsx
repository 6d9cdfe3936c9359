import { useMemo } from "react";
import type { FieldError } from "../../form/check.ts";
import type { Entries } from "../../form/entries.ts";
import type { Channel } from "../../form/hints.ts";
import { readForm } from "../../form/plan.ts";
import type { Notice } from "../../form/post.ts";
import { AnswerForm } from "./answer-form.tsx";
import type { Outcome } from "./answer-form.tsx";
import { useTextRules } from "./text-rules.ts";

/** A task as its form sees it, in the words of the API. */
export interface FormTask {
  readonly task_id: string;
  readonly response_schema: unknown;
  readonly form_definition: unknown;
  readonly payload: unknown;
  readonly redact_payload: boolean;
  /** Something else than a person judges the answer after it was sent. */
  readonly is_verified: boolean;
}

/** All of it can be written as JSON, so that a page can hand it to its script. */
export interface TaskFormProps {
  readonly task: FormTask;
  readonly channel: Channel;
  /** IANA name of the zone in which times are entered. */
  readonly time_zone: string;
  /** When the page was made; ISO text. */
  readonly now: string;
  /** Where the page posts to while no script is at work. */
  readonly action: string;
  /** Sent along with a post: what proves that it comes from this page. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** What was posted, on a page that is shown again. */
  readonly posted?: {
    readonly entries: Entries;
    readonly errors: readonly FieldError[];
    readonly notice: Notice | null;
  };
  readonly sent_back?: { readonly reason: string; readonly attempt: number };
  /** A field may take the focus when the page opens. */
  readonly focuses?: boolean;
}

/** The form of a task: what dashboards, embedded pages and mail pages put beside the payload. */
export function TaskForm({
  live,
  onEdit,
  onAnswer,
  ...props
}: TaskFormProps & {
  /** A script is at work: false while a server draws the page. */
  live: boolean;
  /** Something was changed. */
  onEdit?: ((entries: Entries) => void) | undefined;
  /** Sends an answer; without it, the page posts. */
  onAnswer?: ((value: unknown) => Promise<Outcome>) | undefined;
}) {
  const { task, channel, time_zone, now, sent_back } = props;
  const { response_schema, form_definition, payload } = task;
  const texts = useTextRules(response_schema, live);
  const form = useMemo(
    () => readForm({ response_schema, form_definition, payload, channel, time_zone, now: new Date(now), texts }),
    [response_schema, form_definition, payload, channel, time_zone, now, texts],
  );
  return (
    <AnswerForm
      // What was entered for one task is never part of another.
      key={task.task_id}
      {...props}
      form={form}
      live={live}
      sentBack={sent_back}
      isVerified={task.is_verified}
      onEdit={onEdit}
      onAnswer={onAnswer}
    />
  );
}
