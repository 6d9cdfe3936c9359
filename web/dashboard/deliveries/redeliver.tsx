import { useQuery } from "@tanstack/react-query";
import { plural, t } from "../../../languages/text.ts";
import { Confirm } from "../ui/confirm.tsx";
import { redeliver } from "./queries.ts";
import type { Redelivery } from "./queries.ts";
import { abandonedQuery } from "../queries.ts";
import { toast } from "../ui/toasts.ts";

interface RedeliverProps {
  which: Redelivery;
  onDone: () => void;
  onClose: () => void;
}

/** Asks for confirmation before deliveries are sent again, and says how many. */
export function Redeliver({ which, onDone, onClose }: RedeliverProps) {
  const title = useTitle(which);
  const confirm = async (): Promise<void> => {
    const count = await redeliver(which);
    toast(
      count === 0
        ? { message: t("Nothing was sent. These deliveries no longer exist."), tone: "bad" }
        : { message: plural(count, "Sending it again", "Sending {n} deliveries") },
    );
    onDone();
  };
  return (
    <Confirm title={title} action={t("Send again")} tone="accent" onConfirm={confirm} onClose={onClose}>
      {t("Sends the same again now, even if it was received before. Retries start over if it fails.")}
    </Confirm>
  );
}

function useTitle(which: Redelivery): string {
  const origin = "ids" in which ? undefined : which.origin;
  const { data: failed = "" } = useQuery(abandonedQuery(origin));
  if ("ids" in which) return plural(which.ids.length, "Send this delivery again?", "Send {n} deliveries again?");
  if (origin === undefined)
    return failed === "1"
      ? t("Retry the failed delivery?")
      : t("Retry all {count} failed deliveries?", { count: failed });
  return failed === "1"
    ? t("Retry the failed delivery to {receiver}?", { receiver: origin })
    : t("Retry all {count} failed deliveries to {receiver}?", { count: failed, receiver: origin });
}
