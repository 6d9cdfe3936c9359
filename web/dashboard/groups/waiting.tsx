import { Link } from "@tanstack/react-router";
import { rich } from "../../rich.tsx";
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
        {rich("The oldest came {time}", {
          time: (
            <Link to="/tasks/$id" params={{ id: oldest.task_id }}>
              <Moment at={oldest.created_at} />
            </Link>
          ),
        })}
      </div>
    </>
  );
}
