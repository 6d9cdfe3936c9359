import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { post } from "../api.ts";
import { ProjectField } from "../projects/field.tsx";
import { FieldError } from "../settings/field-error.ts";
import { textOf } from "../settings/form.tsx";
import { FormDialog } from "../settings/form-dialog.tsx";
import { toast } from "../ui/toasts.ts";
import {
  changeSubscription,
  refreshSubscriptions,
  SUBSCRIPTIONS,
  type EventType,
  type NewSubscription,
  type Subscription,
} from "./queries.ts";
import { SigningSecret } from "./secret.tsx";
import { capitalized, EVENTS } from "./words.ts";

interface SubscriptionFormProps {
  /** null for a new one. */
  subscription: Subscription | null;
  onClose: () => void;
}

/** Adds a subscription and shows its secret, or changes one. Errors of a field are shown at the field. */
export function SubscriptionForm({ subscription, onClose }: SubscriptionFormProps) {
  const [added, setAdded] = useState<NewSubscription | null>(null);
  if (added !== null) return <SigningSecret subscription={added} onClose={onClose} />;
  const send = async (form: HTMLFormElement): Promise<void> => {
    const url = textOf(form, "/url").trim();
    const chosen = new FormData(form).getAll("/events");
    const events = Object.keys(EVENTS).filter((type): type is EventType => chosen.includes(type));
    if (events.length === 0) throw new FieldError("/events", t("Choose at least one event."));
    if (subscription !== null) {
      await changeSubscription(subscription.id, { url, events });
      toast({ message: t("Saved") });
      return;
    }
    const project = textOf(form, "/project");
    setAdded(await post<NewSubscription>(SUBSCRIPTIONS, { url, events, ...(project !== "" && { project }) }));
    await refreshSubscriptions();
  };
  return (
    <FormDialog
      title={subscription === null ? t("Add a subscription") : t("Edit the subscription")}
      label={subscription === null ? t("Add") : t("Save")}
      send={send}
      staysOpen={subscription === null}
      onClose={onClose}
    >
      {(field) => {
        const { name, error } = field("/events");
        return (
          <>
            <TextInput
              {...field("/url")}
              type="url"
              label={t("URL")}
              description={t("Gets a signed POST for each event.")}
              defaultValue={subscription?.url ?? ""}
              data-autofocus
            />
            {subscription === null && <ProjectField {...field("/project")} />}
            <Checkbox.Group label={t("Events")} defaultValue={subscription?.events ?? []} error={error}>
              <div className="stack">
                {Object.entries(EVENTS).map(([type, { word, about }]) => (
                  <Checkbox
                    key={type}
                    name={name}
                    value={type}
                    label={capitalized(word)}
                    description={
                      <>
                        {about} <code>{type}</code>
                      </>
                    }
                  />
                ))}
              </div>
            </Checkbox.Group>
          </>
        );
      }}
    </FormDialog>
  );
}
