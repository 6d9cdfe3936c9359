import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { plural, t } from "../../../languages/text.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { inOneLine } from "../lists.ts";
import { toast } from "../ui/toasts.ts";
import { nameOf, passkeysQuery, removePasskeysOf } from "./queries.ts";
import type { User } from "./queries.ts";

/** The passkeys of another person, with a button for when they have lost them. Shows nothing if there are none. */
export function PasskeysOf({ user }: { user: User }) {
  const { data: passkeys = [] } = useQuery(passkeysQuery(user.id));
  const { asked, ask, close } = useDialog<true>();
  if (passkeys.length === 0) return null;
  return (
    <>
      <p className="muted">
        {plural(passkeys.length, "Passkey: {names}", "Passkeys: {names}", {
          names: inOneLine(passkeys.map(({ name }) => name)),
        })}
      </p>
      <div className="row">
        <Button variant="default" size="xs" onClick={() => ask(true)}>
          {t("Remove passkeys")}
        </Button>
      </div>
      {asked !== null && (
        <Confirm
          title={t("Remove all passkeys of {person}?", { person: nameOf(user) })}
          action={t("Remove passkeys")}
          onConfirm={async () => {
            await removePasskeysOf(user.id);
            toast({ message: t("Passkeys of {person} removed", { person: nameOf(user) }) });
          }}
          onClose={close}
        >
          {t(
            "For a person who has lost them. They are signed out everywhere, and sign in with their password or company account.",
          )}
        </Confirm>
      )}
    </>
  );
}
