import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { ReactNode, RefObject } from "react";
import { directionFor } from "../../../languages/languages.ts";
import { as, t } from "../../../languages/text.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { actionsOf } from "../action/asked.ts";
import { ApiError } from "../api.ts";
import type { Me, Task } from "../api.ts";
import { useClaim } from "./claim.ts";
import { dropUnsent, heldEntries } from "./held.ts";
import { TaskHeader } from "./header.tsx";
import { Unsent } from "./closed.tsx";
import { useTaskNavigation } from "./navigation.ts";
import { Review } from "./review.tsx";
import { copy } from "../ui/copy.tsx";
import { useKeys } from "../ui/keyboard.ts";
import { adoptStyles } from "../ui/later-styles.ts";
import { lazily } from "../ui/lazily.tsx";
import { useNow } from "../ui/now.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { isOperatorOf } from "../projects/access.ts";
import { taskQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { isOpenStatus, useIsOver } from "../ui/status.tsx";
import { toast } from "../ui/toasts.ts";

/** When this much time is left, the page announces that the task is about to time out. */
const LAST_CALL_MS = 120_000;

const Activity = lazily("activity", async () => {
  const [{ Activity }, styles] = await Promise.all([import("./activity.tsx"), import("./activity.css?inline")]);
  adoptStyles(styles.default);
  return Activity;
});
const Raw = lazily("raw", async () => (await import("./raw.tsx")).Raw);

interface TaskPaneProps {
  id: string;
  search: Scope;
  me: Me;
  /** Whether it opened by itself, and the person has not gone into it. */
  isPreview: boolean;
}

export function TaskPane({ id, search, me, isPreview }: TaskPaneProps) {
  const { data: task, error, refetch } = useQuery(taskQuery(id));
  // Stored here, so that it is kept when the task is closed or deleted while someone types.
  const [entered, setEntered] = useState<Entries | null>(() => heldEntries(id, me));
  useEffect(() => dropUnsent(id), [id]);
  // The task stays visible if reloading fails, and while the person signs in again.
  const isGone = error instanceof ApiError && (error.status === 403 || error.status === 404);
  if (task !== undefined && !isGone)
    return <TaskView task={task} search={search} me={me} isPreview={isPreview} entered={entered} onEdit={setEntered} />;
  if (error !== null)
    return (
      <NoTask error={error} search={search} retry={() => void refetch()}>
        {isGone && <Unsent id={id} task={task ?? null} entered={entered} />}
      </NoTask>
    );
  return (
    <p className="hint" aria-busy="true">
      {t("Loading")}
    </p>
  );
}

interface NoTaskProps {
  error: Error;
  search: Scope;
  retry: () => void;
  children: ReactNode;
}

function NoTask({ error, search, retry, children }: NoTaskProps) {
  const sentences: Record<string, string> = {
    TASK_NOT_FOUND: t("This task doesn't exist, or it was deleted"),
    FORBIDDEN: t("This task is assigned to someone else"),
  };
  const sentence = error instanceof ApiError ? sentences[error.code] : undefined;
  if (sentence === undefined) return <ErrorPanel title={t("Could not load the task")} error={error} retry={retry} />;
  return (
    <div className="empty">
      <h1>{sentence}</h1>
      <Link to="/inbox" search={search}>
        {t("Back to the inbox")}
      </Link>
      {children}
    </div>
  );
}

const TABS = ["review", "activity", "raw"] as const;
type Tab = (typeof TABS)[number];
const TAB_TITLES: Record<Tab, string> = { review: t("Review"), activity: t("Activity"), raw: t("Raw") };

interface TaskViewProps {
  task: Task;
  search: Scope;
  me: Me;
  isPreview: boolean;
  entered: Entries | null;
  /** null after it was sent. */
  onEdit: (entries: Entries | null) => void;
}

function TaskView({ task, search, me, isPreview, entered, onEdit }: TaskViewProps) {
  const reply = useRef<HTMLElement>(null);
  const [tab, setTab] = useState<Tab>("review");
  const isOver = useIsOver(task);
  const isOpen = isOpenStatus(task.status) && !isOver;
  // Their form has its own bar.
  const isAboutActions = actionsOf(task) !== null;
  const claim = useClaim(task, me);
  const navigation = useTaskNavigation(task, search, me);
  // Only operators may read the audit trail.
  const tabs = TABS.filter((known) => known !== "activity" || isOperatorOf(me, task.project));
  const step = (by: number) => {
    const at = Math.min(Math.max(tabs.indexOf(tab) + by, 0), tabs.length - 1);
    setTab(tabs[at]!);
  };
  const copyLink = () => {
    const link = `${location.origin}/tasks/${task.id}`;
    void copy(link).then((done) => done && toast({ message: t("Link copied") }));
  };
  const goToAnswer = () => {
    setTab("review");
    reply.current?.scrollIntoView({ block: "start" });
    reply.current?.querySelector<HTMLElement>("form :is(input:not([type='hidden']), select, textarea)")?.focus();
  };
  const submit = () => {
    const form = reply.current?.querySelector<HTMLFormElement>("fieldset:enabled form.answer");
    // It is hidden while another tab is shown.
    if (form?.checkVisibility() === true) form.requestSubmit();
  };
  useKeys({
    Escape: isPreview ? undefined : navigation.back,
    u: isPreview ? undefined : navigation.back,
    s: isOpen ? navigation.skip : undefined,
    r: isOpen && !isAboutActions ? goToAnswer : undefined,
    c: isOpen ? claim.toggle : undefined,
    y: copyLink,
    "Mod+Enter": isOpen && !isPreview ? submit : undefined,
    "[": () => step(-1),
    "]": () => step(1),
  });
  return (
    <>
      <TaskHeader
        task={task}
        me={me}
        isOver={isOver}
        claim={claim}
        navigation={navigation}
        copyLink={copyLink}
        showRaw={() => setTab("raw")}
      />
      {isOpen && <LastCall at={task.timeout_at} />}
      <Tabs
        value={tab}
        onChange={(value) => setTab(TABS.find((known) => known === value) ?? "review")}
        keepMounted={false}
        className="task-tabs"
      >
        <Tabs.List>
          {tabs.map((known) => (
            <Tabs.Tab key={known} value={known}>
              {TAB_TITLES[known]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {/* Entries stay while another tab is shown. */}
        <Tabs.Panel value="review" keepMounted dir={directionFor(task.locale, task.task)}>
          <Review
            task={task}
            me={me}
            isOver={isOver}
            claim={claim}
            entered={entered}
            onEdit={onEdit}
            reply={reply}
            onAccepted={navigation.answered}
            showActivity={() => setTab("activity")}
          />
          {isOpen && !isAboutActions && <AnswerBar form={reply} skip={navigation.skip} answer={goToAnswer} />}
        </Tabs.Panel>
        <Tabs.Panel value="activity">
          <Activity task={task} me={me} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <Raw task={task} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

interface AnswerBarProps {
  form: RefObject<HTMLElement | null>;
  skip: () => void;
  answer: () => void;
}

/** A link to the form if the form is below the payload, while the form is not visible. */
function AnswerBar({ form, skip, answer }: AnswerBarProps) {
  const [isInSight, setIsInSight] = useState(true);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => setIsInSight(entry?.isIntersecting === true));
    watch.observe(form.current!);
    return () => watch.disconnect();
  }, [form]);
  if (isInSight) return null;
  return (
    <div className="answer-bar">
      <button type="button" onClick={skip}>
        {t("Skip")}
      </button>
      <button type="button" className="loud-button" onClick={answer}>
        {as("verb", "Answer")}
      </button>
    </div>
  );
}

/** Announces once that little time is left. */
function LastCall({ at }: { at: string }) {
  const end = Date.parse(at);
  const now = useNow((moment) =>
    end - moment > LAST_CALL_MS ? Math.min(end - moment - LAST_CALL_MS, 60_000) + 1 : null,
  );
  return (
    <output className="unseen">{end - now <= LAST_CALL_MS ? t("Less than two minutes left for this task") : ""}</output>
  );
}
