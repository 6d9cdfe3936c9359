import { Button } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBell,
  IconCircleCheck,
  IconCirclePlus,
  IconClock,
  IconClockOff,
  IconHandStop,
  IconPoint,
  IconShieldX,
  IconCircleX,
  IconUser,
} from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ignoredHints } from "../../../form/plan/ignored-hints.ts";
import { get, post } from "../api.ts";
import type { AuditEntry, Me, Task, WebhookDelivery } from "../api.ts";
import { chainOf, sayDone } from "../escalation/trail.ts";
import type { Names } from "../inbox/names.ts";
import { useNames } from "../inbox/who.ts";
import { actorOf, agentIn, memberOf } from "./actor.ts";
import { Resumed } from "./resumed.tsx";
import { hasFailed, resumeFailureOf } from "./resuming.ts";
import { notificationOf, undelivered } from "./notifications.ts";
import type { Notification } from "./notifications.ts";
import { sentenceOf, ErrorPanel } from "../ui/page.tsx";
import { auditQuery, queryClient } from "../queries.ts";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";

const FAILURES: ReadonlySet<string> = new Set([
  "notification_failed",
  "callback_abandoned",
  "resume_failed",
  "routing_unmatched",
]);

/** The audit trail of a task, its callbacks, and its ignored hints. For operators. */
export function Activity({ task, me }: { task: Task; me: Me }) {
  const names = useNames(me);
  const { data: trail, error, refetch } = useQuery(auditQuery(task.id));
  if (error !== null)
    return <ErrorPanel title={t("Could not load the activity")} error={error} retry={() => void refetch()} />;
  if (trail === undefined) return <p className="hint">{t("Loading")}</p>;
  const failures = failuresOf(trail, task);
  const chain = chainOf(trail, task, names);
  return (
    <div className="task-sections">
      {failures.length > 0 && (
        <section aria-labelledby="failures">
          <h2 id="failures">{t("Needs attention")}</h2>
          <ol className="trail">
            {failures.map((entry) => (
              <Entry key={entry.id} entry={entry} task={task} names={names} />
            ))}
          </ol>
        </section>
      )}
      {task.callback_url !== null && task.callback_url !== undefined && (
        <Callbacks task={task} url={task.callback_url} />
      )}
      <Resumed task={task} />
      <Ignored task={task} />
      {chain.length > 1 && (
        <section aria-labelledby="chain">
          <h2 id="chain">{t("Who had it")}</h2>
          <ol className="chain">
            {chain.map(({ id, says }) => (
              <li key={id} dir="auto">
                {says}
              </li>
            ))}
          </ol>
        </section>
      )}
      <section aria-labelledby="trail">
        <h2 id="trail">{t("What happened")}</h2>
        <ol className="trail">
          {trail.map((entry) => (
            <Entry key={entry.id} entry={entry} task={task} names={names} />
          ))}
        </ol>
      </section>
    </div>
  );
}

/** Returns the failures, except notifications that reached their destination later, and what was resumed later. */
function failuresOf(trail: readonly AuditEntry[], { resume = [] }: Task): AuditEntry[] {
  const failed = new Set(resume.filter(hasFailed).map(({ delivery_id }) => delivery_id));
  const still = new Set(undelivered(trail).map(({ to }) => to.toLowerCase()));
  return trail.filter((entry) => {
    const to = notificationOf(entry)?.to.toLowerCase();
    if (entry.action === "resume_failed") return failed.has(resumeFailureOf(entry)?.delivery_id ?? null);
    return FAILURES.has(entry.action) && (to === undefined || still.has(to));
  });
}

const ACTIONS: Readonly<Record<string, { says: string; Icon: typeof IconPoint }>> = {
  created: { says: t("created the task"), Icon: IconCirclePlus },
  assigned: { says: t("assigned it"), Icon: IconUser },
  routing_unmatched: { says: t("found no one who matches the routing"), Icon: IconAlertTriangle },
  claimed: { says: t("claimed it"), Icon: IconHandStop },
  commented: { says: "commented", Icon: IconPoint },
  revised: { says: t("changed the request"), Icon: IconPoint },
  question_asked: { says: t("asked a question"), Icon: IconPoint },
  offered: { says: t("offered it to several people"), Icon: IconUser },
  released: { says: t("released it"), Icon: IconHandStop },
  completed: { says: "answered", Icon: IconCircleCheck },
  escalated: { says: t("took a step"), Icon: IconBell },
  fallback: { says: t("took the answer given beforehand: no one answered in time"), Icon: IconClockOff },
  approved: { says: t("approved it"), Icon: IconCircleCheck },
  declined: { says: t("decided against it"), Icon: IconCircleX },
  withdrawn: { says: t("took their decision back"), Icon: IconArrowBackUp },
  verified: { says: "accepted", Icon: IconCircleCheck },
  rejected: { says: t("sent back"), Icon: IconArrowBackUp },
  verification_exhausted: { says: t("rejected, and closed the task:"), Icon: IconShieldX },
  cancelled: { says: t("cancelled it"), Icon: IconCircleX },
  extended: { says: t("changed the deadline"), Icon: IconClock },
  timed_out: { says: t("closed it: no one answered in time"), Icon: IconClockOff },
  notification_sent: { says: t("sent a message"), Icon: IconBell },
  notification_failed: { says: t("couldn't send a message"), Icon: IconAlertTriangle },
  resume_failed: { says: t("couldn't resume what waits for it"), Icon: IconAlertTriangle },
  callback_abandoned: { says: t("stopped retrying the callback"), Icon: IconAlertTriangle },
};

/** Verdicts of the automatic check. The person of such an entry only gave the answer. */
const VERDICTS: ReadonlySet<string> = new Set(["verified", "rejected", "verification_exhausted"]);

function Entry({ entry, task, names }: { entry: AuditEntry; task: Task; names: Names }) {
  const action = isByDeadline(entry) ? "fallback" : entry.action;
  const { says, Icon } = ACTIONS[action] ?? { says: entry.action.replaceAll("_", " "), Icon: IconPoint };
  const notification = notificationOf(entry);
  const deadlines = deadlinesOf(entry, task);
  const resume = resumeFailureOf(entry);
  const more = {
    ...(entry.channel === null ? {} : { channel: entry.channel }),
    ...(entry.embed_sub === null ? {} : { embed_sub: entry.embed_sub }),
    ...(deadlines === null && entry.extra),
  };
  return (
    <li className={FAILURES.has(entry.action) ? "warn" : undefined}>
      <Icon size={16} stroke={1.75} aria-hidden />
      <div>
        <p>
          {VERDICTS.has(entry.action) ? (
            <>
              <strong>{t("The automatic check")}</strong> {says} <Given entry={entry} />
            </>
          ) : (
            <>
              <strong dir="auto">{actorOf(entry)}</strong>{" "}
              {entry.action === "escalated" ? (
                sayDone(entry, task, names)
              ) : notification === null ? (
                says
              ) : (
                <Notified {...notification} />
              )}
              {deadlines !== null && (
                <>
                  {" "}
                  {rich("from {time} to {time2}", {
                    time: <Time at={deadlines.from} />,
                    time2: <Time at={deadlines.to} />,
                  })}
                </>
              )}
              {resume !== null && (
                <>
                  : <bdi>{resume.sentence}</bdi>
                </>
              )}
              {tallyOf(entry)}
              <InNameOf entry={entry} />
            </>
          )}
        </p>
        {entry.verifier_reason !== null && <p dir="auto">{entry.verifier_reason}</p>}
        {Object.keys(more).length > 0 && (
          <details>
            <summary>{t("Details")}</summary>
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

/** Whether an entry says that an answer counts because no one gave one. */
function isByDeadline({ action, actor_type, channel }: AuditEntry): boolean {
  return action === "completed" && actor_type === "system" && channel === "fallback";
}

/** Says how many people had approved after an entry, and of what; "" where one person decides. */
function tallyOf({ extra }: AuditEntry): string {
  const { have, need, round } = extra ?? {};
  if (typeof have !== "number" || typeof need !== "number") return "";
  return ` (${have} of ${need}${typeof round === "number" ? t(", with changed arguments") : ""})`;
}

/** Returns the deadline before and after a change of it; null for other entries. */
function deadlinesOf({ action, extra }: AuditEntry, { created_at }: Task): { from: string; to: string } | null {
  const { previous_timeout_seconds: before, timeout_seconds: after } = extra ?? {};
  if (action !== "extended" || typeof before !== "number" || typeof after !== "number") return null;
  const at = (seconds: number) => new Date(Date.parse(created_at) + seconds * 1000).toISOString();
  return { from: at(before), to: at(after) };
}

/** The person for whom an agent did something. */
function InNameOf({ entry: { agent_name, actor_email } }: { entry: AuditEntry }) {
  if (agent_name === null || actor_email === null) return null;
  return <>{rich(", in the name of {bdi}", { bdi: <bdi>{actor_email}</bdi> })}</>;
}

/** The answer that an entry is about. */
function Given({ entry }: { entry: AuditEntry }) {
  const who = agentIn(entry) ?? entry.actor_email ?? memberOf(entry);
  if (who === null) return t("the answer");
  return <>{rich("the answer of {bdi}", { bdi: <bdi>{who}</bdi> })}</>;
}

function Notified({ to, isMail, about, failure }: Notification) {
  return (
    <>
      {failure === null ? "sent" : "couldn't send"} {isMail ? t("an email") : t("a message")} to <bdi>{to}</bdi>
      {about !== null && ` (${about})`}
      {failure !== null && (
        <>
          : <bdi>{failure.sentence}</bdi>
        </>
      )}
    </>
  );
}

/** The callbacks of a task. */
function Callbacks({ task, url }: { task: Task; url: string }) {
  const { data: deliveries } = useQuery({
    queryKey: ["tasks", "deliveries", task.id],
    queryFn: () => get<WebhookDelivery[]>(`/api/admin/webhook-deliveries?kind=callback&task_id=${task.id}`),
  });
  const [busy, setBusy] = useState<string | null>(null);
  const redeliver = async (id: string): Promise<void> => {
    setBusy(id);
    try {
      await post(`/api/admin/webhook-deliveries/${id}/redeliver`);
      toast({ message: t("Callback is being sent again") });
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
      <h2 id="callbacks">{t("Callback")}</h2>
      {deliveries?.length === 0 && <p className="muted">{t("Will be sent to {url} when the task closes.", { url })}</p>}
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
                {delivery.last_status_code === null
                  ? ""
                  : t(", last answer {last_status_code}", { last_status_code: delivery.last_status_code })}
                {delivery.last_error === null ? "" : `, ${delivery.last_error}`}
              </p>
              {delivery.next_attempt_at !== null && (
                <p className="muted">{rich("Next attempt {time}", { time: <Time at={delivery.next_attempt_at} /> })}</p>
              )}
            </div>
            <Button
              variant="default"
              size="xs"
              loading={busy === delivery.id}
              onClick={() => void redeliver(delivery.id)}
            >
              {t("Redeliver")}
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}

const OUTCOMES: Record<WebhookDelivery["status"], string> = {
  PENDING: t("Queued for"),
  SUCCEEDED: t("Delivered to"),
  FAILED: t("Failed, retrying:"),
  ABANDONED: t("Failed:"),
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
      <h2 id="ignored">{t("Ignored hints")}</h2>
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
        {rich("Try hints in the {link}.", { link: <Link to="/playground">{t("playground")}</Link> })}
      </p>
    </section>
  );
}
