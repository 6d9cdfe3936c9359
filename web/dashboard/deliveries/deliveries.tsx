import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { DeliveryDrawer } from "./detail.tsx";
import { FailingReceivers } from "./failing.tsx";
import { deliveriesQuery, summaryQuery } from "./queries.ts";
import type { Delivery, DeliveryFilter, Redelivery } from "./queries.ts";
import { Redeliver } from "./redeliver.tsx";
import { DELIVERY_STATUSES, shortId } from "./status.tsx";
import { DeliveryTable } from "./table.tsx";
import { KINDS, useNamesOf } from "./words.ts";
import { useDialog } from "../ui/dialog.ts";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { Page, ErrorPanel } from "../ui/page.tsx";
import { usePreferences } from "../ui/preferences.ts";
import { abandonedQuery } from "../queries.ts";
import "../operate.css";

/** What the service sends to programs, and the results: callbacks, what resumes engines, and events. */
export function DeliveriesPage() {
  const { id, ...filter } = useSearch({ from: "/signed-in/operating/deliveries" });
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { asked, ask, close } = useDialog<Redelivery>();
  return (
    <Page
      title={t("Deliveries")}
      about={t("Callbacks to agents, workflows that are resumed, and events for other programs")}
      actions={<RedeliverAll filter={filter} onAsk={ask} />}
    >
      <Filters filter={filter} />
      <FailingReceivers filter={filter} onAsk={ask} />
      <Deliveries filter={filter} onRedeliver={(ids) => ask({ ids })} selected={selected} onSelect={setSelected} />
      <DeliveryDrawer
        id={id}
        onRedeliver={(id) => ask({ ids: [id] })}
        onClose={() => void navigate({ to: "/deliveries", search: filter })}
      />
      {asked !== null && <Redeliver which={asked} onDone={() => setSelected(new Set())} onClose={close} />}
    </Page>
  );
}

/** Retries all failed deliveries, or those to the receiver that is shown. The API has no other filter for this. */
function RedeliverAll({ filter, onAsk }: { filter: DeliveryFilter; onAsk: (which: Redelivery) => void }) {
  const { origin, status: _any, ...others } = filter;
  const { project } = usePreferences();
  const { data: count = "0" } = useQuery(abandonedQuery(origin));
  if (count === "0" || project !== null || Object.values(others).some((value) => value !== undefined)) return null;
  return (
    <Button
      variant="default"
      onClick={() => onAsk({ status: "ABANDONED", ...(origin === undefined ? {} : { origin }) })}
    >
      {t("Retry all failed")}
    </Button>
  );
}

const STATUSES = Object.keys(DELIVERY_STATUSES) as Delivery["status"][];

const KIND_NAMES = Object.keys(KINDS) as Delivery["kind"][];

function Filters({ filter }: { filter: DeliveryFilter }) {
  const names = useNamesOf();
  const { data: summary } = useQuery(summaryQuery());
  return (
    <div className="row">
      <nav className="filters" aria-label={t("Status")}>
        {[undefined, ...STATUSES].map((status) => (
          <Link
            key={status ?? "all"}
            to="/deliveries"
            search={{ ...filter, status }}
            activeOptions={{ exact: true }}
            aria-current={filter.status === status ? "page" : undefined}
          >
            {status === undefined ? t("All") : DELIVERY_STATUSES[status].label}
            {status !== undefined && summary !== undefined && summary.counts[status] > 0 && (
              <span className="count-of"> {summary.counts[status]}</span>
            )}
          </Link>
        ))}
      </nav>
      <nav className="filters" aria-label={t("Kind")}>
        {[undefined, ...KIND_NAMES].map((kind) => (
          <Link
            key={kind ?? "all"}
            to="/deliveries"
            search={{ ...filter, kind }}
            activeOptions={{ exact: true }}
            aria-current={filter.kind === kind ? "page" : undefined}
          >
            {kind === undefined ? t("All kinds") : KINDS[kind].all}
          </Link>
        ))}
      </nav>
      {filter.connection !== undefined && (
        <Link to="/deliveries" search={{ ...filter, connection: undefined }} className="chip info">
          {t("Connection {name}: show all", { name: names.connection(filter.connection) })}
        </Link>
      )}
      {filter.subscription !== undefined && (
        <Link to="/deliveries" search={{ ...filter, subscription: undefined }} className="chip info">
          {t("Subscription of {receiver}: show all", { receiver: names.subscription(filter.subscription) })}
        </Link>
      )}
      {filter.task_id !== undefined && (
        <Link to="/deliveries" search={{ ...filter, task_id: undefined }} className="chip info">
          {t("Task {id}: show all", { id: shortId(filter.task_id) })}
        </Link>
      )}
      {filter.origin !== undefined && (
        <Link to="/deliveries" search={{ ...filter, origin: undefined }} className="chip info">
          {t("Receiver {receiver}: show all", { receiver: filter.origin })}
        </Link>
      )}
    </div>
  );
}

interface DeliveriesProps {
  filter: DeliveryFilter;
  onRedeliver: (ids: readonly string[]) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

function Deliveries({ filter, ...table }: DeliveriesProps) {
  const query = useInfiniteQuery(deliveriesQuery(filter));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorPanel title={t("Could not load the list")} error={query.error} retry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <Nothing filter={filter} />;
  return (
    <>
      <DeliveryTable rows={rows} filter={filter} {...table} />
      <LoadMore query={query} />
    </>
  );
}

function Nothing({ filter }: { filter: DeliveryFilter }) {
  if (Object.values(filter).every((value) => value === undefined))
    return (
      <div className="empty">
        <h2>{t("No deliveries yet")}</h2>
        <p>
          {rich(
            "Create a task with a {callback_url} to get its outcome as a callback, or with {resume} to resume a workflow. Or {subscribe}.",
            {
              callback_url: <code>callback_url</code>,
              resume: <code>resume</code>,
              subscribe: (
                <Link to="/settings/{-$part}" params={{ part: "events" }}>
                  {t("subscribe to events")}
                </Link>
              ),
            },
          )}
        </p>
      </div>
    );
  return (
    <div className="empty">
      <h2>{t("No deliveries match")}</h2>
      <Link to="/deliveries">{t("Show all")}</Link>
    </div>
  );
}
