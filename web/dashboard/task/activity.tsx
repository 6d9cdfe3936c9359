import { Button } from "@mantine/core";
import { as, plural, t } from "../../../languages/text.ts";
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
import { useMemo, useState, type ReactNode } from "react";
import { ignoredHints } from "../../../form/plan/ignored-hints.ts";
import { get, post } from "../api.ts";
import type { AuditEntry, Me, Task, WebhookDelivery } from "../api.ts";
import { chainOf, sayDone } from "../escalation/trail.ts";
import type { Names } from "../inbox/names.ts";
import { useNames } from "../inbox/who.ts";
import { inOneLine } from "../lists.ts";
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

const ACTIONS: Readonly<Record<string, { says: (who: ReactNode) => ReactNode; Icon: typeof IconPoint }>> = {
  created: { says: (who) => rich("{who} created the task", { who }), Icon: IconCirclePlus },
  assigned: { says: (who) => rich("{who} assigned it", { who }), Icon: IconUser },
  routing_unmatched: {
    says: (who) => rich("{who} found no one who matches the routing", { who }),
    Icon: IconAlertTriangle,
  },
  claimed: { says: (who) => rich("{who} claimed it", { who }), Icon: IconHandStop },
  commented: { says: (who) => rich("{who} commented", { who }), Icon: IconPoint },
  revised: { says: (who) => rich("{who} changed the request", { who }), Icon: IconPoint },
  question_asked: { says: (who) => rich("{who} asked a question", { who }), Icon: IconPoint },
  offered: { says: (who) => rich("{who} offered it to several people", { who }), Icon: IconUser },
  released: { says: (who) => rich("{who} released it", { who }), Icon: IconHandStop },
  completed: { says: (who) => rich("{who} answered", { who }), Icon: IconCircleCheck },
  escalated: { says: (who) => rich("{who} took a step", { who }), Icon: IconBell },
  fallback: {
    says: (who) => rich("{who} took the answer given beforehand: no one answered in time", { who }),
    Icon: IconClockOff,
  },
  approved: { says: (who) => rich("{who} approved it", { who }), Icon: IconCircleCheck },
  declined: { says: (who) => rich("{who} decided against it", { who }), Icon: IconCircleX },
  withdrawn: { says: (who) => rich("{who} took their decision back", { who }), Icon: IconArrowBackUp },
  verified: { says: (who) => rich("{who} accepted the answer", { who }), Icon: IconCircleCheck },
  rejected: { says: (who) => rich("{who} sent back the answer", { who }), Icon: IconArrowBackUp },
  verification_exhausted: {
    says: (who) => rich("{who} rejected, and closed the task: the answer", { who }),
    Icon: IconShieldX,
  },
  cancelled: { says: (who) => rich("{who} cancelled it", { who }), Icon: IconCircleX },
  extended: { says: (who) => rich("{who} changed the deadline", { who }), Icon: IconClock },
  timed_out: { says: (who) => rich("{who} closed it: no one answered in time", { who }), Icon: IconClockOff },
  notification_sent: { says: (who) => rich("{who} sent a message", { who }), Icon: IconBell },
  notification_failed: { says: (who) => rich("{who} couldn't send a message", { who }), Icon: IconAlertTriangle },
  resume_failed: {
    says: (who) => rich("{who} couldn't resume what waits for it", { who }),
    Icon: IconAlertTriangle,
  },
  callback_abandoned: { says: (who) => rich("{who} stopped retrying the callback", { who }), Icon: IconAlertTriangle },
};

/** Verdicts of the automatic check about the answer of a person or an agent, who only gave it. */
const VERDICTS: Readonly<Record<string, (who: ReactNode, person: ReactNode) => ReactNode>> = {
  verified: (who, person) => rich("{who} accepted the answer of {person}", { who, person }),
  rejected: (who, person) => rich("{who} sent back the answer of {person}", { who, person }),
  verification_exhausted: (who, person) =>
    rich("{who} rejected, and closed the task: the answer of {person}", { who, person }),
};

function Entry({ entry, task, names }: { entry: AuditEntry; task: Task; names: Names }) {
  const { Icon = IconPoint } = ACTIONS[nameOf(entry)] ?? {};
  const more = {
    ...(entry.channel === null ? {} : { channel: entry.channel }),
    ...(entry.embed_sub === null ? {} : { embed_sub: entry.embed_sub }),
    ...(deadlinesOf(entry, task) === null && entry.extra),
  };
  return (
    <li className={FAILURES.has(entry.action) ? "warn" : undefined}>
      <Icon size={16} stroke={1.75} aria-hidden />
      <div>
        <p>
          {Object.hasOwn(VERDICTS, entry.action) ? verdictOf(entry) : <Done entry={entry} task={task} names={names} />}
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

/** What someone did, as a sentence. */
function Done({ entry, task, names }: { entry: AuditEntry; task: Task; names: Names }) {
  return (
    <>
      {doneIn(entry, task, names)}
      {tallyOf(entry)}
      <InNameOf entry={entry} />
    </>
  );
}

function doneIn(entry: AuditEntry, task: Task, names: Names): ReactNode {
  const who = <strong dir="auto">{actorOf(entry)}</strong>;
  const notification = notificationOf(entry);
  if (notification !== null) return notified(who, notification);
  const resume = resumeFailureOf(entry);
  if (resume !== null)
    return rich("{who} couldn't resume what waits for it: {reason}", { who, reason: <bdi>{resume.sentence}</bdi> });
  const deadlines = deadlinesOf(entry, task);
  if (deadlines !== null)
    return rich("{who} changed the deadline from {before} to {after}", {
      who,
      before: <Time at={deadlines.from} />,
      after: <Time at={deadlines.to} />,
    });
  if (entry.action === "escalated")
    return (
      <>
        {who} {sayDone(entry, task, names)}
      </>
    );
  const known = ACTIONS[nameOf(entry)];
  return known === undefined ? (
    <>
      {who} {entry.action.replaceAll("_", " ")}
    </>
  ) : (
    known.says(who)
  );
}

function verdictOf(entry: AuditEntry): ReactNode {
  const check = <strong>{t("The automatic check")}</strong>;
  const person = agentIn(entry) ?? entry.actor_email ?? memberOf(entry);
  return person === null ? ACTIONS[entry.action]!.says(check) : VERDICTS[entry.action]!(check, <bdi>{person}</bdi>);
}

/** Returns the name of an entry's sentence. */
function nameOf(entry: AuditEntry): string {
  return isByDeadline(entry) ? "fallback" : entry.action;
}

/** Whether an entry says that an answer counts because no one gave one. */
function isByDeadline({ action, actor_type, channel }: AuditEntry): boolean {
  return action === "completed" && actor_type === "system" && channel === "fallback";
}

/** Says how many people had approved after an entry, and of what; "" where one person decides. */
function tallyOf({ extra }: AuditEntry): string {
  const { have, need, round } = extra ?? {};
  if (typeof have !== "number" || typeof need !== "number") return "";
  const tally =
    typeof round === "number"
      ? t("({have} of {need}, with changed arguments)", { have, need })
      : t("({have} of {need})", { have, need });
  return ` ${tally}`;
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
  return <>{rich(", in the name of {person}", { person: <bdi>{actor_email}</bdi> })}</>;
}

function notified(who: ReactNode, { to: address, isMail, about, failure }: Notification): ReactNode {
  const to = (
    <>
      <bdi>{address}</bdi>
      {about !== null && ` (${about})`}
    </>
  );
  if (failure === null)
    return rich(isMail ? "{who} sent an email to {to}" : "{who} sent a message to {to}", { who, to });
  const reason = <bdi>{failure.sentence}</bdi>;
  return rich(
    isMail ? "{who} couldn't send an email to {to}: {reason}" : "{who} couldn't send a message to {to}: {reason}",
    { who, to, reason },
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
                {inOneLine([
                  plural(delivery.attempt_count, "{n} attempt", "{n} attempts"),
                  ...(delivery.last_status_code === null
                    ? []
                    : [t("last answer {status}", { status: delivery.last_status_code })]),
                  ...(delivery.last_error === null ? [] : [delivery.last_error]),
                ])}
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
  PENDING: as("before an address", "Queued for"),
  SUCCEEDED: as("before an address", "Delivered to"),
  FAILED: as("before an address", "Failed, retrying:"),
  ABANDONED: as("before an address", "Failed:"),
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
