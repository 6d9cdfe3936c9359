import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { remove } from "../api.ts";
import { ProjectLine } from "../projects/name.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { queryClient } from "../queries.ts";
import { toast } from "../ui/toasts.ts";
import { useDialog } from "../ui/dialog.ts";
import { InNotify } from "./in-notify.tsx";
import { SenderForm } from "./mail-form.tsx";
import { SendTest } from "./mail-test.tsx";
import { isOfEnvironment, nameOf, TRANSPORTS } from "./mail-transports.ts";
import { SENDERS, sendersQuery } from "./queries.ts";
import type { Sender } from "./queries.ts";

/** The open dialog. If sender is null, the dialog adds a sender. */
type Asked = { kind: "edit"; sender: Sender | null } | { kind: "delete"; sender: Sender };

/** The email senders. (spec: Channels) */
export function Mail() {
  const query = useQuery(sendersQuery);
  const { asked, ask, close } = useDialog<Asked>();
  const add = (): void => ask({ kind: "edit", sender: null });
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load the senders")} error={query.error} retry={() => void query.refetch()} />
    );
  const senders = query.data;
  return (
    <>
      {senders.length === 0 ? <None onAdd={add} /> : <Senders senders={senders} onAdd={add} ask={ask} />}
      {asked?.kind === "edit" && <SenderForm sender={asked.sender} isFirst={senders.length === 0} onClose={close} />}
      {asked?.kind === "delete" && <Delete sender={asked.sender} onClose={close} />}
    </>
  );
}

function None({ onAdd }: { onAdd: () => void }) {
  return (
    <section className="surface stack" aria-labelledby="none">
      <h2 id="none">{t("Email is off")}</h2>
      <p>
        {rich(
          "A sender is a From address with an email server or provider. Add one, and agents can notify people about a task: {example}",
          { example: <code>{`"notify": ["email:dana@example.com"]`}</code> },
        )}
      </p>
      <div className="row">
        <Button onClick={onAdd}>{t("Add a sender")}</Button>
      </div>
      <p className="muted">
        {rich("Or set {variable} and {otherVariable} and restart the service: that creates the sender {sender}.", {
          variable: <code>SERVICE_EMAIL_FROM</code>,
          otherVariable: <code>SERVICE_SMTP_URL</code>,
          sender: <code>default</code>,
        })}
      </p>
    </section>
  );
}

interface SendersProps {
  senders: readonly Sender[];
  onAdd: () => void;
  ask: (about: Asked) => void;
}

function Senders({ senders, onAdd, ask }: SendersProps) {
  const isOnly = senders.length === 1;
  return (
    <>
      <div className="stack">
        <p>
          {isOnly
            ? rich("With one sender, agents notify Dana with {entry}.", { entry: <code>email:dana@example.com</code> })
            : rich(
                "With several senders, agents name one in {field}, as in {entry}. Without an id, as in {shortEntry}, no email is sent.",
                {
                  field: <code>notify</code>,
                  entry: <code>email+{senders[0]!.id}:dana@example.com</code>,
                  shortEntry: <code>email:dana@example.com</code>,
                },
              )}
        </p>
        <div className="row">
          <Button onClick={onAdd}>{t("Add a sender")}</Button>
        </div>
      </div>
      <dl className="surface facts">
        {senders.map((sender) => (
          <div key={`${sender.id} ${sender.created_at}`}>
            <dt>{nameOf(sender)}</dt>
            <dd>
              <About sender={sender} isOnly={isOnly} ask={ask} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface AboutProps {
  sender: Sender;
  isOnly: boolean;
  ask: (about: Asked) => void;
}

function About({ sender, isOnly, ask }: AboutProps) {
  const [isTesting, setIsTesting] = useState(false);
  const { id, from_email, from_name, reply_to, transport } = sender;
  const name = nameOf(sender);
  return (
    <div className="stack">
      <div>
        <p>
          {from_name === null ? (
            from_email
          ) : (
            <>
              <bdi>{from_name}</bdi> &lt;{from_email}&gt;
            </>
          )}
        </p>
        {reply_to !== null && <p className="muted">{t("Reply to {address}", { address: reply_to })}</p>}
        <p className="muted">{TRANSPORTS[transport].label}</p>
        <ProjectLine slug={sender.project} />
        <p className="muted">
          <InNotify
            entry={<code>email+{id}:&lt;address&gt;</code>}
            shortEntry={isOnly ? <code>email:&lt;address&gt;</code> : null}
          />
        </p>
      </div>
      {isOfEnvironment(sender) && (
        <p className="muted">
          {rich("Set by {variable} and {otherVariable}. Change it there.", {
            variable: <code>SERVICE_EMAIL_FROM</code>,
            otherVariable: <code>SERVICE_SMTP_URL</code>,
          })}
        </p>
      )}
      <div className="row">
        <Button
          variant="default"
          size="xs"
          aria-expanded={isTesting}
          aria-label={t("Send a test email from {name}", { name })}
          onClick={() => setIsTesting(!isTesting)}
        >
          {t("Send a test email")}
        </Button>
        {!isOfEnvironment(sender) && (
          <>
            <Button
              variant="default"
              size="xs"
              aria-label={t("Edit {name}", { name })}
              onClick={() => ask({ kind: "edit", sender })}
            >
              {t("Edit")}
            </Button>
            <Button
              variant="default"
              size="xs"
              aria-label={t("Delete {name}", { name })}
              onClick={() => ask({ kind: "delete", sender })}
            >
              {t("Delete")}
            </Button>
          </>
        )}
      </div>
      {/* A change of the sender discards the result of the last test. */}
      {isTesting && <SendTest key={sender.updated_at} sender={sender} />}
    </div>
  );
}

function Delete({ sender, onClose }: { sender: Sender; onClose: () => void }) {
  const name = nameOf(sender);
  return (
    <Confirm
      title={t("Delete {name}?", { name })}
      action={t("Delete sender")}
      onConfirm={async () => {
        await remove(`${SENDERS}/${sender.id}`);
        toast({ message: t("Sender {name} deleted", { name }) });
        await queryClient.invalidateQueries(sendersQuery);
      }}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          {rich(
            "Unsent email from this sender fails, and its tasks show that. The same goes for new tasks that name {entry} in {field}.",
            { entry: <code>email+{sender.id}:</code>, field: <code>notify</code> },
          )}
        </p>
        <p>{t("Its settings are deleted too. This can't be undone.")}</p>
      </div>
    </Confirm>
  );
}
