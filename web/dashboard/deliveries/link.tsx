import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { t } from "../../../languages/text.ts";
import type { DeliveryFilter } from "./queries.ts";

interface DeliveriesLinkProps {
  /** The thing in the list whose deliveries it shows. Screen readers say both: "Deliveries of production". */
  of: string;
  search: DeliveryFilter;
}

/** Leads from a thing in a list to its deliveries. */
export function DeliveriesLink({ of, search }: DeliveriesLinkProps) {
  return (
    <Button
      renderRoot={(props) => <Link {...props} to="/deliveries" search={search} />}
      variant="default"
      size="xs"
      aria-label={t("Deliveries of {name}", { name: of })}
    >
      {t("Deliveries")}
    </Button>
  );
}
