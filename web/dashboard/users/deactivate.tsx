import { useQuery } from "@tanstack/react-query";
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
    toast({ message: `${name} deactivated` });
  };
  return (
    <Confirm title={`Deactivate ${name}?`} action="Deactivate" onConfirm={confirm} onClose={onClose}>
      <div className="stack">
        <p>They are signed out everywhere and get no new tasks. Their past answers are kept.</p>
        <p>{sentenceAbout(open)}</p>
        {open?.count !== 0 && (
          <p>
            Tasks for a role, or offered to several people, go on to the others. Tasks for this person alone become
            unassigned.
          </p>
        )}
      </div>
    </Confirm>
  );
}

function sentenceAbout(open: { count: number; isMore: boolean } | undefined): string {
  if (open === undefined) return "Couldn't load their open tasks.";
  if (open.count === 0) return "They have no open tasks.";
  if (open.isMore) return `They have more than ${open.count} open tasks.`;
  return open.count === 1 ? "They have one open task." : `They have ${open.count} open tasks.`;
}
