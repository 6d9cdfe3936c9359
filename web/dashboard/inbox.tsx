import { Button, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ListedTask, Me } from "./api.ts";
import { Trouble, usePageTitle } from "./page.tsx";
import { meQuery, tasksQuery } from "./queries.ts";
import type { Scope } from "./queries.ts";
import { Snippet } from "./snippet.tsx";
import { Deadline, StatusChip } from "./status.tsx";
import { TaskPane } from "./task.tsx";
import { whoOf } from "./who.ts";

const TITLES: Record<Scope["scope"], string> = { all: "Inbox", mine: "Mine", unclaimed: "Unclaimed", done: "Done" };

/** The list, and beside it the task that is open. */
export function InboxPage({ id, search }: { id: string | null; search: Scope }) {
  const { data: me } = useQuery(meQuery);
  usePageTitle(TITLES[search.scope]);
  if (me === undefined) return null;
  return (
    <div className={id === null ? "desk" : "desk has-task"}>
      <TaskList id={id} search={search} me={me} />
      <main id="main" className="pane" tabIndex={-1}>
        {id === null ? (
          <p className="hint">Choose a task to see what is asked.</p>
        ) : (
          <TaskPane key={id} id={id} search={search} me={me} />
        )}
      </main>
    </div>
  );
}

function TaskList({ id, search, me }: { id: string | null; search: Scope; me: Me }) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(tasksQuery(search, me));
  const tasks = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="list" aria-label={TITLES[search.scope]}>
      <header>
        <h1>{TITLES[search.scope]}</h1>
        <TextInput
          type="search"
          aria-label="Search"
          placeholder="Search"
          size="xs"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={search.q}
          onChange={(event) =>
            void navigate({ to: ".", search: { ...search, q: event.currentTarget.value }, replace: true })
          }
        />
      </header>
      {query.isPending ? (
        <Skeletons />
      ) : query.isError ? (
        <Trouble title="The list could not be loaded" error={query.error} retry={() => void query.refetch()} />
      ) : tasks.length === 0 ? (
        <Nothing search={search} />
      ) : (
        <ul>
          {tasks.map((task) => (
            <Row key={task.id} task={task} isOpen={task.id === id} search={search} me={me} />
          ))}
          {query.hasNextPage && (
            <li>
              <Button
                variant="default"
                fullWidth
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                Load more
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function Row({ task, isOpen, search, me }: { task: ListedTask; isOpen: boolean; search: Scope; me: Me }) {
  const reason = task.status === "rejected" ? task.verifier_result?.reason : null;
  return (
    <li>
      <Link
        to="/tasks/$id"
        params={{ id: task.id }}
        search={search}
        className="task-row"
        aria-current={isOpen ? "true" : undefined}
      >
        <span className="task-text" dir="auto">
          {task.task}
        </span>
        {reason !== null && reason !== undefined && (
          <span className="task-reason" dir="auto">
            {reason}
          </span>
        )}
        <span className="task-meta">
          <StatusChip status={task.status} />
          <span className="who">{whoOf(task, me)}</span>
          {task.status === "created" || task.status === "rejected" ? (
            <Deadline created={task.created_at} at={task.timeout_at} />
          ) : null}
        </span>
      </Link>
    </li>
  );
}

function Skeletons() {
  return (
    <ul aria-busy="true" aria-label="Loading">
      {["a", "b", "c", "d", "e", "f"].map((key) => (
        <li key={key} className="skeleton" />
      ))}
    </ul>
  );
}

function Nothing({ search }: { search: Scope }) {
  const navigate = useNavigate();
  if (search.q !== "")
    return (
      <div className="empty">
        <h2>No tasks match</h2>
        <Button variant="default" onClick={() => void navigate({ to: ".", search: { ...search, q: "" } })}>
          Clear the search
        </Button>
      </div>
    );
  return (
    <div className="empty">
      <h2>{search.scope === "done" ? "Nothing has been answered yet" : "Nothing is waiting"}</h2>
      {search.scope === "all" && (
        <>
          <p>An agent asks with one call:</p>
          <Snippet />
        </>
      )}
    </div>
  );
}
