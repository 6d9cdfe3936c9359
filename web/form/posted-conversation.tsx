import { t } from "../../languages/text.ts";
import { SAID, type ConversationProps, type WritingProps } from "../../form/plan/conversation.ts";
import { formatsFor } from "../../form/payload/format.ts";
import { Comments } from "./conversation.tsx";

/** The conversation on a page that works without scripts. `web/light/talk.ts` sends what is written without a new page. */
export function PostedConversation({ comments, own, asker, is_waiting, writing, ...look }: ConversationProps) {
  const formats = formatsFor(look.locale, look.time_zone, new Date(look.now));
  return (
    <>
      <h2 id="conversation">{t("Conversation")}</h2>
      <div data-comments>
        <Comments
          comments={comments}
          isOwn={({ id }) => own.includes(id)}
          asker={asker}
          isWaiting={is_waiting}
          renderTime={(at) => <time dateTime={at}>{formats.instant(Date.parse(at))?.full_text}</time>}
        />
      </div>
      <Writing {...writing} asker={asker} />
    </>
  );
}

function Writing({ is_asker, is_open, form, text, problem, idempotency_key, asker }: WritingProps & { asker: string }) {
  const owner = form ?? undefined;
  const asks = is_open && !is_asker;
  const act = is_asker ? t("Reply") : t("Comment");
  const label = asks ? t("Comment, or question to {asker}", { asker }) : act;
  return (
    <details className="answer" open={text !== ""}>
      <summary className="quiet">{asks ? t("Ask or comment") : act}</summary>
      <div className="field">
        <label className="title" htmlFor="say">
          <bdi>{label}</bdi>
        </label>
        <textarea id="say" dir="auto" name={SAID.text} form={owner} rows={3} maxLength={20_000} defaultValue={text} />
        <p className="error" role="alert">
          {problem}
        </p>
        <input type="hidden" name={SAID.key} form={owner} value={idempotency_key} />
        <div className="say">
          {asks && <Say kind="question" form={owner} label={t("Ask")} />}
          <Say kind="comment" form={owner} label={act} />
        </div>
      </div>
    </details>
  );
}

function Say({ kind, form, label }: { kind: string; form: string | undefined; label: string }) {
  return (
    <button type="submit" className="quiet" name={SAID.kind} value={kind} form={form}>
      {label}
    </button>
  );
}
