import { Button, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { post, remove } from "../api.ts";
import { ProjectField } from "../projects/field.tsx";
import { ProjectLine } from "../projects/name.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { queryClient } from "../queries.ts";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { serviceKeysQuery } from "./queries.ts";
import type { NewServiceKey, ServiceKey } from "./queries.ts";
import "../operate.css";

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
    mutationFn: (fields: { name: string; project?: string }) => post<NewServiceKey>("/api/service-keys", fields),
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
        const project = textOf(event.currentTarget, "project");
        create.mutate({ name: textOf(event.currentTarget, "name"), ...(project !== "" && { project }) });
      }}
    >
      <h2 id="create">{t("Create a key")}</h2>
      <TextInput
        name="name"
        label={t("Name")}
        description={t("Name the product that will use it.")}
        autoComplete="off"
        maxLength={200}
        required
        withAsterisk={false}
        error={problemAt(create.error, "/name")}
      />
      <ProjectField error={problemAt(create.error, "/project")} />
      <Problem error={create.error} fields={["/name", "/project"]} />
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          {t("Create key")}
        </Button>
      </div>
    </form>
  );
}

/** Shows a new key once. It is not stored, so a reload removes it. */
function Secret({ fresh, onStored }: { fresh: NewServiceKey; onStored: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="surface stack" aria-labelledby="secret">
      <h2 id="secret" ref={heading} tabIndex={-1}>
        {t("Key of {name}", { name: fresh.name })}
      </h2>
      <p>{t("Store the key now, where only the server of that product can read it. It is not shown again.")}</p>
      <code className="secret">{fresh.key}</code>
      <div className="row">
        <CopyButton text={fresh.key} />
        <Button size="xs" onClick={onStored}>
          {t("I have stored it")}
        </Button>
      </div>
    </section>
  );
}

function Keys() {
  const query = useInfiniteQuery(serviceKeysQuery);
  const { asked: revoking, ask: revoke, close } = useDialog<ServiceKey>();
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return <ErrorPanel title={t("Could not load the keys")} error={query.error} retry={() => void query.refetch()} />;
  const keys = query.data.pages.flatMap((page) => page.data);
  const active = keys.filter((key) => key.revoked_at === null);
  const revoked = keys.filter((key) => key.revoked_at !== null);
  return (
    <section className="surface stack" aria-labelledby="keys">
      <h2 id="keys">{as("secrets", "Keys")}</h2>
      {active.length === 0 ? (
        <p className="muted">{t("No active keys.")}</p>
      ) : (
        <KeyTable label={as("secrets", "Keys")} keys={active} onRevoke={revoke} />
      )}
      {revoked.length > 0 && (
        <details>
          <summary>{t("Revoked ({count})", { count: revoked.length })}</summary>
          <KeyTable label={t("Revoked keys")} keys={revoked} />
        </details>
      )}
      {query.hasNextPage && (
        <div className="row">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("Load more")}
          </Button>
        </div>
      )}
      {revoking !== null && (
        <Confirm
          title={t("Revoke the key of {name}?", { name: revoking.name })}
          action={t("Revoke key")}
          onConfirm={async () => {
            await remove(`/api/service-keys/${revoking.id}`);
            toast({ message: t("Key of {name} revoked", { name: revoking.name }) });
            await queryClient.invalidateQueries(serviceKeysQuery);
          }}
          onClose={close}
        >
          {t("The key and all embed tokens created with it stop working immediately. This can't be undone.")}
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
    <table className="data as-cards" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{as("secret", "Key")}</th>
          <th scope="col">{t("Created")}</th>
          <th scope="col">{t("Last used")}</th>
          <th scope="col">{isRevoked ? t("Revoked") : <span className="unseen">{t("Actions")}</span>}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              <strong>
                <bdi>{key.name}</bdi>
              </strong>
              <code title={t("The start of the key")}>{key.prefix}</code>
              <ProjectLine slug={key.project} />
            </th>
            <td data-label={t("Created")}>
              <Time at={key.created_at} />
            </td>
            <td data-label={t("Last used")}>
              {key.last_used_at === null ? t("Never") : <Time at={key.last_used_at} />}
            </td>
            <td data-label={isRevoked ? t("Revoked") : undefined}>
              {key.revoked_at !== null && <Time at={key.revoked_at} />}
              {onRevoke !== undefined && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t("Revoke {name}", { name: key.name })}
                  onClick={() => onRevoke(key)}
                >
                  {t("Revoke")}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
