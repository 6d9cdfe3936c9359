import { Button } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBell,
  IconCircleCheck,
  IconCirclePlus,
  IconClockOff,
  IconHandStop,
  IconPoint,
  IconShieldX,
  IconSlash,
  IconUser,
} from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ignoredHints } from "../../../form/plan/ignored-hints.ts";
import { get, post } from "../api.ts";
import type { AuditEntry, Task, WebhookDelivery } from "../api.ts";
import { notificationOf, undelivered } from "./notifications.ts";
import type { Notification } from "./notifications.ts";
import { sentenceOf, ErrorPanel } from "../ui/page.tsx";
import { auditQuery, queryClient } from "../queries.ts";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";

const FAILURES: ReadonlySet<string> = new Set(["notification_failed", "callback_abandoned", "routing_unmatched"]);

/** All that happened to a task, what became of its messages and callbacks, and which hints did nothing. For operators. */
export function Activity({ task }: { task: Task }) {
  const { data: trail, error, refetch } = useQuery(auditQuery(task.id));
  if (error !== null)
    return <ErrorPanel title="The activity could not be loaded" error={error} retry={() => void refetch()} />;
  if (trail === undefined) return <p className="hint">Loading</p>;
  const failures = failuresOf(trail);
  return (
    <div className="task-sections">
      {failures.length > 0 && (
        <section aria-labelledby="failures">
          <h2 id="failures">Needs a look</h2>
          <ol className="trail">
            {failures.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        </section>
      )}
      {task.callback_url !== null && task.callback_url !== undefined && (
        <Callbacks task={task} url={task.callback_url} />
      )}
      <Ignored task={task} />
      <section aria-labelledby="trail">
        <h2 id="trail">What happened</h2>
        <ol className="trail">
          {trail.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      </section>
    </div>
  );
}

/** What failed, but for messages to somebody who was told since. */
function failuresOf(trail: readonly AuditEntry[]): AuditEntry[] {
  const still = new Set(undelivered(trail).map(({ to }) => to.toLowerCase()));
  return trail.filter((entry) => {
    const to = notificationOf(entry)?.to.toLowerCase();
    return FAILURES.has(entry.action) && (to === undefined || still.has(to));
  });
}

const ACTIONS: Readonly<Record<string, { says: string; Icon: typeof IconPoint }>> = {
  created: { says: "created the task", Icon: IconCirclePlus },
  assigned: { says: "assigned it", Icon: IconUser },
  routing_unmatched: { says: "found nobody to assign it to", Icon: IconAlertTriangle },
  claimed: { says: "claimed it", Icon: IconHandStop },
  offered: { says: "offered it to several people", Icon: IconUser },
  released: { says: "released it", Icon: IconHandStop },
  completed: { says: "answered", Icon: IconCircleCheck },
  verified: { says: "accepted the answer", Icon: IconCircleCheck },
  rejected: { says: "sent the answer back", Icon: IconArrowBackUp },
  verification_exhausted: { says: "ended it: the answers failed the checks", Icon: IconShieldX },
  cancelled: { says: "cancelled it", Icon: IconSlash },
  timed_out: { says: "ended it: nobody answered in time", Icon: IconClockOff },
  notification_sent: { says: "sent a message", Icon: IconBell },
  notification_failed: { says: "could not send a message", Icon: IconAlertTriangle },
  callback_abandoned: { says: "gave up the callback", Icon: IconAlertTriangle },
};

function Entry({ entry }: { entry: AuditEntry }) {
  const { says, Icon } = ACTIONS[entry.action] ?? { says: entry.action.replaceAll("_", " "), Icon: IconPoint };
  const notification = notificationOf(entry);
  const more = {
    ...(entry.channel === null ? {} : { channel: entry.channel }),
    ...(entry.embed_sub === null ? {} : { embed_sub: entry.embed_sub }),
    ...entry.extra,
  };
  return (
    <li className={FAILURES.has(entry.action) ? "warn" : undefined}>
      <Icon size={16} stroke={1.75} aria-hidden />
      <div>
        <p>
          <strong dir="auto">{actorOf(entry)}</strong> {notification === null ? says : <Told {...notification} />}
        </p>
        {entry.verifier_reason !== null && <p dir="auto">{entry.verifier_reason}</p>}
        {Object.keys(more).length > 0 && (
          <details>
            <summary>Details</summary>
            <pre className="snippet">{JSON.stringify(more, null, 2)}</pre>
          </details>
        )}
      </div>
      <span className="muted">
        <Time at={entry.created_at} />
      </span>
    </li>
  );
}

function Told({ to, isMail, failure }: Notification) {
  const what = isMail ? "mail" : "a message";
  if (failure === null)
    return (
      <>
        sent {what} to <bdi>{to}</bdi>
      </>
    );
  return (
    <>
      could not send {what} to <bdi>{to}</bdi>: <bdi>{failure.sentence}</bdi>
    </>
  );
}

function actorOf({ actor_type, actor_email, extra }: AuditEntry): string {
  if (actor_email !== null) return actor_email;
  const { slack_team_id: team, slack_user_id: member } = extra ?? {};
  if (typeof member === "string" && typeof team === "string") return `Slack member ${member} (${team})`;
  return { system: "The service", human: "Somebody", agent: "The agent" }[actor_type];
}

/** What became of telling the agent. */
function Callbacks({ task, url }: { task: Task; url: string }) {
  const { data: deliveries } = useQuery({
    queryKey: ["tasks", "deliveries", task.id],
    queryFn: () => get<WebhookDelivery[]>(`/api/admin/webhook-deliveries?task_id=${task.id}`),
  });
  const [busy, setBusy] = useState<string | null>(null);
  const redeliver = async (id: string): Promise<void> => {
    setBusy(id);
    try {
      await post(`/api/admin/webhook-deliveries/${id}/redeliver`);
      toast({ message: "The callback is sent again" });
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ["tasks"] }),
        queryClient.invalidateQueries({ queryKey: ["deliveries"] }),
      ]);
    } catch (error) {
      toast({ message: sentenceOf(error), tone: "bad" });
    } finally {
      setBusy(null);
    }
  };
  return (
    <section aria-labelledby="callbacks">
      <h2 id="callbacks">Callback</h2>
      {deliveries?.length === 0 && <p className="muted">Is sent to {url} once the task has ended.</p>}
      <ol className="trail">
        {deliveries?.map((delivery) => (
          <li key={delivery.id} className={delivery.status === "ABANDONED" ? "warn" : undefined}>
            <IconPoint size={16} stroke={1.75} aria-hidden />
            <div>
              <p>
                <strong>{OUTCOMES[delivery.status]}</strong> {delivery.url}
              </p>
              <p className="muted">
                {delivery.attempt_count} {delivery.attempt_count === 1 ? "attempt" : "attempts"}
                {delivery.last_status_code === null ? "" : `, last answer ${delivery.last_status_code}`}
                {delivery.last_error === null ? "" : `, ${delivery.last_error}`}
              </p>
              {delivery.next_attempt_at !== null && (
                <p className="muted">
                  Next attempt <Time at={delivery.next_attempt_at} />
                </p>
              )}
            </div>
            <Button
              variant="default"
              size="xs"
              loading={busy === delivery.id}
              onClick={() => void redeliver(delivery.id)}
            >
              Redeliver
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}

const OUTCOMES: Record<WebhookDelivery["status"], string> = {
  PENDING: "Waits to be sent to",
  SUCCEEDED: "Delivered to",
  FAILED: "Failed, and is tried again:",
  ABANDONED: "Given up:",
};

function Ignored({ task }: { task: Task }) {
  const { form_definition, response_schema, payload } = task;
  const ignored = useMemo(
    () => ignoredHints({ form_definition, response_schema, payload }),
    [form_definition, response_schema, payload],
  );
  if (ignored.length === 0) return null;
  return (
    <section aria-labelledby="ignored">
      <h2 id="ignored">Hints that do nothing</h2>
      <ol className="trail">
        {ignored.map(({ pointer, why }) => (
          <li key={`${pointer} ${why}`} className="warn">
            <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
            <div>
              <code>{pointer}</code>
              <p>{why}</p>
            </div>
          </li>
        ))}
      </ol>
      <p className="muted">
        Try hints out in the <Link to="/playground">playground</Link>.
      </p>
    </section>
  );
}
