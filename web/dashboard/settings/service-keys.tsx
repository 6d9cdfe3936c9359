import { Button, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { post, remove } from "../api.ts";
import { Confirm } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { queryClient } from "../queries.ts";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { serviceKeysQuery } from "./queries.ts";
import type { NewServiceKey, ServiceKey } from "./queries.ts";

export function ServiceKeys() {
  const [fresh, setFresh] = useState<NewServiceKey | null>(null);
  return (
    <>
      {fresh === null ? <Create onDone={setFresh} /> : <Secret fresh={fresh} onStored={() => setFresh(null)} />}
      <Keys />
    </>
  );
}

function Create({ onDone }: { onDone: (fresh: NewServiceKey) => void }) {
  const create = useMutation({
    mutationFn: (name: string) => post<NewServiceKey>("/api/service-keys", { name }),
    onSuccess: async (fresh) => {
      onDone(fresh);
      await queryClient.invalidateQueries(serviceKeysQuery);
    },
  });
  return (
    <form
      className="surface stack"
      aria-labelledby="create"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(textOf(event.currentTarget, "name"));
      }}
    >
      <h2 id="create">Create a key</h2>
      <TextInput
        name="name"
        label="Name"
        description="The product that uses it, so that you know which to revoke."
        autoComplete="off"
        maxLength={200}
        required
        withAsterisk={false}
        error={problemAt(create.error, "/name")}
      />
      <Problem error={create.error} fields={["/name"]} />
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          Create key
        </Button>
      </div>
    </form>
  );
}

/** The one time that a key is shown; it is kept nowhere, so a reload forgets it. */
function Secret({ fresh, onStored }: { fresh: NewServiceKey; onStored: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="surface stack" aria-labelledby="secret">
      <h2 id="secret" ref={heading} tabIndex={-1}>
        The key of {fresh.name}
      </h2>
      <p>Store it now, where only the server of that product reads it. It is not shown again.</p>
      <code className="secret">{fresh.key}</code>
      <div className="row">
        <CopyButton text={fresh.key} />
        <Button size="xs" onClick={onStored}>
          I stored it
        </Button>
      </div>
    </section>
  );
}

function Keys() {
  const query = useInfiniteQuery(serviceKeysQuery);
  const [revoking, setRevoking] = useState<ServiceKey | null>(null);
  if (query.isPending) return <p className="muted">Loading</p>;
  if (query.isError)
    return <ErrorPanel title="The keys could not be loaded" error={query.error} retry={() => void query.refetch()} />;
  const keys = query.data.pages.flatMap((page) => page.data);
  const active = keys.filter((key) => key.revoked_at === null);
  const revoked = keys.filter((key) => key.revoked_at !== null);
  return (
    <section className="surface stack" aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      {active.length === 0 ? (
        <p className="muted">There is no key that works.</p>
      ) : (
        <KeyTable label="Keys" keys={active} onRevoke={setRevoking} />
      )}
      {revoked.length > 0 && (
        <details>
          <summary>Revoked ({revoked.length})</summary>
          <KeyTable label="Revoked keys" keys={revoked} />
        </details>
      )}
      {query.hasNextPage && (
        <div className="row">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
      {revoking !== null && (
        <Confirm
          title={`Revoke the key of ${revoking.name}?`}
          action="Revoke key"
          onConfirm={async () => {
            await remove(`/api/service-keys/${revoking.id}`);
            toast({ message: `The key of ${revoking.name} is revoked` });
            await queryClient.invalidateQueries(serviceKeysQuery);
          }}
          onClose={() => setRevoking(null)}
        >
          The key, and every embed token made with it, stops working at once. This cannot be undone.
        </Confirm>
      )}
    </section>
  );
}

interface KeyTableProps {
  label: string;
  keys: readonly ServiceKey[];
  onRevoke?: (key: ServiceKey) => void;
}

function KeyTable({ label, keys, onRevoke }: KeyTableProps) {
  const isRevoked = onRevoke === undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls on a phone, so the keyboard must reach it
    <section className="scrolls" aria-label={label} tabIndex={0}>
      <table className="key-table">
        <caption className="unseen">{label}</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Created</th>
            <th scope="col">Last used</th>
            <th scope="col">{isRevoked ? "Revoked" : <span className="unseen">Actions</span>}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <bdi>{key.name}</bdi>
                <br />
                <code title="How it begins">{key.prefix}</code>
              </th>
              <td>
                <Time at={key.created_at} />
              </td>
              <td>{key.last_used_at === null ? "Never" : <Time at={key.last_used_at} />}</td>
              <td>
                {key.revoked_at !== null && <Time at={key.revoked_at} />}
                {onRevoke !== undefined && (
                  <Button variant="default" size="xs" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
                    Revoke
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
