import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { t } from "../../../languages/text.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import type { Me } from "../api.ts";
import { usePageTitle } from "../ui/page.tsx";
import { useKeys } from "../ui/keyboard.ts";
import { useIsPhone } from "../ui/phone.ts";
import { setPreferences, usePreferences } from "../ui/preferences.ts";
import { BatchPane } from "../batch/lazy.ts";
import { meQuery, taskQuery, tasksQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { Divider } from "./lazy.tsx";
import { enterTask, setFollowed, useFetchAhead, usePreview } from "./reading.ts";
import { useSelection } from "./selection.ts";
import { TaskList, TITLES, useViewOf } from "./task-list.tsx";
import { columnsOf } from "./widths.ts";
import { TaskPane } from "../task/task.tsx";
import { useShownView } from "../views/shown.ts";

/** While a key is held down, or pressed faster than this, only titles are shown. The task loads after a pause. */
const PAUSE_MS = 100;

interface InboxPageProps {
  id: string | null;
  /** Whether selected tasks are decided together beside the list. */
  isBatch: boolean;
  search: Scope;
}

export function InboxPage(props: InboxPageProps) {
  const { data: me } = useQuery(meQuery);
  return me === undefined ? null : <Desk {...props} me={me} />;
}

/** The list, and beside it the open task, or the selected tasks to decide them together. */
function Desk({ id, isBatch, search, me }: InboxPageProps & { me: Me }) {
  const navigate = useNavigate();
  const { isWide, listWidth } = usePreferences();
  const isPhone = useIsPhone();
  // Only one of the two is shown: a phone has no room for both, and a person may want the full width.
  const isNarrow = isPhone || isWide;
  const view = useViewOf(search, me);
  const { data } = useInfiniteQuery(tasksQuery(search, me));
  const tasks = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const preview = usePreview(view, id, tasks, isNarrow || isBatch);
  const shown = id ?? preview;
  const { data: task } = useQuery({ ...taskQuery(shown ?? ""), enabled: shown !== null });
  useFetchAhead(shown, tasks ?? [], task !== undefined);
  const { passing, follow, go, enter } = useFollow(shown, search);
  const title = isBatch ? t("Decide together") : id === null || task === undefined ? null : headingOf(task.task)[0];
  // The title of a tab with a task begins with the task's name, to distinguish several tabs.
  const shownView = useShownView(search);
  usePageTitle(title ?? shownView?.name ?? TITLES[search.scope], title === null);
  // The link that skips the navigation leads to it.
  const isListAlone = isNarrow && shown === null && !isBatch;
  const current = passing?.id ?? shown;
  const desk = useRef<HTMLDivElement>(null);
  const columns = isPhone ? "" : isWide ? "minmax(0, 1fr)" : columnsOf(listWidth);
  useLayoutEffect(() => {
    desk.current!.style.gridTemplateColumns = columns;
  }, [columns]);
  const isListHidden = isNarrow && (current !== null || isBatch);
  useKeys({ f: isPhone ? undefined : () => setPreferences({ isWide: !isWide }) });
  return (
    <div className={current === null && !isBatch ? "desk" : "desk has-task"} ref={desk}>
      {!isNarrow && <Divider />}
      <TaskList
        id={current}
        isBatch={isBatch}
        search={search}
        me={me}
        isMain={isListAlone}
        isHidden={isListHidden}
        isWide={isWide && !isPhone}
        follow={isBatch ? null : isListHidden ? go : isNarrow ? null : follow}
        enter={enter}
      />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it is told that the focus went into it */}
      <main
        id={isListAlone ? undefined : "main"}
        className="pane"
        tabIndex={-1}
        hidden={isListAlone}
        data-shown={shown ?? undefined}
        onFocus={() => {
          // The person goes into the task that opened by itself.
          if (preview !== null) void navigate({ to: "/tasks/$id", params: { id: preview }, search });
        }}
      >
        {isBatch ? (
          <BatchPane search={search} me={me} />
        ) : passing?.isFast === true ? (
          <p className="hint" aria-busy="true" dir="auto">
            {headingOf(tasks?.find((one) => one.id === passing.id)?.task ?? "")[0]}
          </p>
        ) : shown === null ? (
          <Hint search={search} me={me} />
        ) : (
          <TaskPane key={shown} id={shown} search={search} me={me} isPreview={preview !== null} />
        )}
      </main>
    </div>
  );
}

/** A task that a key has moved to, and that is not open yet. */
interface Passing {
  readonly id: string;
  /** Whether its title takes the place of the task before. */
  readonly isFast: boolean;
}

/** Opens tasks beside the list as keys move through it. @returns also the task that is only passed at the moment */
function useFollow(shown: string | null, search: Scope) {
  const navigate = useNavigate();
  const [passing, setPassing] = useState<Passing | null>(null);
  // The task before does not come back until this one is there.
  if (passing !== null && passing.id === shown) setPassing(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const frame = useRef(0);
  const last = useRef(0);
  const clear = useCallback((): void => {
    clearTimeout(timer.current);
    cancelAnimationFrame(frame.current);
  }, []);
  useEffect(() => clear, [clear]);
  const follow = (to: string, event: KeyboardEvent): void => {
    clear();
    const isFast = event.repeat || event.timeStamp - last.current < PAUSE_MS;
    last.current = event.timeStamp;
    const open = (): void => {
      setFollowed(to);
      // One way back leads out of all tasks that were passed.
      void navigate({ to: "/tasks/$id", params: { id: to }, search, replace: location.pathname !== "/inbox" });
    };
    setPassing({ id: to, isFast });
    if (isFast) timer.current = setTimeout(open, PAUSE_MS);
    // The row is drawn before the task, which takes longer.
    else frame.current = requestAnimationFrame(() => (timer.current = setTimeout(open)));
  };
  /** Opens a task while there is no list. */
  const go = (to: string): void => {
    setFollowed(null);
    void navigate({ to: "/tasks/$id", params: { id: to }, search, replace: true });
  };
  const enter = (to: string): void => {
    clear();
    setPassing(null);
    enterTask(to);
  };
  return { passing, follow, go, enter };
}

function Hint({ search, me }: { search: Scope; me: Me }) {
  const { singleKeys } = usePreferences();
  const selection = useSelection(useViewOf(search, me));
  if (selection.ids.size > 0)
    return (
      <p className="hint">
        {singleKeys
          ? t("Decide the selected tasks together, with D. Esc clears the selection.")
          : t("Decide the selected tasks together. Esc clears the selection.")}
      </p>
    );
  return (
    <p className="hint">
      {singleKeys ? t("Select a task. Use J and K to move, Enter to open, X to select.") : t("Select a task.")}
    </p>
  );
}
