import { t } from "../../../languages/text.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import { IconCircleCheck, IconCircleDashed, IconCircleX, IconRefresh } from "../ui/icons.tsx";
import type { Delivery } from "./queries.ts";
import { Moment } from "../ui/times.tsx";
import { meaningWords } from "./words.ts";

/** The labels of the statuses of the API. */
export const DELIVERY_STATUSES: Record<Delivery["status"], { label: string; tone: string; Icon: typeof IconRefresh }> =
  {
    ABANDONED: { label: t("Failed"), tone: "bad", Icon: IconCircleX },
    FAILED: { label: t("Retrying"), tone: "warn", Icon: IconRefresh },
    PENDING: { label: t("Pending"), tone: "info", Icon: IconCircleDashed },
    SUCCEEDED: { label: t("Delivered"), tone: "ok", Icon: IconCircleCheck },
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

/** The result of the latest attempt, and its time. */
export function LastResult({ delivery }: { delivery: Delivery }) {
  if (delivery.last_attempt_at === null) return <span className="muted">{t("No attempts yet")}</span>;
  return (
    <span>
      <Result meaning={delivery.meaning} result={resultOf(delivery.last_status_code, delivery.last_error)} />{" "}
      <span className="muted">
        <Moment at={delivery.last_attempt_at} />
      </span>
    </span>
  );
}

/** What an attempt came to. Of engines, what their answer meant comes first. */
export function Result({ meaning, result }: { meaning: string | null; result: string }) {
  const words = meaningWords(meaning);
  return words === null ? (
    result
  ) : (
    <>
      <strong>{t("{meaning}.", { meaning: words })}</strong> {result}
    </>
  );
}

/** @param error - a stable word, a colon, and a sentence for people */
export function resultOf(statusCode: number | null, error: string | null): string {
  if (error !== null) return error.replace(/^\w+: /, "");
  return statusCode === null ? t("Delivered") : `${statusCode} ${REASONS[statusCode] ?? ""}`.trim();
}

/** The names of the statuses that receivers use to accept a callback. */
const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
};

/** Whether sending it again is useful: others are on their way, or have arrived. */
export function hasFailed({ status }: Pick<Delivery, "status">): boolean {
  return status === "ABANDONED" || status === "FAILED";
}

/** Returns what its task asks, in one line; of a deleted task, its id. */
export function titleOf({ task, task_id }: Pick<Delivery, "task" | "task_id">): string {
  return task === null ? shortId(task_id) : headingOf(task)[0];
}

/** Returns the id, shortened to its prefix and its random end. */
export function shortId(id: string): string {
  return `${id.slice(0, 4)}…${id.slice(-8)}`;
}
