import { useQuery } from "@tanstack/react-query";
import { headingOf } from "../../../form/plan/heading.ts";
import { usePageTitle } from "../ui/page.tsx";
import { useIsPhone } from "../ui/phone.ts";
import { usePreferences } from "../ui/preferences.ts";
import { meQuery, taskQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { TaskList, TITLES } from "./task-list.tsx";
import { TaskPane } from "../task/task.tsx";

/** The list, and the open task beside it. */
export function InboxPage({ id, search }: { id: string | null; search: Scope }) {
  const { data: me } = useQuery(meQuery);
  const { data: task } = useQuery({ ...taskQuery(id ?? ""), enabled: id !== null });
  const title = id === null || task === undefined ? null : headingOf(task.task)[0];
  // The title of a tab with a task begins with the task's name, to distinguish several tabs.
  usePageTitle(title ?? TITLES[search.scope], title === null);
  // A phone has room for only one of the two. The link that skips the navigation leads to it.
  const isListAlone = useIsPhone() && id === null;
  if (me === undefined) return null;
  return (
    <div className={id === null ? "desk" : "desk has-task"}>
      <TaskList id={id} search={search} me={me} isMain={isListAlone} />
      <main id={isListAlone ? undefined : "main"} className="pane" tabIndex={-1}>
        {id === null ? <Hint /> : <TaskPane key={id} id={id} search={search} me={me} />}
      </main>
    </div>
  );
}

function Hint() {
  const { singleKeys } = usePreferences();
  return <p className="hint">Select a task.{singleKeys && " Use J and K to move, Enter to open."}</p>;
}
