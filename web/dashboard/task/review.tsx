import { Space } from "@mantine/core";
import { useMemo, useState } from "react";
import type { RefObject } from "react";
import { t } from "../../../languages/text.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { actionsOf } from "../action/asked.ts";
import type { Me, Task } from "../api.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { Answer } from "./answer.tsx";
import type { Claim } from "./claim.ts";
import { Closed } from "./closed.tsx";
import { PayloadOf } from "./payload.tsx";
import { TaskOfFiles } from "./preview.tsx";
import { ProposedPlaces, proposalsOf, useProposedPlaces } from "./proposals.tsx";
import { adoptStyles } from "../ui/later-styles.ts";
import { lazily } from "../ui/lazily.tsx";
import { UndeliveredNotifications } from "./undelivered-notifications.tsx";

const Conversation = lazily("conversation", async () => {
  const [{ Conversation }, styles] = await Promise.all([
    import("./conversation.tsx"),
    import("./conversation.css?inline"),
  ]);
  adoptStyles(styles.default);
  return Conversation;
});
const Versions = lazily("versions", async () => (await import("./versions.tsx")).Versions);
const RefusedAnswers = lazily("refused answers", async () => (await import("./refused-answers.tsx")).RefusedAnswers);

interface ReviewProps {
  task: Task;
  me: Me;
  isOver: boolean;
  claim: Claim;
  entered: Entries | null;
  /** null after it was sent. */
  onEdit: (entries: Entries | null) => void;
  /** The section with the form. */
  reply: RefObject<HTMLElement | null>;
  onAccepted: () => void;
  showActivity: () => void;
}

/** The payload of a task, and its form or its answer. */
export function Review({ task, me, isOver, claim, entered, onEdit, reply, onAccepted, showActivity }: ReviewProps) {
  const [isSending, setIsSending] = useState(false);
  const isOpen = isOpenStatus(task.status) && !isOver;
  // The event that the task is closed may arrive before the response to the answer that closed it.
  const isAnswering = isOpen || isSending;
  // The form of actions shows their arguments itself, and edits them in place.
  const isActing = isAnswering && actionsOf(task) !== null;
  const { form_definition, payload } = task;
  const proposals = useMemo(() => proposalsOf({ form_definition, payload }), [form_definition, payload]);
  const proposed = useMemo(() => new Set([...proposals.values()].map(({ from }) => from)), [proposals]);
  const places = useProposedPlaces();
  const versions = task.version > 1 && <Versions task={task} />;
  return (
    <TaskOfFiles value={task.id}>
      <ProposedPlaces value={places}>
        <div className="task-body">
          <UndeliveredNotifications task={task} showActivity={showActivity} />
          {!isActing && (
            <section className="review" aria-labelledby="review">
              <h2 id="review">{t("What to review")}</h2>
              <div className="stack">
                {versions}
                <PayloadOf
                  payload={task.payload}
                  schema={task.payload_schema}
                  hints={task.form_definition?.["payload"]}
                  redact={task.redact_payload}
                  proposed={isAnswering ? proposed : undefined}
                />
              </div>
            </section>
          )}
          <section className={isActing ? "reply acting" : "reply"} ref={reply} aria-labelledby="reply">
            <h2 id="reply">{isActing ? t("What to decide") : isOpen ? t("Your answer") : t("The answer")}</h2>
            {isActing && versions !== false && (
              <>
                {versions}
                <Space h="sm" />
              </>
            )}
            {isAnswering ? (
              <Answer
                task={task}
                me={me}
                claim={claim}
                proposals={proposals}
                entered={entered}
                onEdit={onEdit}
                onSending={setIsSending}
                onAccepted={onAccepted}
              />
            ) : (
              <Closed task={task} me={me} entered={entered} />
            )}
            {task.verification_attempt > 0 && <RefusedAnswers task={task} />}
            <Conversation task={task} me={me} isOpen={isOpen} />
          </section>
        </div>
      </ProposedPlaces>
    </TaskOfFiles>
  );
}
