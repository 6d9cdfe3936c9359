import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { as, plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { ActionTag } from "../action/line.tsx";
import { get } from "../api.ts";
import type { ListedTask, Me } from "../api.ts";
import { BatchBar } from "../batch/lazy.ts";
import { useRun } from "../batch/run.ts";
import { ClosedFilters, Filters, isFiltered } from "./filters.tsx";
import { Days, EndedAt, OutcomeChip } from "./outcome.tsx";
import { agentOf } from "../../../form/asker.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import { IconRobot } from "../ui/icons.tsx";
import { PASS, useKeys } from "../ui/keyboard.ts";
import { sentenceOf, ErrorPanel } from "../ui/page.tsx";
import { lazily } from "../ui/lazily.tsx";
import { usePreferences } from "../ui/preferences.ts";
import { useProjectName } from "../projects/name.tsx";
import { countsQuery, tasksQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { isBesideList } from "./reading.ts";
import { currentRow, rowsIn, tick, useRowSelection } from "./select-rows.ts";
import { NOTHING, select, useSelection } from "./selection.ts";
import { waitingIn } from "./total.ts";
import { WidthButton } from "./width-button.tsx";
import { useIsHeld } from "../task/held.ts";
import { canUndo, undoLast } from "../task/undo.ts";
import { Deadline, isOpenStatus, PriorityChip, ReplyChip, useIsOver } from "../ui/status.tsx";
import { FactsLine, FewLabels, rowWhoOf } from "./row-parts.tsx";
import { SnoozedUntil } from "../snooze/words.tsx";
import { useShownView } from "../views/shown.ts";
import { useNames } from "./who.ts";
import type { Names } from "./names.ts";

const FirstTask = lazily("first task", async () => (await import("./first-task.tsx")).FirstTask);

export const TITLES: Record<Scope["scope"], string> = {
  all: t("Inbox"),
  mine: as("my tasks", "Mine"),
  unclaimed: t("Unassigned"),
  done: t("Closed"),
};

/** Returns the row of a task in the list, as an element that can have the focus. */
export function rowOf(id: string): HTMLElement | null {
  return document.querySelector(`[data-task="${CSS.escape(id)}"]`);
}

/** Rows that are drawn before the others of the first page; at least a screen of them. */
const ROWS_FIRST = 15;

interface TaskListProps {
  /** The task that is open beside the list. */
  id: string | null;
  /** Whether selected tasks are being decided beside the list. */
  isBatch: boolean;
  search: Scope;
  me: Me;
  /** Whether the page shows only the list. */
  isMain: boolean;
  /** Whether the task has the full width. */
  isHidden: boolean;
  /** Whether the list has the full width while no task is open. */
  isWide: boolean;
  /** Opens a task beside the list, and leaves the focus in the list; null: there is no place for it. */
  follow: Follow | null;
  /** Called when a row is opened, to go into its task. */
  enter: (id: string) => void;
}

type Follow = (id: string, event: KeyboardEvent) => void;

/** Identifies a list with its filters, as one person sees it. */
export function useViewOf(search: Scope, { user_id }: Me): string {
  const { project } = usePreferences();
  return JSON.stringify([user_id, project, search]);
}

export function TaskList({ id, isBatch, search, me, isMain, isHidden, isWide, follow, enter }: TaskListProps) {
  const section = useRef<HTMLElement>(null);
  const query = useInfiniteQuery(tasksQuery(search, me));
  const { data: counts } = useQuery(countsQuery);
  const tasks = query.data?.pages.flatMap((page) => page.data) ?? [];
  const hasTasks = tasks.length > 0;
  const [isWhole, setIsWhole] = useState(hasTasks);
  useEffect(() => {
    // An effect runs after the first rows were painted.
    const timer = setTimeout(() => setIsWhole(hasTasks));
    return () => clearTimeout(timer);
  }, [hasTasks]);
  const waiting = waitingIn(counts, search);
  // What is beside the list has the page's first heading.
  const Heading = id === null && !isBatch ? "h1" : "h2";
  const said = useNews(tasks, search);
  const names = useNames(me);
  const view = useViewOf(search, me);
  const title = useShownView(search)?.name ?? TITLES[search.scope];
  const selection = useSelection(view);
  const run = useRun(me);
  const order = search.scope === "done" ? [] : tasks.filter(({ status }) => isOpenStatus(status)).map(({ id }) => id);
  const selected = order.filter((one) => selection.ids.has(one));
  const isSelecting = selected.length > 0 || (selection.byTouch && order.length > 0);
  const canSelect = order.length > 0;
  useEffect(() => {
    if (canSelect) void BatchBar.preload();
  }, [canSelect]);
  useEffect(() => void ClosedFilters.preload(), []);
  useListKeys(section, follow);
  useRowSelection({ section, view, search, order, selected, selection });
  useSteadyRows(section, [query.data, names, counts]);
  const row = (task: ListedTask) => (
    <Row
      key={task.id}
      task={task}
      isOpen={task.id === id}
      isSelected={canSelect && isOpenStatus(task.status) ? selection.ids.has(task.id) : null}
      view={view}
      search={search}
      me={me}
      names={names}
      enter={enter}
    />
  );
  return (
    <section
      className={isSelecting ? "list selecting" : "list"}
      hidden={isHidden}
      aria-label={title}
      ref={section}
      {...(isMain && { id: "main", tabIndex: -1 })}
    >
      <header>
        <div className="list-title">
          <Heading dir="auto">{title}</Heading>
          {query.data !== undefined && (
            <span className="muted">{countOf(tasks.length, query.hasNextPage, waiting, search)}</span>
          )}
          {canSelect && (
            <button
              type="button"
              className="link-button select-rows"
              onClick={() => select(view, (now) => (isSelecting ? NOTHING : { ...now, byTouch: true }))}
            >
              {isSelecting ? t("Cancel") : t("Select")}
            </button>
          )}
          {isWide && (
            <>
              <span className="grow" />
              <WidthButton label={t("Show tasks beside the list")} />
            </>
          )}
        </div>
        <Filters search={search} me={me} tasks={tasks} />
      </header>
      <output className="unseen">{said}</output>
      {query.isPending ? (
        <Skeletons />
      ) : query.isError && tasks.length === 0 ? (
        <ErrorPanel title={t("Could not load the list")} error={query.error} retry={() => void query.refetch()} />
      ) : tasks.length === 0 ? (
        <Nothing search={search} me={me} />
      ) : search.scope === "done" ? (
        <>
          <Days tasks={tasks} as={Heading === "h1" ? "h2" : "h3"}>
            {row}
          </Days>
          {query.hasNextPage && <LoadMore query={query} />}
        </>
      ) : (
        <ul>
          {(isWhole ? tasks : tasks.slice(0, ROWS_FIRST)).map(row)}
          {isWhole && query.hasNextPage && (
            <li>
              <LoadMore query={query} />
            </li>
          )}
        </ul>
      )}
      {!isBatch && (isSelecting || run !== null) && (
        <BatchBar view={view} order={order} selected={selected} search={search} me={me} waiting={waiting} run={run} />
      )}
    </section>
  );
}

/** Returns the count of the list: the tasks that match the filter, and all open tasks. */
function countOf(listed: number, hasMore: boolean, waiting: number | undefined, search: Scope): string {
  const found = `${listed}${hasMore ? "+" : ""}`;
  if (waiting === undefined) return isFiltered(search) ? t("{found} found", { found }) : "";
  return isFiltered(search) ? t("{found} of {waiting}", { found, waiting }) : t("{waiting} waiting", { waiting });
}

/**
 * Handles J, K and arrows, which move through the rows, starting at the focused or the open row, or else at the first. What is
 * beside the list follows.
 */
function useListKeys(section: RefObject<HTMLElement | null>, follow: Follow | null): void {
  const move = (by: number) => (event: KeyboardEvent) => {
    const all = rowsIn(section);
    const at = currentRow(all);
    const row = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    row?.focus();
    const id = row?.dataset["task"];
    if (id !== undefined && row?.ariaCurrent !== "true") follow?.(id, event);
  };
  // Beside the list, arrows scroll.
  const arrow = (by: number) => (event: KeyboardEvent) => (isBesideList() ? PASS : move(by)(event));
  const open = () => {
    const all = rowsIn(section);
    all[Math.max(currentRow(all), 0)]?.click();
  };
  useKeys({
    j: move(1),
    k: move(-1),
    ArrowDown: arrow(1),
    ArrowUp: arrow(-1),
    o: open,
    // Also while no task is open, because the last one was answered. Asked when it is needed: nothing draws the list again then.
    get z() {
      return canUndo() ? undoLast : undefined;
    },
    Enter: () => (isBesideList() ? PASS : open()),
    "/": () => section.current?.querySelector<HTMLElement>("[type='search']")?.focus(),
  });
}

/**
 * Keeps the row under the pointer, the focused row or the open row in place when rows above it come or go. Browsers do
 * this if the list is scrolled down, but not at the top.
 * @param changes - what can make rows come, go or grow. Measuring takes longer than anything else that a key does.
 */
function useSteadyRows(section: RefObject<HTMLElement | null>, changes: readonly unknown[]): void {
  const tops = useRef(new Map<string, number>());
  const pointed = useRef<string | null>(null);
  useEffect(() => {
    const list = section.current!;
    const follow = ({ target, type }: Event) => {
      const row =
        type === "pointerleave" || !(target instanceof Element) ? null : target.closest<HTMLElement>("[data-task]");
      pointed.current = row?.dataset["task"] ?? null;
    };
    list.addEventListener("pointerover", follow);
    list.addEventListener("pointerleave", follow);
    return () => {
      list.removeEventListener("pointerover", follow);
      list.removeEventListener("pointerleave", follow);
    };
  }, [section]);
  useLayoutEffect(() => {
    const rows = [...(section.current?.querySelectorAll<HTMLElement>("[data-task]") ?? [])];
    // Counted from the first row: what stands above the rows may have changed its height since, for reasons of its own.
    const topOf = (row: HTMLElement | undefined): number => row?.parentElement?.offsetTop ?? 0;
    const first = topOf(rows[0]);
    const now = new Map(rows.map((row) => [row.dataset["task"]!, topOf(row) - first]));
    const focused = document.activeElement?.closest<HTMLElement>("[data-task]")?.dataset["task"];
    const current = rows.find((row) => row.ariaCurrent !== null)?.dataset["task"];
    for (const id of [pointed.current, focused, current]) {
      const before = tops.current.get(id ?? "");
      const after = now.get(id ?? "");
      if (before === undefined || after === undefined) continue;
      section.current?.scrollBy({ top: after - before, behavior: "instant" });
      break;
    }
    tops.current = now;
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller names them
  }, changes);
}

/** Returns the changes since the list was opened as text, for people who cannot see them. */
function useNews(tasks: readonly ListedTask[], search: Scope): string {
  const [opened] = useState(() => Date.now());
  const known = useRef<{ view: string; ids: ReadonlySet<string> } | null>(null);
  const [said, setSaid] = useState("");
  const view = JSON.stringify(search);
  useEffect(() => {
    const before = known.current;
    known.current = { view, ids: new Set(tasks.map(({ id }) => id)) };
    if (before?.view !== view) return;
    const news = tasks.filter(({ id, created_at }) => !before.ids.has(id) && Date.parse(created_at) > opened);
    if (news.length === 1) setSaid(t("New: {task}", { task: news[0]!.task.slice(0, 140) }));
    else if (news.length > 1) setSaid(plural(news.length, "{n} new task", "{n} new tasks"));
  }, [tasks, view, opened]);
  return said;
}

interface RowProps {
  task: ListedTask;
  isOpen: boolean;
  /** null: it cannot be selected. */
  isSelected: boolean | null;
  /** Of the list, for its selection. */
  view: string;
  search: Scope;
  me: Me;
  names: Names;
  enter: (id: string) => void;
}

const Row = memo(
  function Row({ task, isOpen, isSelected, view, search, me, names, enter }: RowProps) {
    const reason = task.status === "rejected" ? task.verifier_result?.reason : null;
    const isOver = useIsOver(task);
    const isAsked = task.waiting_on === "agent" && !isOver;
    const isOpenNow = isOpenStatus(task.status) && !isOver;
    const who = isOver ? null : rowWhoOf(task, me, names);
    const agent = agentOf(task);
    const project = useProjectName(task.project);
    const isSending = useIsHeld(task.id);
    return (
      <li>
        <Link
          to="/tasks/$id"
          params={{ id: task.id }}
          search={search}
          className="task-row"
          data-task={task.id}
          aria-current={isOpen ? "true" : undefined}
          onClick={() => enter(task.id)}
        >
          <span className="task-text" dir="auto">
            {task.task}
          </span>
          {reason !== null && reason !== undefined && (
            <span className="task-reason" dir="auto">
              {reason.split("\n")[0]}
            </span>
          )}
          <FactsLine facts={task.facts} />
          <ActionTag task={task} />
          {isOpenNow && task.snoozed_until !== undefined && (
            <span className="task-meta">
              <SnoozedUntil until={task.snoozed_until} />
            </span>
          )}
          {(agent !== null || project !== null || task.labels.length > 0) && (
            <span className="task-meta">
              {agent !== null && <IconRobot size={14} stroke={1.75} aria-hidden />}
              {(agent !== null || project !== null) && (
                <span className="who">
                  {agent !== null && (
                    <>
                      <span className="unseen">{t("Asked by")} </span>
                      {agent}
                    </>
                  )}
                  {agent !== null && project !== null && " · "}
                  {project !== null && (
                    <>
                      <span className="unseen">{t("Project:")} </span>
                      {project}
                    </>
                  )}
                </span>
              )}
              <FewLabels labels={task.labels} />
            </span>
          )}
          <span className="task-meta">
            {/* Most tasks of an inbox wait. */}
            {!(isOpenNow && task.status === "created") && <OutcomeChip task={task} isOver={isOver} />}
            {isSending && <span className="chip info">{t("Sending")}</span>}
            {isAsked && <ReplyChip asker={task.asked_by.name} />}
            {isOpenNow && <PriorityChip task={task} />}
            {who !== null && <span className="who">{who}</span>}
            {isOpenNow && <Deadline created={task.created_at} at={task.timeout_at} />}
            {who === null && !isOpenStatus(task.status) && <span className="grow" />}
            <EndedAt task={task} />
          </span>
        </Link>
        {isSelected !== null && (
          <label className="tick">
            <input
              type="checkbox"
              aria-label={t("Select: {task}", { task: headingOf(task.task)[0] })}
              checked={isSelected}
              onChange={({ nativeEvent }) => tick(view, task.id, (nativeEvent as MouseEvent).shiftKey)}
            />
          </label>
        )}
      </li>
    );
  },
  (before, after) =>
    before.isOpen === after.isOpen &&
    before.isSelected === after.isSelected &&
    before.view === after.view &&
    before.task === after.task &&
    before.me === after.me &&
    before.names === after.names &&
    (before.search === after.search || JSON.stringify(before.search) === JSON.stringify(after.search)),
);

interface LoadMoreProps {
  query: {
    isFetching: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: Error | null;
    fetchNextPage: () => Promise<unknown>;
  };
}

/**
 * Loads the next part when it comes into view. It checks again after each fetch, because a change that arrives during a
 * fetch refreshes the list and drops that part. After a failure, only the button retries.
 */
function LoadMore({ query }: LoadMoreProps) {
  const place = useRef<HTMLDivElement>(null);
  const { isFetching, isFetchNextPageError: hasFailed, fetchNextPage } = query;
  useEffect(() => {
    if (isFetching || hasFailed) return undefined;
    // After the next layout, an observer reports whether its element is in view.
    const watch = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage();
    });
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, [isFetching, hasFailed, fetchNextPage]);
  return (
    <div className="stack rest" ref={place}>
      {hasFailed && query.error !== null && (
        <p className="muted" role="alert">
          {t("Could not load the rest of the list. {error}", { error: sentenceOf(query.error) })}
        </p>
      )}
      <Button variant="default" fullWidth loading={query.isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t("Load more")}
      </Button>
    </div>
  );
}

function Skeletons() {
  return (
    <ul aria-busy="true" aria-label={t("Loading")}>
      {["a", "b", "c", "d", "e", "f"].map((key) => (
        <li key={key} className="skeleton" />
      ))}
    </ul>
  );
}

/** What `is:` takes in a search. */
const STATES =
  "open, closed, waiting, sent-back, completed, timed-out, cancelled, failed-checks, urgent, high, low, unassigned, mine, snoozed";

function Nothing({ search, me }: { search: Scope; me: Me }) {
  const navigate = useNavigate();
  const { data: counts } = useQuery(countsQuery);
  const { data: isUsed } = useQuery({
    queryKey: ["tasks", "any"],
    queryFn: async () => (await get<unknown[]>("/api/tasks?limit=1")).length > 0,
  });
  if (isFiltered(search))
    return (
      <div className="empty">
        <h2>{t("No tasks match")}</h2>
        {search.q !== "" && (
          <>
            <p>{t("Search looks in titles, facts, labels, ids, idempotency keys, agents and people.")}</p>
            <p>
              {rich("It knows {from}, {by}, {label}, and {is} with one of these words: {words}.", {
                from: <code>from:agent</code>,
                by: <code>by:person</code>,
                label: <code>label:name</code>,
                is: <code>is:</code>,
                words: <code>{STATES}</code>,
              })}
            </p>
          </>
        )}
        <Button
          variant="default"
          onClick={() => void navigate({ to: ".", search: { scope: search.scope, sort: search.sort } })}
        >
          {t("Clear filters")}
        </Button>
        {search.q !== "" && (
          <Link to="/inbox" search={search.scope === "done" ? { q: search.q } : { scope: "done", q: search.q }}>
            {search.scope === "done" ? t("Search open tasks") : t("Search closed tasks")}
          </Link>
        )}
      </div>
    );
  if (search.scope === "done")
    return (
      <div className="empty">
        <h2>{t("No closed tasks yet")}</h2>
        <Link to="/inbox">{t("Go to the inbox")}</Link>
      </div>
    );
  if (isUsed === false && me.is_operator) return <FirstTask />;
  const closed = counts?.closed_today ?? 0;
  return (
    <div className="empty">
      <h2>{t("All done")}</h2>
      <p>
        {closed === 0
          ? t("You're all caught up.")
          : plural(closed, "{n} task closed today (UTC).", "{n} tasks closed today (UTC).")}
      </p>
      <Link to="/inbox" search={{ scope: "done" }}>
        {t("View closed tasks")}
      </Link>
    </div>
  );
}
