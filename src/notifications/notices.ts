import type { Db } from "../db/database.ts";
import { enqueue } from "../deliveries/store.ts";
import { originOf } from "../outbound/outbound-url.ts";
import type { InBrowsers, Notice } from "../tasks/notices.ts";
import { addressesOf, hasSubscriptions } from "./store.ts";

/** Of the deliveries that tell a person something in a browser. */
export const PUSH_KIND = "push";

/** The hint that a browser was added. */
export const BROWSERS_HINT = "browsers";

/** What a delivery stores; the notification itself has no content. */
export interface PushBody {
  purpose: Notice["purpose"];
  /** When it happened, epoch milliseconds. A notification that was sent later told of it as well. */
  at: number;
}

/** Tells people in the browsers that they chose for it. */
export interface BrowserNotices extends InBrowsers {
  stop(): void;
}

/** Remembers whether any browser is told anything, so that what happens to tasks costs nothing more if none is. */
export function createBrowserNotices(db: Db, onError: (error: unknown) => void): BrowserNotices {
  let isAny = true;
  let isStopped = false;
  const look = (): void => {
    // Until it is known, there may be one.
    isAny = true;
    hasSubscriptions(db).then(
      (has) => void (isAny = has),
      (error: unknown) => {
        if (!isStopped) onError(error);
      },
    );
  };
  const unlisten = db.hints.listen((hint) => {
    if (hint === BROWSERS_HINT) isAny = true;
  });
  const stopReset = db.hints.onReset(look);
  look();
  return {
    enqueue: async (tx, { task_id, purpose, at }, people) => {
      if (!isAny) return;
      const ids = [...new Set(people)].filter((name) => name !== null && name.startsWith("usr_"));
      if (ids.length === 0) return;
      const body: PushBody = { purpose, at };
      for (const { id, endpoint } of await addressesOf(tx, ids as string[]))
        await enqueue(tx, {
          kind: PUSH_KIND,
          task_id,
          destination: id,
          origin: originOf(endpoint),
          body: JSON.stringify(body),
          due_at: at,
        });
    },
    stop: () => {
      isStopped = true;
      unlisten();
      stopReset();
    },
  };
}
