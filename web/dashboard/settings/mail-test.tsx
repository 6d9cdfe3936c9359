import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { post } from "../api.ts";
import { readFailure } from "../task/notifications.ts";
import { meQuery } from "../queries.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { nameOf, TRANSPORTS } from "./mail-transports.ts";
import { SENDERS } from "./queries.ts";
import type { Sender, TestMail } from "./queries.ts";

/** Sends a mail that says that it is a test; what became of it stays in sight. */
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
      aria-label={`Test mail from ${nameOf(sender)}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate(textOf(event.currentTarget, "to").trim());
      }}
    >
      <TextInput
        ref={to}
        name="to"
        label="To"
        type="email"
        autoComplete="off"
        maxLength={254}
        defaultValue={me?.email ?? ""}
        error={problemAt(send.error, "/to")}
      />
      <div className="row">
        <Button type="submit" loading={send.isPending}>
          Send
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
      {/* It is there before anything is said, so that it is said aloud. */}
      <output>
        {result?.sent === true && <span className="notice ok">{TRANSPORTS[sender.transport].took(result.to)}</span>}
      </output>
      {error !== null && <Failed to={result!.to} error={error} />}
    </>
  );
}

/** What to look at, for the stable word of an error. */
const HELP: Readonly<Record<string, string>> = {
  connect: "Check the server, the port and the encryption.",
  dns: "Check the name of the server.",
  timeout: "Check the server and the port. A firewall may be in the way.",
  tls: "Check the encryption and the port.",
  refused_login: "Check the user and the password.",
  refused_address: "Check the address it is from, and the one it goes to.",
  provider: "Check the API key, and that the provider knows the domain that mail is from.",
};

function Failed({ to, error }: { to: string; error: string }) {
  const { word, sentence } = readFailure(error);
  return (
    <div className="notice bad" role="alert">
      <p>
        Not sent to {to}: <bdi>{sentence}</bdi>
      </p>
      {HELP[word] !== undefined && <p>{HELP[word]}</p>}
    </div>
  );
}
