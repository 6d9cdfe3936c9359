import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { InfiniteData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { ListedTask, Me } from "../api.ts";
import { BATCH_MAX, NOTHING, replaced, select } from "../inbox/selection.ts";
import { tasksQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { useKeys } from "../ui/keyboard.ts";
import { sentenceOf } from "../ui/page.tsx";
import { usePreferences } from "../ui/preferences.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { toast } from "../ui/toasts.ts";
import { countRun } from "./run.ts";
import type { Run } from "./run.ts";

/** A list that loses rows while it is loaded is loaded again, but not for ever. */
const LOADS_MAX = 12;

interface BatchBarProps {
  view: string;
  /** The ids of all rows that can be selected, from top to bottom. */
  order: readonly string[];
  selected: readonly string[];
  search: Scope;
  me: Me;
  /** All open tasks of the list without its filters; undefined while that is not known. */
  waiting: number | undefined;
  run: Run | null;
}

/** Below the rows: how many are selected, and what can be done with them; or the batch that is being sent. */
export function BatchBar(props: BatchBarProps) {
  const { run, search, selected } = props;
  return (
    <div className="batch-bar">
      {run !== null && <Running run={run} search={search} />}
      {run === null && <Selected {...props} />}
      {run !== null && selected.length > 0 && (
        <p className="muted">{plural(selected.length, "{n} selected for afterwards", "{n} selected for afterwards")}</p>
      )}
    </div>
  );
}

function Running({ run, search }: { run: Run; search: Scope }) {
  const { done, failed } = countRun(run);
  const all = run.items.length;
  return (
    <div className="batch-line">
      <p>
        {run.isSending
          ? t("Sending: {done} of {all}", { done: done + failed, all })
          : t("{done} of {all} decided", { done, all })}
        {failed > 0 && <span className="batch-failed">{plural(failed, "{n} not decided", "{n} not decided")}</span>}
      </p>
      <Link to="/batch" search={search} className="batch-open">
        {run.isSending ? t("Show") : t("Results")}
      </Link>
    </div>
  );
}

function Selected({ view, order, selected, search, me, waiting }: BatchBarProps) {
  const { singleKeys } = usePreferences();
  const count = selected.length;
  const said =
    count === 0
      ? t("Tap tasks to select them")
      : count === BATCH_MAX
        ? t("{n} selected, the most at a time", { n: count })
        : plural(count, "{n} selected", "{n} selected");
  return (
    <>
      {count > 1 && count === order.length && (
        <AllOfFilter view={view} count={count} search={search} me={me} waiting={waiting} />
      )}
      <div className="batch-line">
        <output>{said}</output>
        {count > 0 && (
          <>
            <button type="button" className="link-button" onClick={() => select(view, () => NOTHING)}>
              {t("Clear")}
            </button>
            <Button
              size="xs"
              renderRoot={(link: object) => <Link {...link} to="/batch" search={search} />}
              rightSection={
                singleKeys && (
                  <kbd className="wide-only" aria-hidden="true">
                    D
                  </kbd>
                )
              }
            >
              {t("Decide together")}
            </Button>
          </>
        )}
      </div>
    </>
  );
}

interface AllOfFilterProps {
  view: string;
  count: number;
  search: Scope;
  me: Me;
  waiting: number | undefined;
}

/** Says that all rows on the page are selected, and offers the rest of the list, as far as one batch goes. */
function AllOfFilter({ view, count, search, me, waiting }: AllOfFilterProps) {
  const query = useInfiniteQuery(tasksQuery(search, me));
  const [isLoading, setIsLoading] = useState(false);
  const hasMore = count < BATCH_MAX && query.hasNextPage;
  // With a filter, the number of matching tasks is not known.
  const isWhole = search.q === "" && search.status === null && search.assignee === null && search.agent === null;
  const all = isWhole ? waiting : undefined;
  const selectAll = async (): Promise<void> => {
    setIsLoading(true);
    try {
      const ids = await loadIds(query.fetchNextPage);
      select(view, (now) => replaced(now, ids));
    } catch (error) {
      toast({ message: t("Could not load the rest of the list. {error}", { error: sentenceOf(error) }), tone: "bad" });
    } finally {
      setIsLoading(false);
    }
  };
  // After the rows of the page, the same key selects the rest.
  useKeys({ "Mod+a": hasMore && !isLoading ? () => void selectAll() : undefined });
  if (!hasMore) return null;
  const label =
    all === undefined
      ? t("Select all that match, up to {most}", { most: BATCH_MAX })
      : all <= BATCH_MAX
        ? t("Select all {all} that match", { all })
        : t("Select the first {most} of {all}", { most: BATCH_MAX, all });
  return (
    <p className="muted batch-all">
      {rich("All {count} on this page are selected. {button}", {
        count,
        button: (
          <button type="button" className="link-button" disabled={isLoading} onClick={() => void selectAll()}>
            {isLoading ? t("Loading") : label}
          </button>
        ),
      })}
    </p>
  );
}

type NextPage = () => Promise<{
  data: InfiniteData<{ data: ListedTask[] }> | undefined;
  hasNextPage: boolean;
  error: Error | null;
}>;

/** Loads the list until it has as many open tasks as a batch may have. @returns their ids @throws Error of a page */
async function loadIds(fetchNextPage: NextPage): Promise<string[]> {
  for (let loads = 1; ; loads++) {
    const { data, hasNextPage, error } = await fetchNextPage();
    if (error !== null) throw error;
    const open = data?.pages.flatMap((page) => page.data).filter(({ status }) => isOpenStatus(status)) ?? [];
    if (!hasNextPage || open.length >= BATCH_MAX || loads === LOADS_MAX) return open.map(({ id }) => id);
  }
}
