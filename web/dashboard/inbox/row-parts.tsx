import { t } from "../../../languages/text.ts";
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

/** The first labels of a task in one line, and how many there are besides. */
export function FewLabels({ labels }: Pick<ListedTask, "labels">) {
  if (labels.length === 0) return null;
  return (
    <span className="who" title={labels.join(", ")}>
      <span className="unseen">{t("Labels:")} </span>
      {labels.slice(0, SHOWN_MAX).map((label) => (
        <span key={label}>
          <bdi className="chip mute">{label}</bdi>{" "}
        </span>
      ))}
      {labels.length > SHOWN_MAX && <span>{`+${labels.length - SHOWN_MAX}`}</span>}
    </span>
  );
}

/** All labels of a task, in as many lines as they need. */
export function AllLabels({ labels }: Pick<ListedTask, "labels">) {
  if (labels.length === 0) return null;
  return (
    <p className="row">
      <span className="unseen">{t("Labels:")} </span>
      {labels.map((label) => (
        <bdi key={label} className="chip mute who">
          {label}
        </bdi>
      ))}
    </p>
  );
}

/** Returns who is on a task, who has it, or who it is offered to; of a closed task, who closed it. */
export function rowWhoOf(task: ListedTask, me: Me, names: Names): string | null {
  const { claimed_by_email: email, claim_expires_at: until } = task;
  const isClaimed = email !== null && until !== null && Date.parse(until) > Date.now();
  if (!isOpenStatus(task.status) || !isClaimed) return whoOf(task, me, names);
  return email.toLowerCase() === me.email?.toLowerCase()
    ? t("You are on it")
    : t("{person} is on it", { person: named(email, names) });
}
