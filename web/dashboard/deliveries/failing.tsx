import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { plural, t } from "../../../languages/text.ts";
import { summaryQuery } from "./queries.ts";
import type { DeliveryFilter, Redelivery } from "./queries.ts";
import { hostOf } from "../ui/urls.ts";
import { usePreferences } from "../ui/preferences.ts";

interface FailingReceiversProps {
  filter: DeliveryFilter;
  onAsk: (which: Redelivery) => void;
}

/** The receivers where deliveries fail, above all others, each with one press that sends its failed deliveries again. */
export function FailingReceivers({ filter, onAsk }: FailingReceiversProps) {
  const { data: summary } = useQuery(summaryQuery());
  const { project } = usePreferences();
  const { status, ...others } = filter;
  const isShown = Object.values(others).every((value) => value === undefined) && status !== "SUCCEEDED";
  if (summary === undefined || summary.failing.length === 0 || !isShown) return null;
  return (
    <section className="surface stack" aria-label={t("Failing receivers")}>
      <h2>{t("Failing receivers")}</h2>
      <table className="data as-cards" aria-label={t("Failing receivers")}>
        <thead>
          <tr>
            <th scope="col">{t("Receiver")}</th>
            <th scope="col" className="number">
              {t("Failed")}
            </th>
            <th scope="col" className="number">
              {t("Retrying")}
            </th>
            <th scope="col">
              <span className="skip">{t("Send again")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {summary.failing.map(({ origin, failed, retrying }) => (
            <tr key={origin}>
              <th scope="row" data-label={t("Receiver")}>
                <Link to="/deliveries" search={{ origin }}>
                  {hostOf(origin)}
                </Link>
              </th>
              <td data-label={t("Failed")} className="number">
                {failed}
              </td>
              <td data-label={t("Retrying")} className="number">
                {retrying}
              </td>
              <td>
                {/* The API sends to a receiver whatever the project. */}
                {failed > 0 && project === null && (
                  <Button variant="default" size="xs" onClick={() => onAsk({ status: "ABANDONED", origin })}>
                    {plural(failed, "Redeliver {n} to this receiver", "Redeliver {n} to this receiver")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!summary.is_complete && <p className="muted">{t("Of the newest 10,000 deliveries.")}</p>}
    </section>
  );
}
