import { IconCircleCheck, IconCircleDashed, IconCircleX, IconRefresh } from "../ui/icons.tsx";
import type { Delivery } from "./queries.ts";
import { Moment } from "../ui/times.tsx";

/** What the API calls them, as people do. */
export const DELIVERY_STATUSES: Record<Delivery["status"], { label: string; tone: string; Icon: typeof IconRefresh }> =
  {
    ABANDONED: { label: "Given up", tone: "bad", Icon: IconCircleX },
    FAILED: { label: "Retrying", tone: "warn", Icon: IconRefresh },
    PENDING: { label: "Pending", tone: "info", Icon: IconCircleDashed },
    SUCCEEDED: { label: "Delivered", tone: "ok", Icon: IconCircleCheck },
  };

export function DeliveryChip({ status }: { status: Delivery["status"] }) {
  const { label, tone, Icon } = DELIVERY_STATUSES[status];
  return (
    <span className={`chip ${tone}`} title={status}>
      <Icon size={14} stroke={1.75} aria-hidden />
      {label}
    </span>
  );
}

/** What came of the latest attempt, and when. */
export function LastResult({ delivery }: { delivery: Delivery }) {
  if (delivery.last_attempt_at === null) return <span className="muted">Not tried yet</span>;
  return (
    <span>
      {resultOf(delivery.last_status_code, delivery.last_error)}{" "}
      <span className="muted">
        <Moment at={delivery.last_attempt_at} />
      </span>
    </span>
  );
}

/** @param error - a stable word, a colon, and a sentence for people */
export function resultOf(statusCode: number | null, error: string | null): string {
  if (error !== null) return error.replace(/^\w+: /, "");
  return statusCode === null ? "Delivered" : `Answered ${statusCode}`;
}

/** Where a callback goes, in short; the whole address stands with the delivery itself. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** The part of an id that tells it from its neighbours. */
export function shortId(id: string): string {
  return `${id.slice(0, 4)}…${id.slice(-8)}`;
}
