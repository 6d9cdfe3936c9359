/** Draws payloads, forms and conversations as HTML, in a thread that may be ended at any moment. `thread.ts` explains why. */
import type { PayloadInput } from "../../form/payload/payload.ts";
import type { ConversationProps } from "../../form/plan/conversation.ts";
import type { TaskFormProps } from "../../form/plan/task-form.ts";
import { catalogueOf } from "../../languages/server.ts";
import type { Speech } from "../../languages/text.ts";
import { answerCalls } from "../../threads/answer-calls.ts";
import { builtPath } from "../http/built.ts";
import type { Drawn, Question, SpokenQuestion } from "./thread.ts";

/** `npm run build` makes this module from web/server/render.tsx. */
interface Renderer {
  /** It has texts of its own, and so a language of its own. */
  setSpeech(speech: () => Speech): void;
  renderForm(props: TaskFormProps): string;
  renderConversation(props: ConversationProps): string;
  renderPayload(
    input: PayloadInput,
    how: { isPlain: boolean; wholeAt?: string },
  ): { html: string; tells_time: boolean };
}

const { setSpeech, renderForm, renderConversation, renderPayload } = (await import(
  builtPath("server/render.js")
)) as Renderer;

answerCalls(({ question, language, locale }: SpokenQuestion): Drawn => {
  const speech = { language, catalogue: catalogueOf(language), locale };
  setSpeech(() => speech);
  return draw(question);
});

function draw(question: Question): Drawn {
  if (question.draws === "payload") {
    const { payload, payload_schema, form_definition, now, isPlain, wholeAt, redact, locale, time_zone } = question;
    const hints = parsed(form_definition) as { payload?: unknown } | null;
    const input = { payload: parsed(payload), payload_schema: parsed(payload_schema), hints: hints?.payload };
    const how = { isPlain, ...(wholeAt !== undefined && { wholeAt }) };
    return { data: "", ...renderPayload({ ...input, redact, locale, time_zone, now: new Date(now) }, how) };
  }
  if (question.draws === "conversation")
    return { html: renderConversation(question.props), data: "", tells_time: false };
  const { task, ...rest } = question.props;
  const props: TaskFormProps = {
    ...rest,
    task: {
      ...task,
      payload: parsed(task.payload),
      response_schema: parsed(task.response_schema),
      form_definition: parsed(task.form_definition),
    },
  };
  // In a script element, only `<` could end it.
  const data = JSON.stringify(props).replaceAll("<", String.raw`\u003c`);
  return { html: renderForm(props), data, tells_time: true };
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
