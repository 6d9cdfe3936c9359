import { Button, Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { as, plural, t } from "../../../languages/text.ts";
import type { Delivery, DeliveryFilter } from "./queries.ts";
import { DeliveryChip, hasFailed, LastResult, titleOf } from "./status.tsx";
import { Moment } from "../ui/times.tsx";
import { hostOf, pathOf } from "../ui/urls.ts";
import { useWhat } from "./words.ts";

interface DeliveryTableProps {
  rows: readonly Delivery[];
  filter: DeliveryFilter;
  onRedeliver: (ids: readonly string[]) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

export function DeliveryTable({ rows, filter, onRedeliver, selected, onSelect }: DeliveryTableProps) {
  const whatOf = useWhat();
  // Deliveries that left the list are no longer selected.
  const chosen = rows.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  const select = (id: string, isChosen: boolean): void =>
    onSelect(new Set(isChosen ? [...chosen, id] : chosen.filter((other) => other !== id)));
  return (
    <div className="surface flush">
      <div className="bar">
        <Checkbox
          label={chosen.length === 0 ? t("Select all") : plural(chosen.length, "{n} selected", "{n} selected")}
          checked={chosen.length === rows.length}
          indeterminate={chosen.length > 0 && chosen.length < rows.length}
          onChange={(event) => onSelect(new Set(event.currentTarget.checked ? rows.map(({ id }) => id) : []))}
        />
        {chosen.length > 0 && (
          <Button size="xs" onClick={() => onRedeliver(chosen)}>
            {t("Send selected again")}
          </Button>
        )}
      </div>
      <table className="data as-cards" aria-label={t("Deliveries")}>
        <thead>
          <tr>
            <th scope="col">
              <span className="skip">{t("Select")}</span>
            </th>
            <th scope="col">{t("Status")}</th>
            <th scope="col">{t("Receiver")}</th>
            <th scope="col">{t("Task")}</th>
            <th scope="col" className="number">
              {t("Attempts")}
            </th>
            <th scope="col">{t("Next attempt")}</th>
            <th scope="col">{t("Last result")}</th>
            <th scope="col">
              <span className="skip">{t("Send again")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((delivery) => (
            <tr key={delivery.id}>
              <td>
                <label className="check">
                  <Checkbox
                    checked={selected.has(delivery.id)}
                    onChange={(event) => select(delivery.id, event.currentTarget.checked)}
                  />
                  <span className="skip">{t("Select the delivery of {task}", { task: titleOf(delivery) })}</span>
                </label>
              </td>
              <td>
                <DeliveryChip status={delivery.status} />
              </td>
              <th scope="row" data-label={t("Receiver")}>
                <Link to="/deliveries" search={{ ...filter, id: delivery.id }} className="opens" title={delivery.url}>
                  {hostOf(delivery.url)}
                  <span className="muted">{pathOf(delivery.url)}</span>
                </Link>
                <p className="muted">
                  <bdi>{whatOf(delivery)}</bdi>
                </p>
              </th>
              <td data-label={t("Task")} className="wraps">
                <Link to="/tasks/$id" params={{ id: delivery.task_id }} title={delivery.task_id}>
                  {titleOf(delivery)}
                </Link>
              </td>
              <td data-label={t("Attempts")} className="number">
                {delivery.attempt_count}
              </td>
              <td data-label={t("Next attempt")}>
                {delivery.next_attempt_at === null ? (
                  as("no attempt", "None")
                ) : (
                  <Moment at={delivery.next_attempt_at} />
                )}
              </td>
              <td data-label={t("Last result")}>
                <LastResult delivery={delivery} />
              </td>
              <td>
                {hasFailed(delivery) && (
                  <Button variant="default" size="xs" onClick={() => onRedeliver([delivery.id])}>
                    {t("Send again")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
