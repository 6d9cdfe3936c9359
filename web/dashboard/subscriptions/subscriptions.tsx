import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { remove } from "../api.ts";
import { DeliveriesLink } from "../deliveries/link.tsx";
import { ProjectLine } from "../projects/name.tsx";
import { Listed, ListedItem } from "../settings/listed.tsx";
import { ActButton } from "../ui/act-button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel, sentenceOf } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { hostOf } from "../ui/urls.ts";
import { SubscriptionForm } from "./form.tsx";
import {
  changeSubscription,
  refreshSubscriptions,
  SUBSCRIPTIONS,
  subscriptionsQuery,
  type Subscription,
} from "./queries.ts";
import { ReplaceSecret } from "./secret.tsx";
import { eventsWords } from "./words.ts";

/** The open dialog. If subscription is null, the dialog adds one. */
type Asked =
  | { kind: "edit"; subscription: Subscription | null }
  | { kind: "secret" | "off" | "delete"; subscription: Subscription };

/** Programs that learn what happens to tasks. (beyond: Resuming) */
export function Subscriptions() {
  const query = useQuery(subscriptionsQuery);
  const { asked, ask, close } = useDialog<Asked>();
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel
        title={t("Could not load the subscriptions")}
        error={query.error}
        retry={() => void query.refetch()}
      />
    );
  return (
    <>
      <Listed
        about={t(
          "A subscription sends what happens to the tasks of a project to a URL, signed as Standard Webhooks describes. The contents of confidential tasks are left out.",
        )}
        add={t("Add a subscription")}
        onAdd={() => ask({ kind: "edit", subscription: null })}
        empty={t("No subscriptions yet.")}
      >
        {query.data.map((subscription) => (
          <About key={subscription.id} subscription={subscription} ask={ask} />
        ))}
      </Listed>
      {asked !== null && <Dialog asked={asked} onClose={close} />}
    </>
  );
}

function Dialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  switch (asked.kind) {
    case "edit":
      return <SubscriptionForm subscription={asked.subscription} onClose={onClose} />;
    case "secret":
      return <ReplaceSecret subscription={asked.subscription} onClose={onClose} />;
    case "off":
      return <TurnOff subscription={asked.subscription} onClose={onClose} />;
    case "delete":
      return <Delete subscription={asked.subscription} onClose={onClose} />;
  }
}

function About({ subscription, ask }: { subscription: Subscription; ask: (about: Asked) => void }) {
  const { id, url, events, project, rotated_at, disabled_at } = subscription;
  const [busy, setBusy] = useState(false);
  const turnOn = async (): Promise<void> => {
    setBusy(true);
    try {
      await changeSubscription(id, { disabled: false });
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <ListedItem
      name={hostOf(url)}
      actions={
        <>
          <ActButton label={t("Edit")} of={url} onClick={() => ask({ kind: "edit", subscription })} />
          <ActButton label={t("Replace secret")} of={url} onClick={() => ask({ kind: "secret", subscription })} />
          {disabled_at === null ? (
            <ActButton label={t("Turn off")} of={url} onClick={() => ask({ kind: "off", subscription })} />
          ) : (
            <ActButton label={t("Turn on")} of={url} loading={busy} onClick={() => void turnOn()} />
          )}
          <ActButton label={t("Delete")} of={url} onClick={() => ask({ kind: "delete", subscription })} />
          <DeliveriesLink of={url} search={{ subscription: id }} />
        </>
      }
    >
      <p>
        <bdi>{url}</bdi>
      </p>
      <p>{eventsWords(events)}</p>
      <ProjectLine slug={project} />
      {rotated_at !== null && (
        <p className="muted">{rich("Secret replaced {time}", { time: <Time at={rotated_at} /> })}</p>
      )}
      {disabled_at !== null && (
        <p className="notice warn">
          {rich(
            "Off since {time}. Nothing is sent. An operator turned it off, or the receiver answered that it is gone.",
            { time: <Time at={disabled_at} /> },
          )}
        </p>
      )}
    </ListedItem>
  );
}

function TurnOff({ subscription: { id, url }, onClose }: { subscription: Subscription; onClose: () => void }) {
  return (
    <Confirm
      title={t("Turn off the subscription of {url}?", { url: hostOf(url) })}
      action={t("Turn off")}
      onConfirm={() => changeSubscription(id, { disabled: true })}
      onClose={onClose}
    >
      {t("What happens while it is off is never sent. You can turn it on again.")}
    </Confirm>
  );
}

function Delete({ subscription: { id, url }, onClose }: { subscription: Subscription; onClose: () => void }) {
  return (
    <Confirm
      title={t("Delete the subscription of {url}?", { url: hostOf(url) })}
      action={t("Delete subscription")}
      onConfirm={async () => {
        await remove(`${SUBSCRIPTIONS}/${id}`);
        toast({ message: t("Subscription of {url} deleted", { url: hostOf(url) }) });
        await refreshSubscriptions();
      }}
      onClose={onClose}
    >
      {t("Nothing more is sent, not even events that wait for another attempt. This can't be undone.")}
    </Confirm>
  );
}
