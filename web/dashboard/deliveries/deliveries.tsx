import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { DeliveryDrawer } from "./detail.tsx";
import { deliveriesQuery } from "./queries.ts";
import type { Delivery, DeliveryFilter, Redelivery } from "./queries.ts";
import { Redeliver } from "./redeliver.tsx";
import { DELIVERY_STATUSES, shortId } from "./status.tsx";
import { DeliveryTable } from "./table.tsx";
import { useDialog } from "../ui/dialog.ts";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { Page, ErrorPanel } from "../ui/page.tsx";
import { usePreferences } from "../ui/preferences.ts";
import { abandonedQuery } from "../queries.ts";
import "../operate.css";

/** Callbacks, and their results. */
export function DeliveriesPage() {
  const { id, ...filter } = useSearch({ from: "/signed-in/operating/deliveries" });
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { asked, ask, close } = useDialog<Redelivery>();
  return (
    <Page title="Callbacks" about="Callbacks to your agents" actions={<RedeliverAll filter={filter} onAsk={ask} />}>
      <Filters filter={filter} />
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

/** Retries all failed callbacks, or those to the receiver that is shown. The API has no filter by task or project for this. */
function RedeliverAll({ filter, onAsk }: { filter: DeliveryFilter; onAsk: (which: Redelivery) => void }) {
  const { origin, task_id } = filter;
  const { project } = usePreferences();
  const { data: count = "0" } = useQuery(abandonedQuery(origin));
  if (count === "0" || task_id !== undefined || project !== null) return null;
  return (
    <Button
      variant="default"
      onClick={() => onAsk({ status: "ABANDONED", ...(origin === undefined ? {} : { origin }) })}
    >
      Retry all failed
    </Button>
  );
}

const STATUSES = Object.keys(DELIVERY_STATUSES) as Delivery["status"][];

function Filters({ filter }: { filter: DeliveryFilter }) {
  return (
    <div className="row">
      <nav className="filters" aria-label="Status">
        {[undefined, ...STATUSES].map((status) => (
          <Link
            key={status ?? "all"}
            to="/deliveries"
            search={{ ...filter, status }}
            activeOptions={{ exact: true }}
            aria-current={filter.status === status ? "page" : undefined}
          >
            {status === undefined ? "All" : DELIVERY_STATUSES[status].label}
          </Link>
        ))}
      </nav>
      {filter.task_id !== undefined && (
        <Link to="/deliveries" search={{ ...filter, task_id: undefined }} className="chip info">
          Task {shortId(filter.task_id)}: show all
        </Link>
      )}
      {filter.origin !== undefined && (
        <Link to="/deliveries" search={{ ...filter, origin: undefined }} className="chip info">
          Receiver {filter.origin}: show all
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
    return <ErrorPanel title="Could not load the list" error={query.error} retry={() => void query.refetch()} />;
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
        <h2>No callbacks yet</h2>
        <p>
          Create a task with a <code>callback_url</code> to get its outcome as a callback.
        </p>
      </div>
    );
  return (
    <div className="empty">
      <h2>No callbacks match</h2>
      <Link to="/deliveries">Show all</Link>
    </div>
  );
}
