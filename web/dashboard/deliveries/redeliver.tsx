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

/** Asks before callbacks are sent again, and says how many they are. */
export function Redeliver({ which, onDone, onClose }: RedeliverProps) {
  const title = useTitle(which);
  const confirm = async (): Promise<void> => {
    const count = await redeliver(which);
    toast(
      count === 0
        ? { message: "Nothing is redelivered: there is no such callback any more.", tone: "bad" }
        : { message: count === 1 ? "The callback is on its way." : `${count} callbacks are on their way.` },
    );
    onDone();
  };
  return (
    <Confirm title={title} action="Redeliver" tone="accent" onConfirm={confirm} onClose={onClose}>
      The receiver gets the same body again, now, also if it had it before. Should it fail, a new series of attempts
      begins.
    </Confirm>
  );
}

function useTitle(which: Redelivery): string {
  const origin = "ids" in which ? undefined : which.origin;
  const { data: givenUp = "" } = useQuery(abandonedQuery(origin));
  if ("ids" in which)
    return which.ids.length === 1 ? "Redeliver this callback?" : `Redeliver ${which.ids.length} callbacks?`;
  const to = origin === undefined ? "" : ` to ${origin}`;
  return givenUp === "1"
    ? `Redeliver the one callback${to} that was given up?`
    : `Redeliver all ${givenUp} callbacks${to} that were given up?`;
}
