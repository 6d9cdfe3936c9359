import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { remove } from "../api.ts";
import { Confirm } from "../ui/confirm.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { queryClient } from "../queries.ts";
import { toast } from "../ui/toasts.ts";
import { useDialog } from "./dialog.ts";
import { SenderForm } from "./mail-form.tsx";
import { SendTest } from "./mail-test.tsx";
import { isOfEnvironment, nameOf, TRANSPORTS } from "./mail-transports.ts";
import { SENDERS, sendersQuery } from "./queries.ts";
import type { Sender } from "./queries.ts";

/** What is asked about a sender; without one, about a new one. */
type Asked = { kind: "edit"; sender: Sender | null } | { kind: "delete"; sender: Sender };

/** Whom mail is from. (spec: Channels) */
export function Mail() {
  const query = useQuery(sendersQuery);
  const { asked, ask, close } = useDialog<Asked>();
  const add = (): void => ask({ kind: "edit", sender: null });
  if (query.isPending) return <p className="muted">Loading</p>;
  if (query.isError)
    return (
      <ErrorPanel title="The senders could not be loaded" error={query.error} retry={() => void query.refetch()} />
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
      <h2 id="none">No mail is sent yet</h2>
      <p>
        A sender is an address that mail about tasks is from, with the server or the provider that takes it. As soon as
        there is one, an agent can have people told of a task: <code>{`"notify": ["email:dana@example.com"]`}</code>
      </p>
      <div className="row">
        <Button onClick={onAdd}>Add a sender</Button>
      </div>
      <p className="muted">
        Or set <code>SERVICE_EMAIL_FROM</code> and <code>SERVICE_SMTP_URL</code> and start the service again: that makes
        the sender <code>default</code>.
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
          {isOnly ? (
            <>
              As long as there is one sender, an agent writes <code>email:dana@example.com</code> in <code>notify</code>
              , and Dana is told of the task.
            </>
          ) : (
            <>
              With several senders, an agent says in <code>notify</code> which one to use, as in{" "}
              <code>email+{senders[0]!.id}:dana@example.com</code>. Without an id, as in{" "}
              <code>email:dana@example.com</code>, nobody is told.
            </>
          )}
        </p>
        <div className="row">
          <Button onClick={onAdd}>Add a sender</Button>
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
        {reply_to !== null && <p className="muted">Answers go to {reply_to}</p>}
        <p className="muted">{TRANSPORTS[transport].label}</p>
        <p className="muted">
          In notify: <code>email+{id}:&lt;address&gt;</code>
          {isOnly && (
            <>
              {" "}
              or <code>email:&lt;address&gt;</code>
            </>
          )}
        </p>
      </div>
      {isOfEnvironment(sender) && (
        <p className="muted">
          Set by <code>SERVICE_EMAIL_FROM</code> and <code>SERVICE_SMTP_URL</code>, and cannot be changed here.
        </p>
      )}
      <div className="row">
        <Button
          variant="default"
          size="xs"
          aria-expanded={isTesting}
          aria-label={`Send a test mail from ${name}`}
          onClick={() => setIsTesting(!isTesting)}
        >
          Send a test mail
        </Button>
        {!isOfEnvironment(sender) && (
          <>
            <Button
              variant="default"
              size="xs"
              aria-label={`Edit ${name}`}
              onClick={() => ask({ kind: "edit", sender })}
            >
              Edit
            </Button>
            <Button
              variant="default"
              size="xs"
              aria-label={`Delete ${name}`}
              onClick={() => ask({ kind: "delete", sender })}
            >
              Delete
            </Button>
          </>
        )}
      </div>
      {/* What became of a test says nothing about a sender that was changed since. */}
      {isTesting && <SendTest key={sender.updated_at} sender={sender} />}
    </div>
  );
}

function Delete({ sender, onClose }: { sender: Sender; onClose: () => void }) {
  const name = nameOf(sender);
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete sender"
      onConfirm={async () => {
        await remove(`${SENDERS}/${sender.id}`);
        toast({ message: `The sender ${name} is deleted` });
        await queryClient.invalidateQueries(sendersQuery);
      }}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          Mail from it that is still to be sent fails, and the tasks it belongs to say so. The same goes for new tasks
          that name <code>email+{sender.id}:</code> in <code>notify</code>.
        </p>
        <p>Its settings are deleted with it. This cannot be undone.</p>
      </div>
    </Confirm>
  );
}
