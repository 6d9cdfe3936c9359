import type { Logger } from "pino";
import { languageOfReader } from "../../languages/languages.ts";
import { sendDigest } from "../channels/email/digest.ts";
import { defaultIdentity } from "../channels/email/identities.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import type { Kind, Outcome } from "../deliveries/kinds.ts";
import { schedule } from "../deliveries/schedule.ts";
import { enqueue } from "../deliveries/store.ts";
import { emailKey } from "../lib/text.ts";
import { HOUR, MINUTE } from "../lib/time.ts";
import { toPerson } from "../people/sign-in.ts";
import { findUser, lockUser, type User } from "../people/store.ts";
import { soonestFor } from "../tasks/list.ts";
import { findTask, type Task } from "../tasks/store.ts";
import { startSweep, type Sweep } from "../tasks/sweep.ts";
import { choicesOf, DIGEST_HINT, nextDigest } from "./choices.ts";
import { findChoices, findDueDigests, findNextDigest, setDigestDue } from "./store.ts";

interface Ctx {
  db: Db;
  config: Config;
  log: Logger;
}

/** Of the deliveries that are digests. */
export const DIGEST_KIND = "digest";

/** What a delivery stores. What waits is read when it is sent. */
interface DigestBody {
  user_id: string;
  /** The id of the sender. */
  sender: string;
}

/** People whose digests are due that one run looks at. */
const BATCH = 50;
/** Tasks that a digest counts. */
const COUNTED_MAX = 200;
/** The next digest says what a late one would. */
const nextAttemptAt = schedule([0, 1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 1 * HOUR]);
const NEEDLESS: Outcome = { ok: true, status_code: null, response_excerpt: null, is_needless: true };

/** Enqueues the digests that are due, of up to `BATCH` people, and returns of how many. Several processes may do this at once. */
export async function enqueueDueDigests(ctx: Ctx): Promise<number> {
  const due = await findDueDigests(ctx.db, ctx.db.now(), BATCH);
  for (const { user_id, digest_due_at } of due) await enqueueDigest(ctx, user_id, digest_due_at!);
  return due.length;
}

async function enqueueDigest({ db, config }: Ctx, user_id: string, due_at: number): Promise<void> {
  const user = await findUser(db, user_id);
  const { digest } = await choicesOf(db, user_id);
  const tasks = user === null || !user.active || user.email === null ? [] : await waitingOf(db, user);
  // An hour in which nothing has come needs no email; a day may begin with what is left.
  const isNew = digest === "daily" || tasks.some(({ updated_at }) => updated_at >= due_at - HOUR);
  const first = isNew ? tasks[0] : undefined;
  const sender = first === undefined ? null : await defaultIdentity({ config }, db, first.project);
  await db.write(async (tx) => {
    const locked = await lockUser(tx, user_id);
    const row = await findChoices(tx, user_id);
    // Another process was faster, or the person has chosen something else.
    if (row?.digest_due_at !== due_at) return;
    await setDigestDue(tx, user_id, locked?.active ? nextDigest(locked, await choicesOf(tx, user_id), tx.now()) : null);
    if (first === undefined || sender === null || !locked?.email) return;
    await enqueue(tx, {
      kind: DIGEST_KIND,
      task_id: first.id,
      destination: locked.email,
      // As other email of this sender.
      origin: `email:${sender}`,
      body: JSON.stringify({ user_id, sender } satisfies DigestBody),
      due_at: tx.now(),
    });
  });
}

/** What waits for a person, the soonest first, without the projects that they muted; at most one more than is counted. */
async function waitingOf(db: Db, user: User): Promise<Task[]> {
  const { muted_projects } = await choicesOf(db, user.id);
  const tasks = await soonestFor(db, toPerson(user), COUNTED_MAX + 1);
  // A task past its deadline is as good as closed.
  return tasks.filter(({ project, timeout_at }) => timeout_at > db.now() && !muted_projects.includes(project));
}

/** Enqueues digests as they become due, until it is stopped. */
export function startDigests(ctx: Ctx): Sweep {
  const sweep = startSweep(ctx, {
    name: "digests",
    batch: BATCH,
    run: () => enqueueDueDigests(ctx),
    next: () => findNextDigest(ctx.db),
    onError: "Making digests failed; trying again",
  });
  const unlisten = ctx.db.hints.listen((hint) => {
    if (hint === DIGEST_HINT) sweep.wake();
  });
  return {
    wake: sweep.wake,
    stop: async () => {
      unlisten();
      await sweep.stop();
    },
  };
}

/** Returns digests as a kind of delivery. */
export function createDigestKind(ctx: Ctx): Kind {
  const { db, config, log } = ctx;
  return {
    hasLastingOrigins: true,
    nextAttemptAt,
    send: async ({ id, task_id, destination, body }, signal) => {
      if (body === null) return NEEDLESS;
      const { user_id, sender } = JSON.parse(body) as DigestBody;
      const user = await findUser(db, user_id);
      const isTheirs = user?.email != null && emailKey(user.email) === emailKey(destination);
      if (!user?.active || !isTheirs || (await choicesOf(db, user_id)).digest === "off") return NEEDLESS;
      const all = await waitingOf(db, user);
      const task = await findTask(db, task_id);
      if (all.length === 0 || task === null) return NEEDLESS;
      const digest = {
        tasks: all.slice(0, COUNTED_MAX),
        has_more: all.length > COUNTED_MAX,
        url: config.publicUrl,
        to: destination,
        language: languageOfReader({ chosen: user.language }),
        now: db.now(),
      };
      return sendDigest(ctx, digest, { sender, project: task.project, id }, signal);
    },
    onAbandoned: async (tx, { id: delivery_id, attempts, last_error }) =>
      tx.afterCommit(() => log.warn({ delivery_id, attempts, last_error }, "Could not send a digest")),
  };
}
