import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { post } from "../api.ts";
import { ProjectField } from "../projects/field.tsx";
import { queryClient } from "../queries.ts";
import { toast } from "../ui/toasts.ts";
import { FieldError } from "./field-error.ts";
import { Secret } from "./form.tsx";
import { FormDialog, type Field } from "./form-dialog.tsx";
import { nameOf, TRANSPORTS } from "./mail-transports.ts";
import type { Transport } from "./mail-transports.ts";
import { SENDERS, sendersQuery } from "./queries.ts";
import type { Sender } from "./queries.ts";

interface SenderFormProps {
  /** null for a new sender. */
  sender: Sender | null;
  isFirst: boolean;
  onClose: () => void;
}

/** Adds or changes a sender. Errors of a field are shown at the field. */
export function SenderForm({ sender, isFirst, onClose }: SenderFormProps) {
  const [transport, setTransport] = useState<Transport>(sender?.transport ?? "smtp");
  const [isKeeping, setIsKeeping] = useState(sender !== null);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const body = bodyOf(form, sender, transport, isKeeping);
    if (sender === null) await requireNew(body.id);
    const saved = await post<Sender>(SENDERS, body);
    toast({ message: sender === null ? t("Sender {sender} added", { sender: nameOf(saved) }) : t("Saved") });
    await queryClient.invalidateQueries(sendersQuery);
  };
  return (
    <FormDialog
      title={sender === null ? t("Add a sender") : t("Edit {name}", { name: nameOf(sender) })}
      label={sender === null ? t("Add") : t("Save")}
      send={send}
      onClose={onClose}
    >
      {(field) => (
        <>
          <SenderFields sender={sender} isFirst={isFirst} field={field} />
          <TransportFields
            sender={sender}
            transport={transport}
            setTransport={setTransport}
            isKeeping={isKeeping}
            change={() => setIsKeeping(false)}
            field={field}
          />
        </>
      )}
    </FormDialog>
  );
}

interface SenderFieldsProps extends Pick<SenderFormProps, "sender" | "isFirst"> {
  field: Field;
}

/** The name and the addresses of a sender. */
function SenderFields({ sender, isFirst, field }: SenderFieldsProps) {
  return (
    <>
      <TextInput
        {...field("/display_name")}
        label={t("Name")}
        description={t("Shown to operators.")}
        defaultValue={sender?.display_name ?? ""}
        data-autofocus
      />
      {sender === null && (
        <TextInput
          {...field("/id")}
          label={t("Id")}
          description={t("Agents use it in notify, as in email+main:dana@example.com. You can't change it later.")}
          defaultValue={isFirst ? "main" : ""}
        />
      )}
      {sender === null && <ProjectField {...field("/project")} />}
      <TextInput
        {...field("/from_email")}
        type="email"
        label={t("From address")}
        defaultValue={sender?.from_email ?? ""}
      />
      <TextInput
        {...field("/from_name")}
        label={t("From name")}
        description={t("Display name. Optional.")}
        defaultValue={sender?.from_name ?? ""}
      />
      <TextInput
        {...field("/reply_to")}
        type="email"
        label={t("Reply to")}
        description={t("Default: the From address.")}
        defaultValue={sender?.reply_to ?? ""}
      />
    </>
  );
}

/** Moves the focus, because the button that showed the field is gone. */
function focus(field: HTMLElement | null): void {
  field?.focus();
}

interface TransportFieldsProps extends SettingsProps {
  sender: Sender | null;
  setTransport: (transport: Transport) => void;
  isKeeping: boolean;
  change: () => void;
}

/** How email is sent. An existing sender keeps its settings unless the operator changes them. */
function TransportFields({ sender, transport, setTransport, isKeeping, change, field }: TransportFieldsProps) {
  return isKeeping ? (
    <div className="choice">
      <div>
        <p>{t("Sent through: {label}", { label: TRANSPORTS[transport].label })}</p>
        <p className="muted">{t("The settings are kept. They are never shown.")}</p>
      </div>
      <Button variant="default" size="xs" onClick={change}>
        {t("Change transport")}
      </Button>
    </div>
  ) : (
    <>
      <NativeSelect
        {...field("/transport")}
        ref={sender === null ? undefined : focus}
        label={t("Sent through")}
        description={TRANSPORTS[transport].about}
        data={Object.entries(TRANSPORTS).map(([value, { label }]) => ({ value, label }))}
        value={transport}
        onChange={(event) => setTransport(event.currentTarget.value as Transport)}
      />
      {sender?.transport === transport && transport !== "log" && (
        <p className="notice">
          {t(
            "Leave all fields empty to keep the settings. If you enter any value, it replaces all settings, including the password.",
          )}
        </p>
      )}
      <Settings key={transport} transport={transport} field={field} />
    </>
  );
}

interface SettingsProps {
  transport: Transport;
  field: Field;
}

/** The settings of a transport. */
function Settings({ transport, field }: SettingsProps) {
  const [encryption, setEncryption] = useState("");
  const at = (name: string) => field(`/transport_config/${name}`);
  switch (transport) {
    case "smtp":
      return (
        <>
          <div className="triple">
            <TextInput {...at("host")} label={t("Server")} placeholder="mail.example.com" />
            <TextInput
              {...at("port")}
              label={t("Port")}
              inputMode="numeric"
              placeholder={encryption === "true" ? "465" : "587"}
            />
          </div>
          <NativeSelect
            {...at("secure")}
            label={t("Encryption")}
            data={[
              { value: "", label: t("Automatic: TLS on port 465, otherwise STARTTLS") },
              { value: "true", label: "TLS" },
              { value: UNENCRYPTED, label: t("Not required: the password may be sent unencrypted") },
            ]}
            value={encryption}
            onChange={(event) => setEncryption(event.currentTarget.value)}
          />
          <TextInput {...at("user")} label={t("User")} description={t("Leave empty if the server needs no login.")} />
          <Secret {...at("password")} label={t("Password")} />
        </>
      );
    case "resend":
      return <Secret {...at("api_key")} label={t("API key")} />;
    case "file":
      return <TextInput {...at("dir")} label={t("Folder")} description={t("In the data directory, such as outbox.")} />;
    case "log":
      return null;
  }
}

/** The setting that lets a password go to a server without TLS. */
const UNENCRYPTED = "allow_unencrypted";

/** The names of the settings of each transport. */
const SETTINGS: Readonly<Record<Transport, readonly string[]>> = {
  smtp: ["host", "port", "secure", "user", "password"],
  resend: ["api_key"],
  file: ["dir"],
  log: [],
};

function bodyOf(form: HTMLFormElement, sender: Sender | null, transport: Transport, isKeeping: boolean) {
  const entered = new FormData(form);
  const text = (name: string): string => {
    const value = entered.get(name);
    if (typeof value !== "string") return "";
    return name.endsWith("/password") ? value : value.trim();
  };
  const settings = Object.fromEntries(
    SETTINGS[transport]
      .map((name) => [name, text(`/transport_config/${name}`)] as const)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => readSetting(name, value)),
  );
  const isKept = isKeeping || (sender?.transport === transport && Object.keys(settings).length === 0);
  return {
    id: sender?.id ?? text("/id"),
    ...(entered.has("/project") && { project: text("/project") }),
    display_name: text("/display_name"),
    from_email: text("/from_email"),
    from_name: text("/from_name") || null,
    reply_to: text("/reply_to") || null,
    transport,
    ...(isKept ? {} : { transport_config: settings }),
  };
}

/** Sends a port that is not a number unchanged, so that the service reports it. */
function readSetting(name: string, value: string): [name: string, value: string | number | boolean] {
  if (name === "secure") return [value === UNENCRYPTED ? UNENCRYPTED : name, true];
  return [name, name === "port" && /^\d+$/.test(value) ? Number(value) : value];
}

/**
 * Checks that no sender has this id, because the service would overwrite it. @throws FieldError, ApiError, OfflineError
 */
async function requireNew(id: string): Promise<void> {
  const senders = await queryClient.fetchQuery({ ...sendersQuery, staleTime: 0 });
  if (senders.some((other) => other.id === id))
    throw new FieldError("/id", t("A sender with this id exists. Edit that sender."));
}
