import { Link } from "@tanstack/react-router";
import { Moment } from "../ui/times.tsx";
import type { Group } from "./queries.ts";
import { waitingWord } from "./words.ts";

/** How much waits for a group, with its oldest task. */
export function Waiting({ group: { waiting, oldest }, isAll }: { group: Group; isAll: boolean }) {
  if (oldest === null) return <span className="muted">{waitingWord(0, isAll)}</span>;
  return (
    <>
      {waitingWord(waiting, isAll)}
      <div className="muted">
        The oldest came{" "}
        <Link to="/tasks/$id" params={{ id: oldest.task_id }}>
          <Moment at={oldest.created_at} />
        </Link>
      </div>
    </>
  );
}
