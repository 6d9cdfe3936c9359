import type { ListedTask, Me } from "../api.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { named, type Names } from "./names.ts";
import { whoOf } from "./who.ts";

/** Labels of a row; more are counted. */
const SHOWN_MAX = 3;

/** The most telling values of the payload. */
export function FactsLine({ facts }: Pick<ListedTask, "facts">) {
  if (facts === null) return null;
  return (
    <span className="task-meta">
      <span className="who" dir="auto">
        {facts}
      </span>
    </span>
  );
}

/** @param isWhole - all are shown, in as many lines as they need; otherwise the first of them, and how many there are besides */
export function Labels({ labels, isWhole = false }: Pick<ListedTask, "labels"> & { isWhole?: boolean }) {
  const most = isWhole ? labels.length : SHOWN_MAX;
  if (labels.length === 0) return null;
  return (
    <span className="task-meta">
      <span
        className="who"
        title={isWhole ? undefined : labels.join(", ")}
        style={isWhole ? { whiteSpace: "normal" } : undefined}
      >
        <span className="unseen">Labels: </span>
        {labels.slice(0, most).map((label) => (
          <span key={label}>
            <bdi className="chip mute">{label}</bdi>{" "}
          </span>
        ))}
        {labels.length > most && <span>{`+${labels.length - most}`}</span>}
      </span>
    </span>
  );
}

/** Returns who is on a task, who has it, or who it is offered to; of a closed task, who closed it. */
export function rowWhoOf(task: ListedTask, me: Me, names: Names): string | null {
  const { claimed_by_email: email, claim_expires_at: until } = task;
  const isClaimed = email !== null && until !== null && Date.parse(until) > Date.now();
  if (!isOpenStatus(task.status) || !isClaimed) return whoOf(task, me, names);
  return email.toLowerCase() === me.email?.toLowerCase() ? "You are on it" : `${named(email, names)} is on it`;
}
