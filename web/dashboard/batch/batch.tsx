import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { plural, t } from "../../../languages/text.ts";
import type { Me } from "../api.ts";
import { select, useSelection, without } from "../inbox/selection.ts";
import { useViewOf } from "../inbox/task-list.tsx";
import { tasksQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { useKeys } from "../ui/keyboard.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Compose } from "./compose.tsx";
import { Frame } from "./frame.tsx";
import { kindsOf } from "./kinds.ts";
import type { Kind } from "./kinds.ts";
import { Kinds } from "./kinds-panel.tsx";
import { Results } from "./results.tsx";
import { dismissRun, useRun } from "./run.ts";
import { sendAll } from "./send-all.ts";
import { loadTasks } from "./tasks.ts";

/** The selected tasks, to be decided with one form; or the answers that are being sent, until they were read. */
export function BatchPane({ search, me }: { search: Scope; me: Me }) {
  const run = useRun(me);
  const navigate = useNavigate();
  const back = () => void navigate({ to: "/inbox", search });
  useKeys({ Escape: back, u: back });
  // The results stay until the list has taken their place.
  const close = () => void navigate({ to: "/inbox", search }).then(dismissRun);
  if (run !== null) return <Results run={run} me={me} search={search} back={back} close={close} />;
  return <Chosen search={search} me={me} back={back} />;
}

interface PaneProps {
  search: Scope;
  me: Me;
  back: () => void;
}

function Chosen({ search, me, back }: PaneProps) {
  const view = useViewOf(search, me);
  const selection = useSelection(view);
  const ids = [...selection.ids].toSorted();
  const { data: list } = useInfiniteQuery(tasksQuery(search, me));
  const order = list?.pages.flatMap((page) => page.data.map(({ id }) => id)) ?? [];
  const { data, error, refetch } = useQuery({
    queryKey: ["batch", ids],
    // In the order of the list; tasks that have left it come last.
    queryFn: () => loadTasks([...order.filter((id) => selection.ids.has(id)), ...ids], search, me),
    enabled: ids.length > 0,
    // While one task more is loaded, the others stay.
    placeholderData: (known) => known,
    staleTime: Infinity,
    gcTime: 0,
  });
  const [key, setKey] = useState<string | null>(null);
  const wanted = useMemo(() => data?.filter(({ id }) => selection.ids.has(id)) ?? [], [data, selection.ids]);
  const kinds = useMemo(() => kindsOf(wanted), [wanted]);
  if (ids.length === 0) return <NoneSelected search={search} />;
  if (error !== null)
    return <ErrorPanel title={t("Could not load the tasks")} error={error} retry={() => void refetch()} />;
  if (data === undefined)
    return (
      <p className="hint" aria-busy="true">
        {t("Loading")}
      </p>
    );
  const kind = kinds.length === 1 ? kinds[0] : kinds.find((one) => one.key === key);
  if (kind === undefined)
    return (
      <Frame title={plural(wanted.length, "Decide {n} task together", "Decide {n} tasks together")} back={back}>
        <Kinds kinds={kinds} choose={(one: Kind) => setKey(one.key)} />
      </Frame>
    );
  return (
    <Compose
      key={kind.key}
      kind={kind}
      others={wanted.length - kind.tasks.length}
      search={search}
      me={me}
      back={back}
      remove={(id) => select(view, (now) => without(now, new Set([id])))}
      send={(items) => {
        // From here on they belong to the batch. What is selected of other kinds stays selected.
        select(view, (now) => without(now, new Set(items.map(({ task }) => task.id))));
        void sendAll(me, items);
      }}
    />
  );
}

function NoneSelected({ search }: { search: Scope }) {
  return (
    <div className="empty">
      <h1>{t("No tasks are selected")}</h1>
      <p>{t("Select tasks in the list to decide them together: point at a row, and tick the box.")}</p>
      <Link to="/inbox" search={search}>
        {t("Back to the list")}
      </Link>
    </div>
  );
}
