import { useQuery } from "@tanstack/react-query";
import { plural, t } from "../../../languages/text.ts";
import { Confirm } from "../ui/confirm.tsx";
import { toast } from "../ui/toasts.ts";
import { deactivateUser, nameOf, openTasksQuery } from "./queries.ts";
import type { User } from "./queries.ts";

/** Asks for confirmation before a person is deactivated, and explains what happens to their open tasks. */
export function Deactivate({ user, onClose }: { user: User; onClose: () => void }) {
  const { data: open, isPending } = useQuery(openTasksQuery(user.id));
  if (isPending) return null;
  const name = nameOf(user);
  const confirm = async (): Promise<void> => {
    await deactivateUser(user.id);
    toast({ message: t("{name} deactivated", { name }) });
  };
  return (
    <Confirm title={t("Deactivate {name}?", { name })} action={t("Deactivate")} onConfirm={confirm} onClose={onClose}>
      <div className="stack">
        <p>{t("They are signed out everywhere and get no new tasks. Their past answers are kept.")}</p>
        <p>{sentenceAbout(open)}</p>
        {open?.count !== 0 && (
          <p>
            {t(
              "Tasks for a role, or offered to several people, go on to the others. Tasks for this person alone become unassigned.",
            )}
          </p>
        )}
      </div>
    </Confirm>
  );
}

function sentenceAbout(open: { count: number; isMore: boolean } | undefined): string {
  if (open === undefined) return t("Couldn't load their open tasks.");
  if (open.count === 0) return t("They have no open tasks.");
  if (open.isMore) return t("They have more than {count} open tasks.", { count: open.count });
  return plural(open.count, "They have one open task.", "They have {n} open tasks.");
}
