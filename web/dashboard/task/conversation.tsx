import { Button, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { as, t } from "../../../languages/text.ts";
import { post } from "../api.ts";
import type { Me, Task } from "../api.ts";
import { dropPersonal, keepPersonal, readPersonal } from "../personal.ts";
import { commentsQuery, queryClient } from "../queries.ts";
import { Preview } from "./preview.tsx";
import { ErrorPanel, sentenceOf } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { Comments } from "../../form/conversation.tsx";

interface ConversationProps {
  task: Task;
  me: Me;
  isOpen: boolean;
}

/** What people and the asker said about a task. Nothing that is typed into its form is touched by it. */
export function Conversation({ task, me, isOpen }: ConversationProps) {
  const { data: comments, error, refetch } = useQuery(commentsQuery(task.id));
  if (error !== null)
    return <ErrorPanel title={t("Could not load the comments")} error={error} retry={() => void refetch()} />;
  if (comments === undefined) return null;
  return (
    <section className="talk" aria-labelledby="conversation">
      <h2 id="conversation">{t("Conversation")}</h2>
      <Comments
        comments={comments}
        isOwn={({ by }) => by.user_id !== null && by.user_id === me.user_id}
        asker={task.asked_by.name}
        isWaiting={isOpen && task.waiting_on === "agent"}
        renderTime={(at) => <Time at={at} />}
        Preview={Preview}
      >
        <Writing task={task} isAsker={isAskerOf(task, me)} isOpen={isOpen} />
      </Comments>
    </section>
  );
}

function isAskerOf({ asked_by }: Task, me: Me): boolean {
  return asked_by.kind === "user" ? asked_by.id === me.user_id : asked_by.kind === "admin" && me.user_id === null;
}

interface WritingProps {
  task: Task;
  isAsker: boolean;
  isOpen: boolean;
}

/** No one waits for a question about a closed task, so it takes comments only. */
function Writing({ task, isAsker, isOpen }: WritingProps) {
  const asks = isOpen && !isAsker;
  const act = isAsker ? as("verb", "Reply") : as("verb", "Comment");
  const draft = `comment:${task.id}`;
  const [text, setText] = useState(() => readPersonal(draft) ?? "");
  const [isWriting, setIsWriting] = useState(text !== "");
  const field = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // The same for each attempt to send what is there, so that a lost answer adds nothing twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [isSending, setIsSending] = useState(false);
  const edit = (typed: string) => {
    setText(typed);
    setKey(crypto.randomUUID());
    keepPersonal(draft, typed);
  };
  const send = async (kind: "comment" | "question") => {
    setIsSending(true);
    setProblem(null);
    try {
      await post(`/api/tasks/${encodeURIComponent(task.id)}/comments`, { text, kind, idempotency_key: key });
      edit("");
      dropPersonal(draft);
      setIsWriting(false);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
    setIsSending(false);
    void queryClient.invalidateQueries({ queryKey: ["tasks"] });
  };
  const begin = () => {
    flushSync(() => setIsWriting(true));
    field.current?.focus();
  };
  if (!isWriting)
    return (
      <div className="say">
        <Button variant="default" onClick={begin}>
          {asks ? t("Ask or comment") : act}
        </Button>
      </div>
    );
  const isEmpty = text.trim() === "" || isSending;
  return (
    <div className="stack">
      <Textarea
        label={asks ? t("Comment, or question to {asker}", { asker: task.asked_by.name }) : act}
        ref={field}
        dir="auto"
        autosize
        minRows={2}
        maxRows={10}
        maxLength={20_000}
        value={text}
        error={problem}
        onChange={({ currentTarget }) => edit(currentTarget.value)}
      />
      <div className="say">
        {asks && (
          <Button variant="default" disabled={isEmpty} onClick={() => void send("question")}>
            {t("Ask")}
          </Button>
        )}
        <Button variant="default" disabled={isEmpty} onClick={() => void send("comment")}>
          {act}
        </Button>
      </div>
    </div>
  );
}
