import { Tabs } from "@mantine/core";
import { IconArrowDown, IconArrowLeft, IconArrowUp, IconLink } from "../ui/icons.tsx";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import type { Entries } from "../../../form/plan/entries.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import { Answer } from "./answer.tsx";
import { ApiError } from "../api.ts";
import type { Me, Task } from "../api.ts";
import { useClaim } from "./claim.ts";
import { Closed } from "./closed.tsx";
import { copy } from "../ui/copy.tsx";
import { useKeys } from "../ui/keyboard.ts";
import { useNow } from "../ui/now.ts";
import { Trouble } from "../ui/page.tsx";
import { PayloadOf } from "./payload.tsx";
import { taskQuery, tasksQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { isSampleOfSetup } from "../inbox/sample-task.ts";
import { IconButton } from "../shell.tsx";
import { Deadline, isOpenStatus, StatusChip, useIsOver } from "../ui/status.tsx";
import { TaskMenu } from "./task-menu.tsx";
import { rowOf } from "../inbox/task-list.tsx";
import { toast } from "../ui/toasts.ts";
import { undoable, undoLast } from "./undo.ts";
import { Untold } from "./untold.tsx";
import { whoOf } from "../inbox/who.ts";

/** When it is said aloud that the time is nearly over. */
const LAST_CALL_MS = 120_000;

const Activity = lazy(async () => ({ default: (await import("./activity.tsx")).Activity }));
const Raw = lazy(async () => ({ default: (await import("./raw.tsx")).Raw }));

export function TaskPane({ id, search, me }: { id: string; search: Scope; me: Me }) {
  const { data: task, error, refetch } = useQuery(taskQuery(id));
  // What is shown stays while it cannot be asked for anew, and while somebody signs in again.
  const isGone = error instanceof ApiError && (error.status === 403 || error.status === 404);
  if (task !== undefined && !isGone) return <Whole task={task} search={search} me={me} />;
  if (error !== null) return <NoTask error={error} search={search} retry={() => void refetch()} />;
  return (
    <p className="hint" aria-busy="true">
      Loading
    </p>
  );
}

function NoTask({ error, search, retry }: { error: Error; search: Scope; retry: () => void }) {
  const sentences: Record<string, string> = {
    TASK_NOT_FOUND: "No such task, or it was deleted",
    FORBIDDEN: "This task is assigned to someone else",
  };
  const sentence = error instanceof ApiError ? sentences[error.code] : undefined;
  if (sentence === undefined) return <Trouble title="The task could not be loaded" error={error} retry={retry} />;
  return (
    <div className="empty">
      <h1>{sentence}</h1>
      <Link to="/inbox" search={search}>
        Back to the inbox
      </Link>
    </div>
  );
}

const TABS = ["review", "activity", "raw"] as const;
type Tab = (typeof TABS)[number];
const TAB_TITLES: Record<Tab, string> = { review: "Review", activity: "Activity", raw: "Raw" };

interface WholeProps {
  task: Task;
  search: Scope;
  me: Me;
}

function Whole({ task, search, me }: WholeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const reply = useRef<HTMLElement>(null);
  const [tab, setTab] = useState<Tab>("review");
  const isOver = useIsOver(task);
  const isOpen = isOpenStatus(task.status) && !isOver;
  const claim = useClaim(task, me);
  // Survives that the task is closed by somebody else.
  const [entered, setEntered] = useState<Entries | null>(null);
  const [isSending, setIsSending] = useState(false);
  const way = useWay(task, search, me);
  // The trail is for operators.
  const tabs = TABS.filter((known) => known !== "activity" || me.is_operator);
  const step = (by: number) => {
    const at = Math.min(Math.max(tabs.indexOf(tab) + by, 0), tabs.length - 1);
    setTab(tabs[at]!);
  };
  const copyLink = () => {
    const link = `${location.origin}/tasks/${task.id}`;
    void copy(link).then((done) => done && toast({ message: "Link copied" }));
  };
  const goToAnswer = () => {
    setTab("review");
    reply.current?.scrollIntoView({ block: "start" });
    reply.current?.querySelector<HTMLElement>("form :is(input:not([type='hidden']), select, textarea)")?.focus();
  };
  useKeys({
    Escape: way.back,
    u: way.back,
    s: isOpen ? way.skip : undefined,
    r: isOpen ? goToAnswer : undefined,
    c: isOpen ? claim.toggle : undefined,
    y: copyLink,
    z: undoLast,
    "[": () => step(-1),
    "]": () => step(1),
  });
  // Whoever opens a task hears what it is first.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const [first, rest] = headingOf(task.task);
  return (
    <>
      <header className="task-head">
        <div className="task-state">
          <button type="button" className="back" aria-label="Back to the list" onClick={way.back}>
            <IconArrowLeft size={16} stroke={1.75} aria-hidden />
          </button>
          <StatusChip status={isOver ? "timed_out" : task.status} />
          {isOpen && <Deadline created={task.created_at} at={task.timeout_at} />}
          <span className="who">{whoOf(task, me)}</span>
          <span className="grow" />
          <div className="wide-only row">
            <IconButton label="Previous task" onClick={way.previous}>
              <IconArrowUp size={16} stroke={1.75} aria-hidden />
            </IconButton>
            <IconButton label="Next task" onClick={way.next}>
              <IconArrowDown size={16} stroke={1.75} aria-hidden />
            </IconButton>
            <IconButton label="Copy link" onClick={copyLink}>
              <IconLink size={16} stroke={1.75} aria-hidden />
            </IconButton>
          </div>
          <TaskMenu
            task={task}
            me={me}
            isOpen={isOpen}
            claim={claim}
            way={way}
            copyLink={copyLink}
            showRaw={() => setTab("raw")}
          />
        </div>
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {first}
        </h1>
        {rest !== "" && (
          <p className="task-rest" dir="auto">
            {rest}
          </p>
        )}
      </header>
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
        {/* What is entered stays while another tab is looked at. */}
        <Tabs.Panel value="review" keepMounted>
          <div className="task-body">
            <Untold task={task} showActivity={() => setTab("activity")} />
            <section className="review" aria-labelledby="review">
              <h2 id="review">What to review</h2>
              <PayloadOf
                payload={task.payload}
                schema={task.payload_schema}
                hints={task.form_definition?.["payload"]}
                redact={task.redact_payload}
              />
            </section>
            <section className="reply" ref={reply} aria-labelledby="reply">
              <h2 id="reply">{isOpen ? "Your answer" : "The answer"}</h2>
              {/* That the task is closed may be heard before the answer that has closed it comes back. */}
              {isOpen || isSending ? (
                <Answer
                  task={task}
                  me={me}
                  claim={claim}
                  entered={entered}
                  onEdit={setEntered}
                  onSending={setIsSending}
                  onAccepted={way.answered}
                />
              ) : (
                <Closed task={task} me={me} isOver={isOver} entered={entered} />
              )}
            </section>
          </div>
          {isOpen && <AnswerBar form={reply} skip={way.skip} answer={goToAnswer} />}
        </Tabs.Panel>
        <Suspense fallback={<p className="hint">Loading</p>}>
          <Tabs.Panel value="activity">
            <Activity task={task} />
          </Tabs.Panel>
          <Tabs.Panel value="raw">
            <Raw task={task} />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </>
  );
}

interface AnswerBarProps {
  form: RefObject<HTMLElement | null>;
  skip: () => void;
  answer: () => void;
}

/** Where the form is below the payload: the way to it, as long as it is out of sight. */
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
        Skip
      </button>
      <button type="button" className="loud-button" onClick={answer}>
        Answer
      </button>
    </div>
  );
}

/** Says once, aloud, that little time is left. */
function LastCall({ at }: { at: string }) {
  const end = Date.parse(at);
  const now = useNow((moment) =>
    end - moment > LAST_CALL_MS ? Math.min(end - moment - LAST_CALL_MS, 60_000) + 1 : null,
  );
  return (
    <output className="unseen">
      {end - now <= LAST_CALL_MS ? "Less than two minutes are left for this task" : ""}
    </output>
  );
}

/** The ways from one task to others, in the order of the list. */
export interface Way {
  readonly back: () => void;
  readonly previous: () => void;
  readonly next: () => void;
  /** To the next open task; can be undone. */
  readonly skip: () => void;
  /** On to the next open task. */
  readonly onward: () => void;
  /** Where an answer leads: onward, and from the sample of set-up to what its agent would now be given. */
  readonly answered: () => void;
}

function useWay(task: Task, search: Scope, me: Me): Way {
  const navigate = useNavigate();
  const { data } = useInfiniteQuery(tasksQuery(search, me));
  const all = data?.pages.flatMap((page) => page.data) ?? [];
  const at = all.findIndex(({ id }) => id === task.id);
  const open = (id: string) => navigate({ to: "/tasks/$id", params: { id }, search });
  const step = (by: number) => {
    // A task that has left the list has its neighbours still where it was.
    const next = at === -1 ? all[0] : all[at + by];
    if (next !== undefined) void open(next.id);
  };
  const after = (): string | null => {
    const others = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
    return others.find(({ id, status }) => id !== task.id && isOpenStatus(status))?.id ?? null;
  };
  const onward = () => {
    const next = after();
    void (next === null ? navigate({ to: "/inbox", search }) : open(next));
  };
  return {
    back: () => void navigate({ to: "/inbox", search }).then(() => focusRow(task.id)),
    previous: () => step(-1),
    next: () => step(1),
    skip: () => {
      if (after() === null) return toast({ message: "There is no other open task in this list" });
      onward();
      undoable("Skipped", () => void open(task.id));
    },
    onward,
    answered: () => {
      if (!isSampleOfSetup(task) || !me.is_operator) return onward();
      void navigate({ to: "/setup", search: { step: "2", answered: task.id } });
    },
  };
}

/** The row is there once the list is drawn without the task beside it. */
function focusRow(id: string): void {
  requestAnimationFrame(() => rowOf(id)?.focus());
}
