import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { post } from "../api.ts";
import { Confirm } from "../ui/confirm.tsx";
import { ShownSecret } from "../ui/shown-secret.tsx";
import { hostOf } from "../ui/urls.ts";
import { refreshSubscriptions, SUBSCRIPTIONS, type NewSubscription, type Subscription } from "./queries.ts";

interface SigningSecretProps {
  subscription: NewSubscription;
  onClose: () => void;
}

/** Shows the secret of a subscription once. */
export function SigningSecret({ subscription: { url, secret }, onClose }: SigningSecretProps) {
  return (
    <ShownSecret
      title={t("Secret of {url}", { url: hostOf(url) })}
      about={t("Store the secret now, where only the receiver can read it. It is not shown again.")}
      secret={secret}
      copyLabel={t("Copy the secret")}
      onClose={onClose}
    >
      <p>
        {rich(
          "The receiver checks {header} with it, as Standard Webhooks describes. Libraries for that take the secret as it is.",
          { header: <code>webhook-signature</code> },
        )}
      </p>
    </ShownSecret>
  );
}

/** Replaces the secret of a subscription, and shows the new one. */
export function ReplaceSecret({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const [fresh, setFresh] = useState<NewSubscription | null>(null);
  if (fresh !== null) return <SigningSecret subscription={fresh} onClose={onClose} />;
  return (
    <Confirm
      title={t("Replace the secret of {url}?", { url: hostOf(subscription.url) })}
      action={t("Replace secret")}
      tone="accent"
      staysOpen
      onConfirm={async () => {
        setFresh(await post<NewSubscription>(`${SUBSCRIPTIONS}/${subscription.id}/rotate`));
        await refreshSubscriptions();
      }}
      onClose={onClose}
    >
      {t(
        "The new secret is shown once. For 24 hours, both secrets sign each event, so that the receiver can change to the new one without a gap.",
      )}
    </Confirm>
  );
}
