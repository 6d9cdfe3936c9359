import { Button } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { nameOf, refreshUsers, unlinkUser } from "./queries.ts";
import type { User } from "./queries.ts";

/** Shows the company accounts of a person, and removes them. */
export function CompanyAccount({ user }: { user: User }) {
  const [accounts, setAccounts] = useState(user.oidc_accounts);
  const [busy, setBusy] = useState(false);
  if (accounts.length === 0) return null;
  const remove = async (): Promise<void> => {
    setBusy(true);
    try {
      await unlinkUser(user.id);
      setAccounts([]);
      toast({
        message: t("The company account of {person} is removed, and they are signed out everywhere", {
          person: nameOf(user),
        }),
      });
      await refreshUsers();
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="stack" aria-label={t("Company account")}>
      {accounts.map(({ issuer, subject, last_used_at }) => (
        <p key={issuer}>
          {rich("Company account {account} at {company}.", {
            account: <code>{subject}</code>,
            company: <bdi>{issuer}</bdi>,
          })}{" "}
          <span className="muted">{rich("Last used {time}.", { time: <Time at={last_used_at} /> })}</span>
        </p>
      ))}
      <div className="row">
        <Button variant="default" size="xs" loading={busy} onClick={() => void remove()}>
          {t("Remove the company account")}
        </Button>
      </div>
    </section>
  );
}
