import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
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
        {tokens.length === 1 ? t("Personal token") : t("Personal tokens")}: {tokens.map(({ name }) => name).join(", ")}
      </p>
      <div className="row">
        <Button variant="default" size="xs" onClick={() => ask(true)}>
          {t("Revoke personal tokens")}
        </Button>
      </div>
      {asked !== null && (
        <Confirm
          title={t("Revoke all personal tokens of {user}?", { user: nameOf(user) })}
          action={t("Revoke tokens")}
          onConfirm={async () => {
            await revokeTokensOf(user.id);
            toast({ message: t("Personal tokens of {user} revoked", { user: nameOf(user) }) });
          }}
          onClose={close}
        >
          {t("Their assistants can no longer answer for them. Their sessions go on.")}
        </Confirm>
      )}
    </>
  );
}
