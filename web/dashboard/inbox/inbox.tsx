import { useQuery } from "@tanstack/react-query";
import { headingOf } from "../../../form/plan/heading.ts";
import type { Me } from "../api.ts";
import { usePageTitle } from "../ui/page.tsx";
import { useIsPhone } from "../ui/phone.ts";
import { usePreferences } from "../ui/preferences.ts";
import { BatchPane } from "../batch/lazy.ts";
import { meQuery, taskQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { useSelection } from "./selection.ts";
import { TaskList, TITLES, useViewOf } from "./task-list.tsx";
import { TaskPane } from "../task/task.tsx";

interface InboxPageProps {
  id: string | null;
  /** Whether selected tasks are decided together beside the list. */
  isBatch?: boolean;
  search: Scope;
}

/** The list, and beside it the open task, or the selected tasks to decide them together. */
export function InboxPage({ id, isBatch = false, search }: InboxPageProps) {
  const { data: me } = useQuery(meQuery);
  const { data: task } = useQuery({ ...taskQuery(id ?? ""), enabled: id !== null });
  const ofTask = id === null || task === undefined ? null : headingOf(task.task)[0];
  const title = isBatch ? "Decide together" : ofTask;
  // The title of a tab with a task begins with the task's name, to distinguish several tabs.
  usePageTitle(title ?? TITLES[search.scope], title === null);
  // A phone has room for only one of the two. The link that skips the navigation leads to it.
  const isListAlone = useIsPhone() && id === null && !isBatch;
  if (me === undefined) return null;
  return (
    <div className={id === null && !isBatch ? "desk" : "desk has-task"}>
      <TaskList id={id} isBatch={isBatch} search={search} me={me} isMain={isListAlone} />
      <main id={isListAlone ? undefined : "main"} className="pane" tabIndex={-1}>
        {isBatch ? (
          <BatchPane search={search} me={me} />
        ) : id === null ? (
          <Hint search={search} me={me} />
        ) : (
          <TaskPane key={id} id={id} search={search} me={me} />
        )}
      </main>
    </div>
  );
}

function Hint({ search, me }: { search: Scope; me: Me }) {
  const { singleKeys } = usePreferences();
  const selection = useSelection(useViewOf(search, me));
  if (selection.ids.size > 0)
    return (
      <p className="hint">Decide the selected tasks together{singleKeys && ", with D"}. Esc clears the selection.</p>
    );
  return <p className="hint">Select a task.{singleKeys && " Use J and K to move, Enter to open, X to select."}</p>;
}
