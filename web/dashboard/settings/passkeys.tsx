import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { patch, remove } from "../api.ts";
import { addPasskey, hasPasskeys } from "../passkey.ts";
import { queryClient } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Moment, Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { browserName } from "./browser-name.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { PASSKEYS, passkeysQuery } from "./queries.ts";
import type { Passkey } from "./queries.ts";
import { Rename } from "./rename.tsx";
import "../operate.css";

/** The passkeys of the person. */
export function Passkeys() {
  return (
    <>
      <AddPasskey
        onAdded={async () => {
          toast({ message: t("Passkey added") });
          await queryClient.invalidateQueries(passkeysQuery);
        }}
      />
      <Yours />
    </>
  );
}

/** Makes a passkey in this browser, with a name. */
export function AddPasskey({ onAdded }: { onAdded: () => Promise<void> }) {
  const add = useMutation({ mutationFn: (name: string) => addPasskey(name), onSuccess: onAdded });
  return (
    <form
      className="surface stack"
      aria-labelledby="add"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        add.mutate(textOf(form, "name"), { onSuccess: () => form.reset() });
      }}
    >
      <h2 id="add">{t("Add a passkey")}</h2>
      <p className="muted">
        {t(
          "A passkey replaces your password. Your device, your password manager or a security key keeps it, and asks for your fingerprint, face or PIN.",
        )}
      </p>
      {hasPasskeys() ? (
        <>
          <TextInput
            name="name"
            label={t("Name")}
            description={t("So that you recognize it later.")}
            autoComplete="off"
            maxLength={100}
            defaultValue={browserName(navigator.userAgent)}
            required
            withAsterisk={false}
            error={problemAt(add.error, "/name")}
          />
          <Problem error={add.error} fields={["/name"]} />
          <div className="row">
            <Button type="submit" loading={add.isPending}>
              {t("Add a passkey")}
            </Button>
          </div>
        </>
      ) : (
        <p className="notice">
          {t("This browser cannot use passkeys here. Update it, or open the service over https.")}
        </p>
      )}
    </form>
  );
}

type Asked = { kind: "rename" | "remove"; passkey: Passkey };

function Yours() {
  const query = useQuery(passkeysQuery);
  const { asked, ask, close } = useDialog<Asked>();
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load your passkeys")} error={query.error} retry={() => void query.refetch()} />
    );
  return (
    <section className="surface stack" aria-labelledby="passkeys">
      <h2 id="passkeys">{t("Your passkeys")}</h2>
      {query.data.length === 0 ? (
        <p className="muted">{t("You have no passkeys.")}</p>
      ) : (
        <PasskeyTable passkeys={query.data} onAsk={(kind, passkey) => ask({ kind, passkey })} />
      )}
      {asked?.kind === "remove" && (
        <Confirm
          title={t("Remove {name}?", { name: asked.passkey.name })}
          action={t("Remove passkey")}
          onConfirm={async () => {
            await remove(`${PASSKEYS}/${asked.passkey.id}`);
            toast({ message: t("Passkey removed") });
            await queryClient.invalidateQueries(passkeysQuery);
          }}
          onClose={close}
        >
          {t("You can no longer sign in with it. Delete it on your device as well. Your sessions go on.")}
        </Confirm>
      )}
      {asked?.kind === "rename" && (
        <Rename
          name={asked.passkey.name}
          maxLength={100}
          rename={(name) => rename(asked.passkey, name)}
          onClose={close}
        />
      )}
    </section>
  );
}

interface TableProps {
  passkeys: readonly Passkey[];
  onAsk: (kind: Asked["kind"], passkey: Passkey) => void;
}

function PasskeyTable({ passkeys, onAsk }: TableProps) {
  return (
    <table className="data as-cards" aria-label={t("Passkeys")}>
      <thead>
        <tr>
          <th scope="col">{t("Name")}</th>
          <th scope="col">{t("Added")}</th>
          <th scope="col">{t("Last used")}</th>
          <th scope="col">
            <span className="unseen">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {passkeys.map((passkey) => (
          <tr key={passkey.id}>
            <th scope="row">
              <bdi>{passkey.name}</bdi>
              {!passkey.usable && <div className="muted">{t("Works only at the former address of the service.")}</div>}
            </th>
            <td data-label={t("Added")}>
              <Time at={passkey.created_at} />
            </td>
            <td data-label={t("Last used")}>
              {passkey.last_used_at === null ? t("Never") : <Moment at={passkey.last_used_at} />}
            </td>
            <td>
              <div className="row end">
                {(["rename", "remove"] as const).map((kind) => (
                  <Button
                    key={kind}
                    variant="default"
                    size="xs"
                    aria-label={LABELS[kind].of(passkey)}
                    onClick={() => onAsk(kind, passkey)}
                  >
                    {LABELS[kind].label}
                  </Button>
                ))}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const LABELS: Readonly<Record<Asked["kind"], { label: string; of: (passkey: Passkey) => string }>> = {
  rename: { label: t("Rename"), of: ({ name }) => t("Rename {name}", { name }) },
  remove: { label: t("Remove"), of: ({ name }) => t("Remove {name}", { name }) },
};

async function rename({ id }: Passkey, name: string): Promise<void> {
  await patch<Passkey>(`${PASSKEYS}/${id}`, { name });
  await queryClient.invalidateQueries(passkeysQuery);
  toast({ message: t("Passkey renamed") });
}
