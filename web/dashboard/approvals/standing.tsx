import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { remove } from "../api.ts";
import type { Me, Task } from "../api.ts";
import { DECISIONS } from "../action/words.ts";
import { queryClient, taskQuery } from "../queries.ts";
import { nameOfChannel } from "../task/closed.tsx";
import { IconAlertTriangle } from "../ui/icons.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { nameOfVoter, ownVote, standingOf } from "./words.ts";
import type { Approvals } from "./words.ts";

interface StandingProps {
  task: Task;
  approvals: Approvals;
  me: Me;
  isOpen: boolean;
  /** What a change of the arguments meant for this person, who looked at them; null if nothing was changed since. */
  changed?: Interruption | null;
}

/** Whether an answer was refused because of it, and whether entries of the form are kept. */
export interface Interruption {
  isUnsent: boolean;
  isKept: boolean;
}

/** Who has approved and who is missing; what became of the arguments; and why the reader cannot decide, if that is so. */
export function Standing({ task, approvals, me, isOpen, changed = null }: StandingProps) {
  const own = ownVote(approvals, me);
  return (
    <section className="approvals" aria-label={t("Approvals")}>
      <p className="approvals-standing" dir="auto">
        {standingOf(approvals, me, isOpen)}
      </p>
      {approvals.decisions.length > 0 && (
        <ul className="approvals-people">
          {approvals.decisions.map((vote) => {
            const { tone, done } = DECISIONS[vote.decision];
            return (
              <li key={vote.by.user_id}>
                <bdi title={vote.by.email ?? undefined}>{nameOfVoter(vote.by, me)}</bdi>
                <span className={`chip ${tone}`}>{done}</span>
                <span className="muted">
                  <Time at={vote.at} />
                  {vote.channel !== null && vote.channel !== "dashboard" && `, ${nameOfChannel(vote.channel)}`}
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {isOpen && own !== null && <TakeBack id={task.id} />}
      {isOpen && isEdited(task, approvals) && <Changed approvals={approvals} me={me} changed={changed} />}
      {isOpen && approvals.refusal !== null && (
        <p className="notice" dir="auto">
          {`${t("You cannot decide this.")} ${approvals.refusal}`}
        </p>
      )}
    </section>
  );
}

/** A revision of the asker begins a round as well, and the page says so elsewhere. */
function isEdited({ version }: Task, { round, blind, changed_by }: Approvals): boolean {
  return round > 1 && (version === 1 || blind || changed_by !== null);
}

/** Says that the arguments are not those that the agent asked for. */
function Changed({ approvals, me, changed }: { approvals: Approvals; me: Me; changed: Interruption | null }) {
  if (changed !== null)
    return (
      <div className="notice warn" role="alert">
        {changed.isUnsent
          ? t("Someone has just changed the arguments, so nothing was sent.")
          : t("Someone has just changed the arguments.")}{" "}
        {changed.isKept && `${t("What you typed is kept.")} `}
        {t("Look at the arguments again, then decide.")}
      </div>
    );
  // In a blind task people know only of their own edit.
  const author = approvals.changed_by ?? approvals.decisions.find(({ decision }) => decision === "edit")?.by;
  return (
    <p className="approvals-changed">
      <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
      <span>
        {author?.user_id === me.user_id
          ? t("You changed the arguments. Approvals from before do not count.")
          : rich("{person} changed the arguments. Approvals from before do not count.", {
              person: <bdi>{author === undefined ? t("Someone") : nameOfVoter(author, me)}</bdi>,
            })}
      </span>
    </p>
  );
}

function TakeBack({ id }: { id: string }) {
  const [isBusy, setIsBusy] = useState(false);
  const takeBack = async (): Promise<void> => {
    setIsBusy(true);
    try {
      queryClient.setQueryData(taskQuery(id).queryKey, await remove<Task>(`/api/tasks/${id}/approvals/me`));
      toast({ message: t("Your decision was taken back") });
    } catch (error) {
      toast({ message: sentenceOf(error), tone: "bad" });
    } finally {
      setIsBusy(false);
    }
    await queryClient.invalidateQueries({ queryKey: ["tasks"] });
  };
  return (
    <p className="muted">
      {rich("You can still decide otherwise. {button}", {
        button: (
          <button type="button" className="link-button" disabled={isBusy} onClick={() => void takeBack()}>
            {t("Take it back")}
          </button>
        ),
      })}
    </p>
  );
}
