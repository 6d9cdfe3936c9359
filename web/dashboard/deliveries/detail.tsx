import { Button, Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { as, locale, t } from "../../../languages/text.ts";
import { deliveryQuery } from "./queries.ts";
import type { WholeDelivery } from "./queries.ts";
import { DeliveryChip, Result, resultOf, titleOf } from "./status.tsx";
import { meaningWords, useNamesOf, useWhat } from "./words.ts";
import { Loading } from "../ui/loading.tsx";
import { Moment, Time } from "../ui/times.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { originOf } from "../ui/urls.ts";

interface DeliveryDrawerProps {
  id: string | undefined;
  onRedeliver: (id: string) => void;
  onClose: () => void;
}

/** One delivery, beside the list: its receiver, attempts and body. */
export function DeliveryDrawer({ id, onRedeliver, onClose }: DeliveryDrawerProps) {
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t("Delivery")}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      {id !== undefined && <Detail id={id} onRedeliver={onRedeliver} />}
    </Drawer>
  );
}

function Detail({ id, onRedeliver }: { id: string; onRedeliver: (id: string) => void }) {
  const query = useQuery(deliveryQuery(id));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load the delivery")} error={query.error} retry={() => void query.refetch()} />
    );
  const delivery = query.data;
  return (
    <div className="stack detail">
      <div className="row between">
        <DeliveryChip status={delivery.status} />
        {delivery.body !== null && delivery.status !== "PENDING" && (
          <Button variant="default" size="xs" onClick={() => onRedeliver(id)}>
            {t("Send again")}
          </Button>
        )}
      </div>
      <Facts delivery={delivery} />
      <h3>{t("Attempts")}</h3>
      {delivery.attempts.length === 0 ? (
        <p className="muted">{t("No attempts yet")}</p>
      ) : (
        <Attempts delivery={delivery} />
      )}
      <Sent delivery={delivery} />
      <Body body={delivery.body} />
    </div>
  );
}

function Facts({ delivery }: { delivery: WholeDelivery }) {
  const names = useNamesOf();
  const whatOf = useWhat();
  const { kind, url, connection, subscription } = delivery;
  const origin = originOf(url);
  const meaning = meaningWords(delivery.meaning);
  return (
    <dl className="delivery-facts">
      <dt>{t("Kind")}</dt>
      <dd>{whatOf({ ...delivery, connection: null })}</dd>
      {connection !== null && (
        <>
          <dt>{t("Connection")}</dt>
          <dd>
            {names.connection(connection)}{" "}
            <Link to="/deliveries" search={{ connection }}>
              {t("All deliveries of this connection")}
            </Link>
          </dd>
        </>
      )}
      {subscription !== null && (
        <>
          <dt>{t("Subscription")}</dt>
          <dd>
            {names.subscription(subscription)}{" "}
            <Link to="/deliveries" search={{ subscription }}>
              {t("All deliveries of this subscription")}
            </Link>
          </dd>
        </>
      )}
      <dt>{t("Receiver")}</dt>
      <dd>
        {url}{" "}
        {origin !== null && (
          <Link to="/deliveries" search={{ origin }}>
            {t("All deliveries to this receiver")}
          </Link>
        )}
      </dd>
      <dt>{t("Task")}</dt>
      <dd>
        <Link to="/tasks/$id" params={{ id: delivery.task_id }}>
          <bdi>{delivery.task === null ? delivery.task_id : titleOf(delivery)}</bdi>
        </Link>{" "}
        <Link to="/deliveries" search={{ task_id: delivery.task_id }}>
          {t("All deliveries of this task")}
        </Link>
      </dd>
      <dt>{CREATED[kind]}</dt>
      <dd>
        <Time at={delivery.created_at} exact />
      </dd>
      {meaning !== null && (
        <>
          <dt>{t("Last answer")}</dt>
          <dd>{meaning}</dd>
        </>
      )}
      <dt>{t("Next attempt")}</dt>
      <dd>{delivery.next_attempt_at === null ? as("no attempt", "None") : <Moment at={delivery.next_attempt_at} />}</dd>
    </dl>
  );
}

/** What the time at which a delivery was created is called. */
const CREATED: Readonly<Record<WholeDelivery["kind"], string>> = {
  callback: t("Task closed"),
  resume: t("Task created"),
  event: t("Happened"),
};

/** The attempts, latest first. */
function Attempts({ delivery: { kind, attempts } }: { delivery: WholeDelivery }) {
  // What resumes an engine waits for the end of its task in a cycle without attempts.
  const firstCycle = kind === "resume" ? 2 : 1;
  return (
    <table className="data" aria-label={t("Attempts")}>
      <thead>
        <tr>
          <th scope="col">{t("Attempt")}</th>
          <th scope="col">{t("Started")}</th>
          <th scope="col">{t("Result")}</th>
          <th scope="col" className="number">
            {t("Duration")}
          </th>
        </tr>
      </thead>
      <tbody>
        {attempts.toReversed().map(({ cycle, attempt, ...ended }) => (
          <tr key={`${cycle}.${attempt}`}>
            <th scope="row">
              {attempt}
              {cycle > firstCycle && <div className="muted">{t("retry {number}", { number: cycle - firstCycle })}</div>}
            </th>
            <td>
              <Time at={ended.started_at} exact />
            </td>
            <td>
              <Result meaning={ended.meaning} result={resultOf(ended.status_code, ended.error)} />
              {ended.response_excerpt !== null && ended.response_excerpt !== "" && (
                <code className="muted">{ended.response_excerpt}</code>
              )}
            </td>
            <td className="number">{inShort(ended.duration_ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inShort(ms: number): string {
  if (ms < 1_000) return t("{ms} ms", { ms });
  const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return t("{seconds} s", { seconds: (ms / 1_000).toLocaleString(locale(), tenths) });
}

/** The headers of the latest attempt, and the same request for a terminal. Signatures are left out. */
function Sent({ delivery: { request, url, body } }: { delivery: WholeDelivery }) {
  if (request === null) return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(curlOf(url, request, body ?? ""));
    toast({ message: t("Command copied. Put in the signatures yourself.") });
  };
  return (
    <>
      <div className="row between">
        <h3>{t("Request")}</h3>
        {/* Browsers allow the clipboard on secure pages only. */}
        {isSecureContext && body !== null && (
          <Button variant="default" size="xs" onClick={() => void copy()}>
            {t("Copy as curl")}
          </Button>
        )}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="snippet" tabIndex={0} aria-label={t("Request")}>
        {[
          `${request.method} ${url}`,
          ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
        ].join("\n")}
      </pre>
    </>
  );
}

/** Returns a command for a shell that sends the request. */
function curlOf(url: string, { method, headers }: NonNullable<WholeDelivery["request"]>, body: string): string {
  const parts = [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ];
  return parts.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function Body({ body }: { body: string | null }) {
  if (body === null) return <p className="muted">{t("Body deleted. This cannot be sent again.")}</p>;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(body);
    toast({ message: t("Body copied") });
  };
  return (
    <>
      <div className="row between">
        <h3>{t("Body")}</h3>
        {/* Browsers allow the clipboard on secure pages only. */}
        {isSecureContext && (
          <Button variant="default" size="xs" onClick={() => void copy()}>
            {t("Copy")}
          </Button>
        )}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="snippet" tabIndex={0} aria-label={t("Body")}>
        {pretty(body)}
      </pre>
    </>
  );
}

/** Returns the body with indentation, which the sent body does not have. */
function pretty(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}
