import { useQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { Task } from "../api.ts";
import { refusedAnswersQuery } from "../queries.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { AnswerInWords, nameOfChannel } from "./closed.tsx";

/** The answers that the automatic check rejected, with who gave them, when, and the reason. */
export function RefusedAnswers({ task }: { task: Task }) {
  const { data: answers, error, refetch } = useQuery(refusedAnswersQuery(task.id, task.verification_attempt));
  if (error !== null)
    return <ErrorPanel title={t("Could not load the rejected answers")} error={error} retry={() => void refetch()} />;
  if (answers === undefined) return null;
  return (
    <section className="refused" aria-labelledby="rejected-answers">
      <h2 id="rejected-answers">{t("Rejected answers")}</h2>
      <div className="stack">
        {answers.map(({ attempt, response, reason, answered_by_email, answered_via_channel, created_at }) => (
          <article key={attempt} className="surface stack" aria-label={t("Attempt {attempt}", { attempt })}>
            <p className="muted">
              {rich(
                answered_via_channel === null
                  ? "Attempt {attempt}, by {person}, {time}"
                  : "Attempt {attempt}, by {person}, {time}, through {channel}",
                {
                  attempt,
                  person: <bdi>{answered_by_email ?? t("someone")}</bdi>,
                  time: <Time at={created_at} />,
                  channel: nameOfChannel(answered_via_channel ?? ""),
                },
              )}
            </p>
            <p dir="auto">{t("Reason: {reason}", { reason })}</p>
            <AnswerInWords task={task} answer={response} channel={answered_via_channel} />
          </article>
        ))}
      </div>
    </section>
  );
}
