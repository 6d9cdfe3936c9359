import { useQuery } from "@tanstack/react-query";
import type { Me } from "../api.ts";
import { usePageTitle } from "../ui/page.tsx";
import { meQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { TaskList, TITLES } from "./task-list.tsx";
import { TaskPane } from "../task/task.tsx";

/** The list, and beside it the task that is open. */
export function InboxPage({ id, search }: { id: string | null; search: Scope }) {
  const { data: me } = useQuery(meQuery);
  usePageTitle(TITLES[search.scope]);
  if (me === undefined) return null;
  return (
    <div className={id === null ? "desk" : "desk has-task"}>
      <TaskList id={id} search={search} me={me} />
      <main id="main" className="pane" tabIndex={-1}>
        {id === null ? <Hint me={me} /> : <TaskPane key={id} id={id} search={search} me={me} />}
      </main>
    </div>
  );
}

function Hint({ me }: { me: Me }) {
  return (
    <p className="hint">
      Choose a task to see what is asked.
      {me.is_operator && " Or press J and K to go through the list, and Enter to open a task."}
    </p>
  );
}
