import type { Logger } from "pino";
import type { ConversationProps } from "../../form/plan/conversation.ts";
import { jsonText } from "../../form/payload/json.ts";
import { currentLanguage, t } from "../../languages/text.ts";
import { ServiceError } from "../errors.ts";
import { escapeHtml } from "../http/page.ts";
import { HOUR, MINUTE } from "../lib/time.ts";
import { createKept } from "./kept.ts";
import { createDrawingThread } from "./thread.ts";
import type { DrawingThreadOptions, Drawn, FormToDraw, Outcome, Question } from "./thread.ts";

export type { FormToDraw } from "./thread.ts";

/** Draws payloads, forms and conversations as HTML, for pages of the service. Untrusted content is drawn outside of the event loop. */
export interface Drawing {
  /**
   * Returns the payload of a task as HTML. It never changes, so it is drawn once and kept. If drawing takes too long,
   * the payload is shown as plain text. Never rejects.
   */
  payload(task: PayloadToDraw, look: Look): Promise<string>;
  /**
   * Returns the form as HTML, and the data of its script: JSON that can be put into a script element.
   * @throws ServiceError OVERLOADED
   */
  form(props: FormToDraw): Promise<{ html: string; data: string }>;
  /** Returns what was said about a task as HTML. @throws ServiceError OVERLOADED */
  conversation(task_id: string, props: ConversationProps): Promise<string>;
  close(): Promise<void>;
}

/** Documents as they are stored, as JSON text. */
export interface PayloadToDraw {
  id: string;
  payload: string;
  payload_schema: string | null;
  form_definition: string | null;
  redact_payload: boolean;
}

/** The settings of one viewer. */
export interface Look {
  locale?: string | undefined;
  time_zone: string | undefined;
  now: Date;
  /** Address of the page that shows the parts that are too large to draw; the same for everyone. */
  wholeAt?: string;
}

/** Limit of kept HTML. A character counts as two bytes. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** Content of a deleted task leaves the memory after this time. */
const KEPT_MS = HOUR;
/** Relative times such as "5 minutes ago" are kept for this long. */
const TIME_TOLD_MS = MINUTE;
/**
 * A text that was too slow is shown as plain text for this long, and then retried, because the machine may have been
 * slow.
 */
const LATE_MS = 10 * MINUTE;
const LATE_MAX = 1_000;
/** The limit of text from a payload that cannot be drawn at all. */
const TEXT_CHARACTERS_MAX = 20_000;

export function createDrawing({ log, ...options }: { log: Logger } & DrawingThreadOptions): Drawing {
  const thread = createDrawingThread(options);
  const kept = createKept<string>(KEPT_BYTES);
  const late = createKept<true>(LATE_MAX);
  const underWay = new Map<string, Promise<string>>();

  async function drawPayload(
    key: string,
    task: PayloadToDraw,
    { locale, time_zone, now, wholeAt }: Look,
  ): Promise<string> {
    const ms = now.getTime();
    const question = (isPlain: boolean): Question => ({
      draws: "payload",
      payload: task.payload,
      payload_schema: task.payload_schema,
      form_definition: task.form_definition,
      redact: task.redact_payload,
      locale,
      time_zone,
      now: ms,
      isPlain,
      wholeAt,
    });
    let isPlain = late.get(task.id, ms) !== undefined;
    let outcome = await thread.draw(task.id, question(isPlain));
    // A "busy" drawing was not even started.
    if (!isPlain && "failed" in outcome && outcome.failed !== "busy") {
      note("payload", task.id, outcome);
      late.set(task.id, true, ms + LATE_MS, 1);
      isPlain = true;
      outcome = await thread.draw(task.id, question(isPlain));
    }
    if (!("drawn" in outcome)) {
      note("payload", task.id, outcome);
      return textOf(task.payload, wholeAt);
    }
    const { html, tells_time } = outcome.drawn;
    const shown = isPlain
      ? `${noteOf(escapeHtml(t("Formatting this takes too long, so texts are shown as plain text.")))}${html}`
      : html;
    const keptMs = Math.min(tells_time ? TIME_TOLD_MS : KEPT_MS, isPlain ? LATE_MS : KEPT_MS);
    kept.set(key, shown, ms + keptMs, shown.length * 2);
    return shown;
  }

  function note(what: Question["draws"], id: string, outcome: Exclude<Outcome, { drawn: Drawn }>): void {
    if ("says" in outcome) log.error({ id, why: outcome.says }, `Drawing a ${what} failed`);
    else log.warn({ id, why: outcome.failed }, `A ${what} was not drawn in time`);
  }

  return {
    payload: async (task, look) => {
      const key = JSON.stringify([task.id, currentLanguage(), look.locale ?? null, look.time_zone ?? null]);
      const found = kept.get(key, look.now.getTime());
      if (found !== undefined) return found;
      // Concurrent callers share one drawing.
      const begun = underWay.get(key);
      if (begun !== undefined) return begun;
      const drawing = drawPayload(key, task, look).finally(() => underWay.delete(key));
      underWay.set(key, drawing);
      return drawing;
    },
    form: async (props) => {
      const { task_id } = props.task;
      const outcome = await thread.draw(task_id, { draws: "form", props });
      if ("drawn" in outcome) return outcome.drawn;
      note("form", task_id, outcome);
      throw new ServiceError("OVERLOADED", { retryAfter: 2 });
    },
    conversation: async (task_id, props) => {
      const outcome = await thread.draw(task_id, { draws: "conversation", props });
      if ("drawn" in outcome) return outcome.drawn.html;
      note("conversation", task_id, outcome);
      throw new ServiceError("OVERLOADED", { retryAfter: 2 });
    },
    close: thread.close,
  };
}

/** @param html - with all text escaped */
function noteOf(html: string): string {
  return `<p class="payload-note" role="note">${html}</p>`;
}

/** Control characters, and characters that change the text direction or are invisible, but not line ends. */
const UNSEEN = /[^\P{C}\n]/gu;

/**
 * Returns the beginning of a payload as JSON. It is folded, because some values may be meant to be shown only on
 * request.
 */
function textOf(payload: string, wholeAt: string | undefined): string {
  const { text, left_out } = jsonText(JSON.parse(payload), TEXT_CHARACTERS_MAX);
  const only = escapeHtml(t("This is only the beginning of the payload."));
  const link = wholeAt
    ? ` <a href="${escapeHtml(wholeAt)}" target="_blank" rel="noopener">${escapeHtml(t("Sign in to see all of it."))}</a>`
    : "";
  const more = left_out > 0 ? noteOf(`${only}${link}`) : "";
  const note = escapeHtml(t("This cannot be formatted right now, so it is shown as plain text."));
  const shown = escapeHtml(text.toWellFormed().replaceAll(UNSEEN, "\uFFFD"));
  return `<div class="payload">${noteOf(note)}<details class="payload-raw"><summary>${escapeHtml(t("Show the data"))}</summary><pre dir="ltr"><code>${shown}</code></pre></details>${more}</div>`;
}
