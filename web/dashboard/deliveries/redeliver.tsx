import { useQuery } from "@tanstack/react-query";
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
        ? { message: "Nothing was sent. These deliveries no longer exist.", tone: "bad" }
        : { message: count === 1 ? "Sending it again" : `Sending ${count} deliveries` },
    );
    onDone();
  };
  return (
    <Confirm title={title} action="Send again" tone="accent" onConfirm={confirm} onClose={onClose}>
      Sends the same again now, even if it was received before. Retries start over if it fails.
    </Confirm>
  );
}

function useTitle(which: Redelivery): string {
  const origin = "ids" in which ? undefined : which.origin;
  const { data: failed = "" } = useQuery(abandonedQuery(origin));
  if ("ids" in which)
    return which.ids.length === 1 ? "Send this delivery again?" : `Send ${which.ids.length} deliveries again?`;
  const to = origin === undefined ? "" : ` to ${origin}`;
  return failed === "1" ? `Retry the failed delivery${to}?` : `Retry all ${failed} failed deliveries${to}?`;
}
