import { Modal, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { useAgentName } from "../projects/name.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { ShownSecret } from "../ui/shown-secret.tsx";
import { addToken, type Agent } from "./queries.ts";

const LIFETIMES = [
  { value: "", label: t("Never") },
  { value: "30", label: t("In 30 days") },
  { value: "90", label: t("In 90 days") },
  { value: "365", label: t("In a year") },
];

/** Creates another token of an agent, so that the old one can be replaced without a gap. */
export function NewToken({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const name = useAgentName(agent);
  const [expires, setExpires] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) return <ShownToken agent={agent} token={token} onClose={onClose} />;
  const create = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      setToken((await addToken(agent.id, expires === "" ? null : Number(expires))).token);
    } catch (failure) {
      setError(sentenceOf(failure));
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={() => {
        // A token of which nobody has seen the text would be of no use.
        if (!busy) onClose();
      }}
      title={t("New token for {name}", { name })}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <p>{t("The other token keeps working. Revoke it when no program uses it any more.")}</p>
        <NativeSelect
          label={t("Expires")}
          data={LIFETIMES}
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
          data-autofocus
        />
        <FormEnd error={error} label={t("Create token")} busy={busy} onClose={onClose} />
      </form>
    </Modal>
  );
}

/** Shows a new token once. */
export function ShownToken({ agent, token, onClose }: { agent: Agent; token: string; onClose: () => void }) {
  const name = useAgentName(agent);
  const lines = `SERVICE_URL=${location.origin}\nSERVICE_TOKEN=${token}`;
  return (
    <ShownSecret
      title={t("Token of {name}", { name })}
      about={t("Store the token now, where only this program can read it. It is not shown again.")}
      secret={token}
      copyLabel={t("Copy the token")}
      onClose={onClose}
    >
      <p>{t("The program needs these two lines in its environment:")}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="snippet" tabIndex={0}>
        {lines}
      </pre>
      <div className="row">
        <CopyButton text={lines} label={t("Copy both lines")} />
      </div>
    </ShownSecret>
  );
}
