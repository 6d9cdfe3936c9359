import { Button, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { mayUsePassword, setupQuery } from "../queries.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { useNow } from "../ui/now.ts";
import { sentenceOf } from "../ui/page.tsx";
import { ShownSecret } from "../ui/shown-secret.tsx";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { createInvitation, nameOf, refreshUsers, revokeInvitation } from "./queries.ts";
import type { NewInvitation, User } from "./queries.ts";

const MINUTE_MS = 60_000;

/** A link that was not mailed, so that an operator hands it over. */
interface ShownLink {
  user: User;
  url: string;
  problem: string | null;
}

/** Makes links by which people set their own password, and shows those that were not mailed. */
export interface Links {
  /** Makes a link. It is mailed, or shown. An error is a toast. */
  make: (user: User, sendEmail: boolean) => Promise<void>;
  shown: ShownLink | null;
  close: () => void;
}

export function useLinks(): Links {
  const [shown, setShown] = useState<ShownLink | null>(null);
  const make = async (user: User, sendEmail: boolean): Promise<void> => {
    try {
      const made = await createInvitation(user.id, sendEmail);
      if (made.url === null) toast({ message: mailedSentence(made) });
      else setShown({ user, url: made.url, problem: made.mail_problem });
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
    }
    await refreshUsers();
  };
  return { make, shown, close: () => setShown(null) };
}

function mailedSentence({ kind, mailed_to }: NewInvitation): string {
  return kind === "invitation"
    ? t("Invitation mailed to {address}", { address: mailed_to ?? "" })
    : t("Link for a new password mailed to {address}", { address: mailed_to ?? "" });
}

/** Shows a link once. */
export function NewLink({ links: { shown, close } }: { links: Links }) {
  if (shown === null) return null;
  const name = nameOf(shown.user);
  return (
    <ShownSecret
      title={t("Link for {name}", { name })}
      about={t(
        "Hand this link to {name} in a way that only they can read. It sets their password, works once and is not shown again. Older links no longer work.",
        { name },
      )}
      secret={shown.url}
      copyLabel={t("Copy link")}
      closeLabel={t("Done")}
      onClose={close}
    >
      {shown.problem !== null && (
        <p className="notice">{t("The link was not mailed. {problem}", { problem: shown.problem })}</p>
      )}
    </ShownSecret>
  );
}

interface InvitationProps {
  user: User;
  make: Links["make"];
}

/** Whether a person was invited, with what can be done about it. Nothing if links are not for this person. */
export function Invitation({ user, make }: InvitationProps) {
  const { asked, ask, close } = useDialog<true>();
  const mayInvite = useMayInvite(user);
  const now = useNow(() => MINUTE_MS);
  const { invitation } = user;
  const name = nameOf(user);
  if (invitation === null)
    return mayInvite && !user.has_password ? (
      <div className="row">
        <ActButton label={t("Invite")} of={name} onClick={() => void make(user, true)} />
      </div>
    ) : null;
  return (
    <>
      <div className="muted">
        {Date.parse(invitation.expires_at) <= now ? (
          <Expired kind={invitation.kind} />
        ) : (
          <Live kind={invitation.kind} expiresAt={invitation.expires_at} />
        )}
      </div>
      <div className="row">
        <Menu position="bottom-start" width={200}>
          <Menu.Target>
            <Button variant="default" size="xs" aria-label={t("Link of {name}", { name })}>
              {t("Link")}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {mayInvite && (
              <>
                <Menu.Item onClick={() => void make(user, true)}>{t("Send again")}</Menu.Item>
                <Menu.Item onClick={() => void make(user, false)}>{t("Copy a new link")}</Menu.Item>
              </>
            )}
            <Menu.Item onClick={() => ask(true)}>{t("Revoke")}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {asked !== null && (
        <Confirm
          title={t("Revoke the link of {name}?", { name })}
          action={t("Revoke link")}
          onConfirm={async () => {
            await revokeInvitation(user.id);
            toast({ message: t("Link of {name} revoked", { name }) });
          }}
          onClose={close}
        >
          {t("It no longer sets a password, from now on. You can make another one.")}
        </Confirm>
      )}
    </>
  );
}

function Expired({ kind }: { kind: NewInvitation["kind"] }) {
  return kind === "invitation" ? t("Invitation expired") : t("Link expired");
}

function Live({ kind, expiresAt }: { kind: NewInvitation["kind"]; expiresAt: string }) {
  if (kind === "invitation") return <>{rich("Invited, until {time}", { time: <Time at={expiresAt} /> })}</>;
  return <>{rich("Link for a new password, until {time}", { time: <Time at={expiresAt} /> })}</>;
}

/** Makes a link for a person who has forgotten their password. Their password stays until they use the link. */
export function ResetLink({ user, make }: InvitationProps) {
  const [busy, setBusy] = useState(false);
  const mayInvite = useMayInvite(user);
  if (!mayInvite || !user.has_password) return null;
  const send = async (): Promise<void> => {
    setBusy(true);
    await make(user, true);
    setBusy(false);
  };
  return (
    <div className="row">
      <Button variant="default" size="xs" loading={busy} onClick={() => void send()}>
        {t("Send a link for a new password")}
      </Button>
    </div>
  );
}

/** Whether a link would sign this person in. */
function useMayInvite(user: User): boolean {
  const { data } = useQuery(setupQuery);
  return data !== undefined && user.active && user.email !== null && mayUsePassword(data.sign_in, user);
}
