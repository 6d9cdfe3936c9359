import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { plural, t } from "../../../languages/text.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { inOneLine } from "../lists.ts";
import { toast } from "../ui/toasts.ts";
import { nameOf, personalTokensQuery, revokeTokensOf } from "./queries.ts";
import type { User } from "./queries.ts";

/** The personal tokens of another person, with a button that ends them. Shows nothing if there are none. */
export function PersonalTokensOf({ user }: { user: User }) {
  const { data: tokens = [] } = useQuery(personalTokensQuery(user.id));
  const { asked, ask, close } = useDialog<true>();
  if (tokens.length === 0) return null;
  return (
    <>
      <p className="muted">
        {plural(tokens.length, "Personal token: {names}", "Personal tokens: {names}", {
          names: inOneLine(tokens.map(({ name }) => name)),
        })}
      </p>
      <div className="row">
        <Button variant="default" size="xs" onClick={() => ask(true)}>
          {t("Revoke personal tokens")}
        </Button>
      </div>
      {asked !== null && (
        <Confirm
          title={t("Revoke all personal tokens of {person}?", { person: nameOf(user) })}
          action={t("Revoke tokens")}
          onConfirm={async () => {
            await revokeTokensOf(user.id);
            toast({ message: t("Personal tokens of {person} revoked", { person: nameOf(user) }) });
          }}
          onClose={close}
        >
          {t("Their assistants can no longer answer for them. Their sessions go on.")}
        </Confirm>
      )}
    </>
  );
}
