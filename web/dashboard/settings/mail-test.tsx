import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { post } from "../api.ts";
import { readFailure } from "../task/notifications.ts";
import { meQuery } from "../queries.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { nameOf, TRANSPORTS } from "./mail-transports.ts";
import { SENDERS } from "./queries.ts";
import type { Sender, TestMail } from "./queries.ts";

/** Sends a test email, and shows the result. */
export function SendTest({ sender }: { sender: Sender }) {
  const { data: me } = useQuery(meQuery);
  const to = useRef<HTMLInputElement>(null);
  useEffect(() => to.current?.focus(), []);
  const send = useMutation({
    mutationFn: (to: string) => post<TestMail>(`${SENDERS}/${sender.id}/test`, { to: to === "" ? null : to }),
  });
  return (
    <form
      className="stack"
      aria-label={t("Test email from {sender}", { sender: nameOf(sender) })}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate(textOf(event.currentTarget, "to").trim());
      }}
    >
      <TextInput
        ref={to}
        name="to"
        label={t("To")}
        type="email"
        autoComplete="off"
        maxLength={254}
        defaultValue={me?.email ?? ""}
        error={problemAt(send.error, "/to")}
      />
      <div className="row">
        <Button type="submit" loading={send.isPending}>
          {t("Send")}
        </Button>
      </div>
      <Problem error={send.error} fields={["/to"]} />
      <Result sender={sender} result={send.data} />
    </form>
  );
}

function Result({ sender, result }: { sender: Sender; result: TestMail | undefined }) {
  const error = result?.error ?? null;
  return (
    <>
      {/* Always present, so that screen readers announce what is added. */}
      <output>
        {result?.sent === true && <span className="notice ok">{TRANSPORTS[sender.transport].took(result.to)}</span>}
      </output>
      {error !== null && <Failed to={result!.to} error={error} />}
    </>
  );
}

/** Advice on what to check, by the stable word of an error. */
const HELP: Readonly<Record<string, string>> = {
  connect: t("Check server, port and encryption."),
  dns: t("Check the server name."),
  timeout: t("Check server and port. A firewall may block the connection."),
  tls: t("Check encryption and port."),
  refused_login: t("Check user and password."),
  refused_address: t("Check the From address and the recipient."),
  provider: t("Check the API key, and whether the provider has verified the From domain."),
};

function Failed({ to, error }: { to: string; error: string }) {
  const { word, sentence } = readFailure(error);
  return (
    <div className="notice bad" role="alert">
      <p>{rich("Not sent to {recipient}: {reason}", { recipient: to, reason: <bdi>{sentence}</bdi> })}</p>
      {HELP[word] !== undefined && <p>{HELP[word]}</p>}
    </div>
  );
}
