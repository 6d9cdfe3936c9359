import type { ReactNode } from "react";
import { t } from "../../languages/text.ts";
import { rich } from "../rich.tsx";
import { showReference } from "../../form/payload/reference.ts";
import type { SaidComment } from "../../form/plan/conversation.ts";
import type { PayloadParts } from "./payload/drawing.ts";
import { FileCard } from "./payload/file-card.tsx";

interface CommentsProps<C extends SaidComment> {
  /** Oldest first. */
  comments: readonly C[];
  /** Whether the viewer wrote it. */
  isOwn: (comment: C) => boolean;
  /** The name of the asker. */
  asker: string;
  /** A question has no reply. */
  isWaiting: boolean;
  /** Shows a moment, which is given as ISO text. */
  renderTime: (at: string) => ReactNode;
  /** Shows a file on request, on pages that can. */
  Preview?: PayloadParts["Preview"];
  children?: ReactNode;
}

/** What people and the asker said about a task. */
export function Comments<C extends SaidComment>(props: CommentsProps<C>) {
  const { comments, isOwn, asker, isWaiting, renderTime, Preview, children } = props;
  return (
    <div className="stack">
      {comments.map((comment) => (
        <article key={comment.id} className="surface stack">
          <p className="muted">
            {saidBy(comment, <bdi>{isOwn(comment) ? t("You") : authorOf(comment)}</bdi>)},{" "}
            {renderTime(comment.created_at)}
          </p>
          {comment.text !== "" && (
            <p dir="auto" className="said">
              {comment.text}
            </p>
          )}
          {comment.files.map((file, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a file may be named twice, and the list never changes
            <FileCard key={at} file={showReference(file, String)} Preview={Preview} />
          ))}
        </article>
      ))}
      {isWaiting && (
        <p className="muted">
          {rich("Waits for the reply of {asker}. You can answer without it.", { asker: <bdi>{asker}</bdi> })}
        </p>
      )}
      {children}
    </div>
  );
}

function authorOf({ by }: SaidComment): string {
  return by.name ?? by.email ?? (by.slack === undefined ? t("Someone") : t("A Slack member"));
}

function saidBy({ kind, is_asker, version }: SaidComment, person: ReactNode): ReactNode {
  if (kind === "revision") return rich("{person} changed the request (version {version})", { person, version });
  if (kind === "question") return rich("{person} asked", { person });
  return is_asker ? rich("{person} replied", { person }) : person;
}
