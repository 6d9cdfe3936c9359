/**
 * Checks the history of one task. The evidence is the calls and answers of the clients, the callbacks received, and
 * what an auditor reads over HTTP.
 *
 * A task only moves forward: absent, open, ended, deleted. So every answer says "at some moment between call and
 * answer, it was at least this far" and "at most this far". A history is linearizable exactly when no answer that began
 * later shows less than one that had already ended.
 */
import { stepsOf } from "./bodies.ts";
import { answerOf, reasonOf } from "./calls.ts";
import { ADMIN } from "./callers.ts";
import { BEFORE_END, endOf, type End, type Event, type Post, type Seen, type Subject } from "./history.ts";
import { eventOf, judgeCallOfAgent, mayBeCancelledAt, STOPPED_REASON, type Order, type Orders } from "./stops.ts";

const OPEN = 1;
const ENDED = 2;
const DELETED = 3;
const TERMINAL = new Set(["completed", "timed_out", "cancelled"]);

/** Notifications of a task that names someone to notify: one by email, one by Slack. */
const MESSAGES = 2;
/** Waits before attempts 1, 2, 3 ... (spec: Events, Delivery) */
const WAITS_MS = [0, 30_000, 60_000, 120_000, 300_000, 900_000];
/** How often an attempt is repeated after its process was lost. (wire: Callback schedule) */
const REPEATS_MAX = 3;
/** The service and this process use the same machine's clock, but read and round it differently. */
const CLOCK_MS = 50;
/** Attempts are half a minute apart, so this assigns a callback to its attempt. */
const SAME_ATTEMPT_MS = 2_000;
/** How long this process may take to read what has arrived. */
const UNREAD_MS = 1_000;

export interface Rules {
  /** An embedded store writes nothing after its process died; a database server may still run what it received. */
  mayWriteAfterDeath: boolean;
  deaths: readonly number[];
  orders: Orders;
  /** How long a delivery may be overdue before a process attempts it, whichever process died. */
  neglectMs: number;
  /** After this time, no task of an agent that was stopped with its tasks is open. The sweep runs at each start, and every ten seconds. */
  sweptMs: number;
}

/** How far a task was according to one answer, at some moment between `from` and `to`. */
interface Sight {
  event: Event;
  atLeast: number;
  atMost: number;
  from: number;
  to: number;
}

/** Returns everything that is wrong with the history of a task; empty when the history is possible. */
export function checkSubject(subject: Subject, rules: Rules): string[] {
  const { events, foreign, posts, id } = subject;
  const problems: string[] = [];
  const orders = rules.orders.get(subject.asker) ?? [];
  for (const event of [...events, ...foreign])
    if (event.by !== ADMIN) problems.push(...judgeCallOfAgent(event, rules.orders.get(event.by) ?? []));
  const seen = events.flatMap((event) => (event.seen ? [{ event, seen: event.seen }] : []));

  // A key has one id, one body, and fields that never change.
  const ids = new Set(seen.map((one) => one.seen.id));
  if (ids.size > 1) problems.push(`the key had several ids: ${[...ids].join(", ")}`);
  const versions = distinct(seen.map((one) => one.seen.task?.version));
  if (versions.includes(-1)) problems.push("a record matches no body that was sent");
  if (versions.length > 1) problems.push(`records match different bodies: ${versions.join(", ")}`);
  const births = distinct(seen.map((one) => one.seen.task?.birth));
  if (births.length > 1) problems.push(`constant fields changed: ${births.join(" and ")}`);
  problems.push(...judgeCreation(seen, events, versions[0] ?? null));

  // A task ends once.
  const ends = distinct([...seen.map((one) => one.seen.task?.end), ...posts.map(endOfPost)]);
  if (ends.length > 1) problems.push(`it ended in different ways: ${ends.join(" and ")}`);
  const end = ends[0] === undefined ? null : readEnd(ends[0]);
  const birth = births[0] === undefined ? null : readBirth(births[0]);
  if (end && birth) problems.push(...judgeTimes(end, birth, seen));
  const causes = end ? causesOf(events, end) : [];
  const isByStop = end?.cancel_reason === STOPPED_REASON;
  if (isByStop && !mayBeCancelledAt(orders, Date.parse(end.cancelled_at!), CLOCK_MS))
    problems.push(`it was cancelled with its agent at ${end.cancelled_at}, but nobody had asked for that`);
  if (end && end.status !== "timed_out" && causes.length === 0 && !isByStop)
    problems.push("it ended, but no call that may have succeeded asked for that");
  const cause = causes.length === 1 ? causes[0]! : null;
  const accepted = events.filter((event) => isEnding(event) && event.status === 200);
  if (accepted.length > 1) problems.push(`several calls were acknowledged as its end: ${numbers(accepted)}`);
  if (accepted.length > 0 && end && !causes.includes(accepted[0]!))
    problems.push(`#${accepted[0]!.number} was acknowledged as its end, but the task ended differently`);

  // States follow in one order.
  const sights = events.flatMap((event) => sight(event, birth));
  for (const { arrivedAt } of posts)
    sights.push({ event: callbackEvent(arrivedAt), atLeast: ENDED, atMost: DELETED, from: arrivedAt, to: arrivedAt });
  if (cause) sights.push(...effectOf(cause, rules));
  if (!rules.mayWriteAfterDeath) sights.push(...effectsOfStops(orders, sights));
  problems.push(...judgeOrder(sights));
  const firstEnd = Math.min(...sights.filter(({ atLeast }) => atLeast >= ENDED).map(({ to }) => to));
  if (cause && cause.startedAt > firstEnd)
    problems.push(`it had ended before #${cause.number}, which ended it, was sent`);
  const removals = events.filter((event) => event.call === "delete");
  const isGone = sights.some(({ atLeast }) => atLeast === DELETED);
  if (isGone && removals.length === 0) problems.push("it is gone, but no client deleted it");
  if (events.some(({ call, status }) => call === "trail" && status === 404)) problems.push("its trail is gone");

  // Check the trail and the notifications.
  for (const { event, seen: one } of seen) {
    if (one.trail) problems.push(...judgeTrail(one.trail, subject, birth, end, cause, event));
    // The creation decides who is notified, and commits all notifications together.
    if (one.untold !== undefined && one.untold !== 0 && one.untold !== MESSAGES)
      problems.push(`the trail (#${event.number}) tells of ${one.untold} messages, not of ${MESSAGES} or none`);
    if (one.owed) problems.push(...judgeOwed(one, subject, event, firstEnd, sights, rules));
  }
  problems.push(...posts.flatMap((post) => post.problems.map((problem) => `callback: ${problem}`)));
  if (new Set(posts.map(({ body }) => body)).size > 1) problems.push("its callbacks have different bodies");
  if (posts.length > 0 && !subject.hasCallback) problems.push("it had a callback without asking for one");
  if (posts.some((post) => (JSON.parse(post.body) as { task_id: string }).task_id !== id && id !== null))
    problems.push("its callback names another task");
  problems.push(...judgeProgress(seen));
  const whole = seen.findLast((one) => one.seen.delivery !== undefined);
  if (whole && !isGone) problems.push(...judgeAttempts(whole.seen.delivery!, posts, whole.event, rules));
  return [...new Set(problems)];
}

type Sighting = { event: Event; seen: Seen };

function judgeCreation(seen: readonly Sighting[], events: readonly Event[], version: number | null): string[] {
  const problems: string[] = [];
  const creations = events.filter((event) => event.call === "create");
  const fresh = seen.filter((one) => one.seen.is_replay === false).map(({ event }) => event);
  if (fresh.length > 1) problems.push(`several calls were acknowledged as its creation: ${numbers(fresh)}`);
  if (fresh.length === 1 && version !== null && fresh[0]!.version !== version)
    problems.push(`#${fresh[0]!.number} was acknowledged as its creation, but the task has another body`);
  if (seen.length > 0 && version !== null) {
    const firstSeen = Math.min(...seen.map(({ event }) => event.endedAt!));
    if (!creations.some((event) => event.version === version && event.startedAt < firstSeen))
      problems.push(`it has body ${version}, which no client had sent by then`);
  }
  for (const { event, seen: one } of seen)
    if (one.is_replay && version !== null && one.is_mismatch !== (event.version !== version))
      problems.push(
        `#${event.number} asked with body ${event.version} for body ${version} and got mismatch ${one.is_mismatch}`,
      );
  return problems;
}

interface ReadEnd extends End {
  response: Record<string, unknown> | null;
}

const readEnd = (text: string): ReadEnd => JSON.parse(text) as ReadEnd;
/** Returns when a task ended, as its record says. */
const timeOfEnd = (end: ReadEnd): string | null => end.completed_at ?? end.timed_out_at ?? end.cancelled_at;

interface Birth {
  created_at: string;
  timeout_at: string;
}

function readBirth(text: string): Birth {
  const [created_at, timeout_at] = JSON.parse(text) as [string, string];
  return { created_at, timeout_at };
}

function judgeTimes(end: ReadEnd, { created_at, timeout_at }: Birth, seen: readonly Sighting[]): string[] {
  const problems: string[] = [];
  if (!TERMINAL.has(end.status)) problems.push(`it ended as ${end.status}`);
  const isCompleted = end.status === "completed";
  if ((end.completed_at !== null) !== isCompleted || (end.response !== null) !== isCompleted)
    problems.push("answer, completed_at and status do not fit each other");
  if ((end.timed_out_at !== null) !== (end.status === "timed_out"))
    problems.push("timed_out_at and status do not fit each other");
  if ((end.cancelled_at !== null) !== (end.status === "cancelled"))
    problems.push("cancelled_at and status do not fit each other");
  if (end.completed_at !== null && end.completed_at >= timeout_at)
    problems.push("it was completed after its time had run out");
  if (end.timed_out_at !== null && end.timed_out_at < timeout_at) problems.push("it timed out too early");
  const updates = distinct(seen.map((one) => (one.seen.task?.end === null ? null : one.seen.task?.updated_at)));
  if (updates.length > 1) problems.push(`it was updated after its end: ${updates.join(", ")}`);
  const time = timeOfEnd(end);
  if (time !== null && updates.length === 1 && updates[0] !== time) problems.push("updated_at is not when it ended");
  if (updates[0] !== undefined && updates[0] < created_at) problems.push("it ended before it was created");
  return problems;
}

const isEnding = (event: Event): boolean => event.call === "complete" || event.call === "cancel";
/** Returns whether the call may have succeeded: it did, or no answer arrived. */
const isPossible = (event: Event): boolean =>
  event.status === 200 || event.status === null || event.error_code === "COMMIT_UNKNOWN";

/** Returns the calls that may have caused this end. Each call has its own answer or reason, which the task then shows. */
function causesOf(events: readonly Event[], end: ReadEnd): Event[] {
  const possible = events.filter((event) => isEnding(event) && isPossible(event));
  if (end.status === "completed") {
    const told = JSON.stringify([end.response, end.completed_by_email, end.completed_via_channel]);
    return possible.filter(({ call, number }) => {
      if (call !== "complete") return false;
      const { response, completed_by_email, completed_via_channel } = answerOf(number);
      return JSON.stringify([response, completed_by_email, completed_via_channel]) === told;
    });
  }
  if (end.status !== "cancelled") return [];
  return possible.filter(({ call, number }) => call === "cancel" && reasonOf(number) === end.cancel_reason);
}

function effectOf(cause: Event, { mayWriteAfterDeath }: Rules): Sight[] {
  if (cause.status !== null || mayWriteAfterDeath) return [];
  const deadAt = cause.to?.deadAt ?? null;
  return deadAt === null ? [] : [{ event: cause, atLeast: ENDED, atMost: DELETED, from: cause.startedAt, to: deadAt }];
}

/**
 * Returns what acknowledged stops show: the tasks that the agent had before have ended. This does not hold with a database
 * server, where a stop leaves tasks that another call has locked to the sweep.
 */
function effectsOfStops(orders: readonly Order[], sights: readonly Sight[]): Sight[] {
  const existed = Math.min(...sights.filter(({ atLeast }) => atLeast >= OPEN).map(({ to }) => to));
  return orders
    .filter(({ type, cancelsTasks, isAcknowledged }) => type === "stop" && cancelsTasks && isAcknowledged)
    .filter(({ startedAt }) => existed < startedAt)
    .map((order) => ({
      event: eventOf(order),
      atLeast: ENDED,
      atMost: DELETED,
      from: order.startedAt,
      to: order.endedAt,
    }));
}

function sight(event: Event, birth: Birth | null): Sight[] {
  const { call, status, startedAt, endedAt, seen } = event;
  if (status === null || endedAt === null) return [];
  const between = (atLeast: number, atMost: number, from = startedAt): Sight[] => [
    { event, atLeast, atMost, from, to: endedAt },
  ];
  if (status === 404) return between(DELETED, DELETED);
  if (status === 204) return between(DELETED, ENDED);
  if (status === 409) {
    // The task is overdue, whether or not the timeout has been written.
    const isOverdue = birth !== null && Date.parse(birth.timeout_at) <= endedAt + CLOCK_MS;
    return isOverdue ? [] : between(ENDED, ENDED);
  }
  if (isEnding(event) && status === 200) return between(ENDED, OPEN);
  if (seen?.is_replay === false) return between(OPEN, 0);
  if (seen?.trail) {
    const last = seen.trail.at(-1)?.action ?? "";
    if (last === "deleted") return between(DELETED, DELETED);
    return BEFORE_END.has(last) ? between(OPEN, OPEN) : between(ENDED, ENDED);
  }
  if (!seen?.task) return [];
  if (seen.task.end !== null) return between(ENDED, ENDED);
  // If the task is still open when a poll ends, the answer shows its state at that moment, not at the request.
  return between(
    OPEN,
    OPEN,
    call === "poll" ? Math.min(startedAt + (event.seconds ?? 0) * 1000 - CLOCK_MS, endedAt) : startedAt,
  );
}

function judgeOrder(sights: readonly Sight[]): string[] {
  const problems: string[] = [];
  for (const [rank, name] of [
    [OPEN, "existed"],
    [ENDED, "had ended"],
    [DELETED, "was deleted"],
  ] as const) {
    const reached = sights.filter(({ atLeast }) => atLeast >= rank).toSorted((a, b) => a.to - b.to)[0];
    const stale = reached && sights.find(({ atMost, from }) => atMost < rank && from > reached.to);
    if (stale) problems.push(`it ${name} by ${nameOf(reached)}, but the later ${nameOf(stale)} shows an earlier state`);
  }
  return problems;
}

const nameOf = ({ event }: Sight): string =>
  event.call === "callback" ? "its callback" : `${event.call} #${event.number}`;

function judgeTrail(
  trail: NonNullable<Seen["trail"]>,
  { id, n, asker, isDeleted, isRedacted }: Subject,
  birth: Birth | null,
  end: ReadEnd | null,
  cause: Event | null,
  { number }: Event,
): string[] {
  const problems: string[] = [];
  const bad = (problem: string) => problems.push(`the trail (#${number}) ${problem}`);
  const actions = trail.map(({ action }) => action).join(", ");
  // The creation decides who gets the task, in the same transaction.
  const routed = trail.filter(({ action }) => action === "assigned");
  const steps = trail.filter(({ action }) => action === "escalated");
  const [first, second, more] = trail.filter(({ action }) => action !== "assigned" && action !== "escalated");
  if (trail.some((entry) => entry.task_id !== id)) bad("belongs to another task");
  if (actions === "deleted") {
    if (!isDeleted) bad("says that it was deleted");
    return problems;
  }
  if (more || first?.action !== "created" || (second && second.action !== second.to_status)) {
    bad(`reads ${actions}`);
    return problems;
  }
  if (routed.length > 1) bad(`reads ${actions}`);
  if (routed[0] && (trail[1] !== routed[0] || routed[0].created_at !== first.created_at))
    bad("has different times for routing and creation");
  if (first.from_status !== null || first.to_status !== "created") bad("begins with the wrong transition");
  if (first.agent_name !== (asker === ADMIN ? null : asker)) bad(`says that ${first.agent_name} created it`);
  if (birth && first.created_at !== birth.created_at) bad("has the wrong creation time");
  if (second && trail.at(-1) !== second) bad(`goes on after the end: ${actions}`);
  for (const problem of judgeSteps(steps, first.created_at, n)) bad(problem);
  if (!second) return problems;
  if (!end) bad("has an end that no answer shows");
  else if (second.action !== end.status) bad(`ends with ${second.action}`);
  if (second.from_status !== "created") bad(`ends a task that was ${second.from_status}`);
  const at = end && timeOfEnd(end);
  if (at != null && second.created_at !== at) bad("has the wrong time for the end");
  if (end?.status === "completed") {
    const { email, channel, keys } = {
      email: end.completed_by_email,
      channel: end.completed_via_channel,
      keys: Object.keys(end.response!),
    };
    if (second.channel !== channel || second.actor_email !== email) bad("names another actor");
    const extra = isRedacted ? null : { response_keys: keys };
    if (JSON.stringify(second.extra) !== JSON.stringify(extra)) bad(`has ${JSON.stringify(second.extra)}`);
  }
  if (end?.status === "cancelled" && second.extra?.["reason"] !== end.cancel_reason) bad("has the wrong reason");
  const ender = cause === null || cause.by === ADMIN ? null : cause.by;
  if ((cause || end?.cancel_reason === STOPPED_REASON) && second.agent_name !== ender)
    bad(`says that ${second.agent_name} ended it`);
  return problems;
}

/** Each step happens at most once, in their order, and not before its time. */
function judgeSteps(steps: NonNullable<Seen["trail"]>, created_at: string, n: number): string[] {
  const problems: string[] = [];
  const numbers = steps.map(({ extra }) => Number(extra!["step"]));
  const expected = numbers.map((_number, i) => i + 1);
  if (numbers.join() !== expected.join()) problems.push(`has the steps ${numbers.join()}`);
  for (const [i, step] of steps.entries()) {
    const after = stepsOf(n)[numbers[i]! - 1];
    if (after === undefined) problems.push(`has step ${numbers[i]}, which the task does not have`);
    else if (Date.parse(step.created_at) < Date.parse(created_at) + after * 1000)
      problems.push(`has step ${numbers[i]} at ${step.created_at}, before its time`);
  }
  return problems;
}

function judgeOwed(
  { owed = [] }: Seen,
  { id, hasCallback, isDeleted, posts }: Subject,
  { number, startedAt, endedAt }: Event,
  firstEnd: number,
  sights: readonly Sight[],
  { neglectMs }: Rules,
): string[] {
  const problems: string[] = [];
  const bad = (problem: string) => problems.push(`the deliveries (#${number}) ${problem}`);
  const wasOpen = sights.some(({ atMost, from }) => atMost < ENDED && from > endedAt!);
  if (owed.length > 1) bad(`are ${owed.length}`);
  if (owed.length > 0 && !hasCallback) bad("exist, but the task has no callback");
  if (owed.length > 0 && wasOpen) bad("exist before the end");
  if (owed.length === 0 && hasCallback && !isDeleted && firstEnd < startedAt)
    bad("are missing, although the task had ended");
  for (const row of owed) {
    if (row.task_id !== id) bad("belong to another task");
    const answered = posts.filter(({ arrivedAt }) => arrivedAt < endedAt!);
    if (row.status === "SUCCEEDED") {
      if (!answered.some(({ outcome }) => outcome === "ok"))
        bad("count as succeeded, but no callback was answered 2xx");
      if (row.next_attempt_at !== null) bad("succeeded but are still due");
    } else if (row.status === "ABANDONED") bad("are abandoned");
    else if (row.next_attempt_at === null) bad(`are ${row.status} but never due`);
    else {
      const due = Math.max(Date.parse(row.next_attempt_at), ...posts.map(({ arrivedAt }) => arrivedAt));
      if (due < startedAt - neglectMs)
        bad(`have been due for ${Math.round((startedAt - due) / 1000)} s, but no process attempts them`);
    }
    if ((row.status === "PENDING") !== (row.attempt_count === 0))
      bad(`are ${row.status} after ${row.attempt_count} attempts`);
  }
  return problems;
}

/** Checks that counters never go back. */
function judgeProgress(seen: readonly Sighting[]): string[] {
  const rows = seen.flatMap(({ event, seen: { owed } }) => (owed?.[0] ? [{ event, row: owed[0] }] : []));
  for (const [i, { event, row }] of rows.entries()) {
    const later = rows.slice(i + 1).find((one) => one.event.startedAt > event.endedAt!);
    if (!later) continue;
    if (row.status === "SUCCEEDED" && later.row.status !== "SUCCEEDED")
      return [`its delivery had succeeded, and later was ${later.row.status}`];
    if (row.attempt_count > later.row.attempt_count)
      return [`its delivery had ${row.attempt_count} attempts, and later ${later.row.attempt_count}`];
  }
  return [];
}

/** Compares the recorded attempts with what the receiver got. */
function judgeAttempts(
  delivery: NonNullable<Seen["delivery"]>,
  posts: readonly Post[],
  event: Event,
  { deaths }: Rules,
): string[] {
  const problems: string[] = [];
  const { attempts, attempt_count, status, body } = delivery;
  if (attempts.some(({ attempt, cycle }, i) => attempt !== i + 1 || cycle !== 1) || attempts.length !== attempt_count)
    problems.push(
      `of ${attempt_count} attempts, these are recorded: ${attempts.map(({ attempt }) => attempt).join(", ")}`,
    );
  if (posts.some((post) => post.body !== body)) problems.push("a callback and its delivery have different bodies");
  // A callback that arrived while the attempts were read counts only if its attempt is recorded.
  const isWritten = (arrivedAt: number) =>
    attempts.some(({ started_at, duration_ms }) => {
      const startedAt = Date.parse(started_at);
      return arrivedAt >= startedAt - SAME_ATTEMPT_MS && arrivedAt <= startedAt + duration_ms + SAME_ATTEMPT_MS;
    });
  const before = posts
    .filter(
      ({ arrivedAt }) =>
        arrivedAt < event.startedAt || (event.endedAt !== null && arrivedAt < event.endedAt && isWritten(arrivedAt)),
    )
    .toSorted((a, b) => a.arrivedAt - b.arrivedAt);

  let from = 0;
  let endedBefore: number | null = null;
  for (const [i, attempt] of attempts.entries()) {
    const startedAt = Date.parse(attempt.started_at);
    const endedAt = startedAt + attempt.duration_ms;
    const until = before.findLastIndex(({ arrivedAt }) => arrivedAt <= endedAt + SAME_ATTEMPT_MS);
    const own = before.slice(from, until + 1);
    const told = own.at(-1);
    const name = `attempt ${i + 1}`;
    problems.push(...judgeWait(name, own, endedBefore, i));
    const isLost = attempt.error?.startsWith("worker_lost") === true;
    if (attempt.outcome === "succeeded" && told?.outcome !== "ok")
      problems.push(`${name} succeeded, but no callback was answered 2xx`);
    if (attempt.outcome === "failed" && !isLost && told?.outcome === "ok")
      problems.push(`${name} failed (${attempt.error}), but its callback was answered 2xx`);
    if (attempt.outcome === "succeeded" && i < attempts.length - 1)
      problems.push(`${name} succeeded, but another attempt followed`);
    problems.push(...judgeLost(name, isLost ? own : own.slice(0, -1), own.at(-1)?.arrivedAt ?? endedAt, deaths));
    endedBefore = told?.endedAt ?? endedAt;
    from = Math.max(from, until + 1);
  }
  const rest = before.slice(from);
  if (rest.length > 0) {
    const name = `attempt ${attempts.length + 1}`;
    if (status === "SUCCEEDED") problems.push("a callback came after a recorded success");
    problems.push(...judgeWait(name, rest, endedBefore, attempts.length));
    // The outcome of a callback that has just arrived may not be recorded yet.
    const isOver = ({ endedAt }: Post) => endedAt !== null && endedAt < event.startedAt - SAME_ATTEMPT_MS;
    problems.push(
      ...judgeLost(
        name,
        rest.filter((post, i) => i < rest.length - 1 || isOver(post)),
        rest.at(-1)!.arrivedAt,
        deaths,
      ),
    );
  }
  return problems;
}

function judgeWait(name: string, posts: readonly Post[], endedBefore: number | null, i: number): string[] {
  const wait = WAITS_MS[i];
  if (posts.length === 0 || endedBefore === null || wait === undefined) return [];
  const waited = posts[0]!.arrivedAt - endedBefore;
  return waited < wait - CLOCK_MS
    ? [`${name} came ${Math.round(waited)} ms after the previous one, not after ${wait}`]
    : [];
}

/** Checks callbacks without a recorded outcome: each one needs a dead process or server, and few belong to one attempt. */
function judgeLost(name: string, posts: readonly Post[], until: number, deaths: readonly number[]): string[] {
  const problems: string[] = [];
  let lost = 0;
  for (const [i, { arrivedAt, outcome, isReused }] of posts.entries()) {
    const next = posts[i + 1]?.arrivedAt ?? Math.max(until, arrivedAt);
    // The receiver may read what a process sent after that process has died.
    if (deaths.some((at) => at >= arrivedAt - UNREAD_MS && at <= next + UNREAD_MS)) lost++;
    else if (outcome !== "cut" || !isReused)
      problems.push(
        `${name}: a callback was answered "${outcome}" but not recorded, although no process or server had died`,
      );
  }
  if (lost > REPEATS_MAX + 1) problems.push(`${name} was made ${lost} times`);
  return problems;
}

function endOfPost({ body, problems }: Post): string | null {
  return problems.length > 0 ? null : endOf(JSON.parse(body) as End);
}

function callbackEvent(at: number): Event {
  return { call: "callback", number: 0, who: "receiver", by: ADMIN, to: null, startedAt: at, endedAt: at, status: 200 };
}

function distinct<T>(values: readonly (T | null | undefined)[]): T[] {
  return [...new Set(values)].filter((value): value is NonNullable<T> & T => value != null);
}

const numbers = (events: readonly Event[]): string => events.map(({ number }) => `#${number}`).join(", ");
