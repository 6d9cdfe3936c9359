import { useRef } from "react";
import { t } from "../../../languages/text.ts";
import { post } from "../api.ts";
import type { Me, Task } from "../api.ts";
import { useNow } from "../ui/now.ts";
import { sentenceOf } from "../ui/page.tsx";
import { queryClient, taskQuery } from "../queries.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { toast } from "../ui/toasts.ts";
import { forget, undoable } from "./undo.ts";

/** A claim expires after ten minutes. The page renews it while the person works. */
const RENEW_MS = 5 * 60_000;
const LOOK_MS = 15_000;

export interface Claim {
  readonly state: "free" | "mine" | "held";
  /** The holder of the claim, if it is someone else. */
  readonly holder: string | null;
  /** Claims the task at the first edit, and renews the claim during the work. */
  readonly keep: () => void;
  /** Ignores the result of a pending claim, because an answer is being sent. */
  readonly leave: () => void;
  readonly toggle: () => void;
  readonly takeOver: () => void;
}

/**
 * Returns who is working on the task, and functions that change it. A claim only informs others; the first answer
 * counts.
 */
export function useClaim(task: Task, me: Me): Claim {
  const asked = useRef(0);
  const underWay = useRef(new AbortController());
  // A claim expires without an event.
  const now = useNow(() => (isOpenStatus(task.status) ? LOOK_MS : null));
  const isHeld = task.claim_expires_at !== null && Date.parse(task.claim_expires_at) > now;
  const isMine = isHeld && task.claimed_by_email === me.email;
  const { queryKey } = taskQuery(task.id);
  const of = `claim:${task.id}`;
  const move = async (path: "claim" | "release", body: object): Promise<boolean> => {
    const { signal } = underWay.current;
    try {
      queryClient.setQueryData(queryKey, await post<Task>(`/api/tasks/${task.id}/${path}`, body, signal));
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      await queryClient.invalidateQueries({ queryKey });
      // After an edit, the page itself shows the holder.
      if (path === "release" || "force" in body) toast({ message: sentenceOf(error), tone: "bad" });
      return false;
    }
  };
  const claim = () => move("claim", { force: false });
  const release = () => {
    asked.current = 0;
    return move("release", {});
  };
  return {
    state: isMine ? "mine" : isHeld ? "held" : "free",
    holder: isHeld && !isMine ? (task.claimed_by_email ?? t("Someone")) : null,
    keep: () => {
      if (me.user_id === null || (isHeld && !isMine) || Date.now() - asked.current < RENEW_MS) return;
      asked.current = Date.now();
      void claim();
    },
    leave: () => {
      forget(of);
      underWay.current.abort();
      underWay.current = new AbortController();
    },
    toggle: () => {
      if (isHeld && !isMine) return;
      if (isMine)
        void release().then(
          (done) => done && undoable({ of, message: t("Released"), undone: t("Release undone"), undo: claim }),
        );
      else
        void claim().then(
          (done) => done && undoable({ of, message: t("Claimed"), undone: t("Claim undone"), undo: release }),
        );
    },
    takeOver: () => void move("claim", { force: true }),
  };
}
