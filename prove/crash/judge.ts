/**
 * What must hold for one task, told from nothing but the calls and answers of clients, the callbacks that came, and what
 * an auditor reads over HTTP.
 *
 * The life of a task only goes forward: absent, open, ended, deleted. So every answer says "at some moment between call
 * and answer, it was at least so far" and "at most so far", and a history could have happened one call at a time exactly
 * when no answer that began later shows less than one that was out before.
 */
import { answerOf, reasonOf } from "./calls.ts";
import type { Event, Post, Seen, Subject } from "./history.ts";

const OPEN = 1;
const ENDED = 2;
const DELETED = 3;
const TERMINAL = new Set(["completed", "timed_out", "cancelled"]);

/** Of a task that names somebody to tell: by mail and by Slack. */
const MESSAGES = 2;
/** Waits before attempt 1, 2, 3 ... (spec: Events, Delivery) */
const WAITS_MS = [0, 30_000, 60_000, 120_000, 300_000, 900_000];
/** An attempt whose process is lost is repeated so often. (wire: Callback schedule) */
const REPEATS_MAX = 3;
/** The clock of the service and this one are of the same machine, read and rounded differently. */
const CLOCK_MS = 50;
/** When two attempts are half a minute apart, this tells which of them a callback belongs to. */
const SAME_ATTEMPT_MS = 2_000;
/** How long this process may take to read what has come. */
const UNREAD_MS = 1_000;

export interface Rules {
  /** A store that is part of the process writes nothing after that has died; another may still carry out what it was sent. */
  mayWriteAfterDeath: boolean;
  deaths: readonly number[];
  /** How long a delivery may be due before somebody attempts it, whatever died meanwhile. */
  neglectMs: number;
}

/** How far a task was, by one answer; `from` and `to` frame the moment. */
interface Sight {
  event: Event;
  atLeast: number;
  atMost: number;
  from: number;
  to: number;
}

/** Says everything that is wrong with the story of a task; nothing when it may have gone like this. */
export function checkSubject(subject: Subject, rules: Rules): string[] {
  const { events, posts, id } = subject;
  const problems: string[] = [];
  const seen = events.flatMap((event) => (event.seen ? [{ event, seen: event.seen }] : []));

  // One id for a key, one body, one birth.
  const ids = new Set(seen.map((one) => one.seen.id));
  if (ids.size > 1) problems.push(`the key had several ids: ${[...ids].join(", ")}`);
  const versions = distinct(seen.map((one) => one.seen.task?.version));
  if (versions.includes(-1)) problems.push("a record repeats no body that was ever sent");
  if (versions.length > 1) problems.push(`records repeat different bodies: ${versions.join(", ")}`);
  const births = distinct(seen.map((one) => one.seen.task?.birth));
  if (births.length > 1) problems.push(`what never changes did: ${births.join(" and ")}`);
  problems.push(...judgeCreation(seen, events, versions[0] ?? null));

  // One end.
  const ends = distinct([...seen.map((one) => one.seen.task?.end), ...posts.map(endOfPost)]);
  if (ends.length > 1) problems.push(`it ended in different ways: ${ends.join(" and ")}`);
  const end = ends[0] === undefined ? null : readEnd(ends[0]);
  const birth = births[0] === undefined ? null : readBirth(births[0]);
  if (end && birth) problems.push(...judgeTimes(end, birth, seen));
  const trail = seen.findLast((one) => one.seen.trail !== undefined && one.seen.trail[0]?.action !== "deleted");
  const causes = end ? causesOf(events, end, trail?.seen ?? null) : [];
  if (end && end.status !== "timed_out" && causes.length === 0)
    problems.push("it ended, and no call that may have worked asked for that");
  const cause = causes.length === 1 ? causes[0]! : null;
  const accepted = events.filter((event) => isEnding(event) && event.status === 200);
  if (accepted.length > 1) problems.push(`several calls were told that they ended it: ${numbers(accepted)}`);
  if (accepted.length > 0 && end && !causes.includes(accepted[0]!))
    problems.push(`#${accepted[0]!.number} was told that it ended the task, which ended otherwise`);

  // One life, in one order.
  const sights = events.flatMap((event) => sight(event, birth));
  for (const { arrivedAt } of posts)
    sights.push({ event: callbackEvent(arrivedAt), atLeast: ENDED, atMost: DELETED, from: arrivedAt, to: arrivedAt });
  if (cause) sights.push(...effectOf(cause, rules));
  problems.push(...judgeOrder(sights));
  const firstEnd = Math.min(...sights.filter(({ atLeast }) => atLeast >= ENDED).map(({ to }) => to));
  if (cause && cause.startedAt > firstEnd)
    problems.push(`it had ended before #${cause.number} was sent, which ended it`);
  const removals = events.filter((event) => event.call === "delete");
  const isGone = sights.some(({ atLeast }) => atLeast === DELETED);
  if (isGone && removals.length === 0) problems.push("it is gone, and nobody deleted it");
  if (events.some(({ call, status }) => call === "trail" && status === 404))
    problems.push("nothing is left of its trail");

  // What was written beside it.
  for (const { event, seen: one } of seen) {
    if (one.trail) problems.push(...judgeTrail(one.trail, subject, birth, end, cause, event));
    // Who is to be told was decided with the creation, and is written whole or not at all.
    if (one.untold !== undefined && one.untold !== 0 && one.untold !== MESSAGES)
      problems.push(`the trail (#${event.number}) tells of ${one.untold} messages, not of ${MESSAGES} or none`);
    if (one.owed) problems.push(...judgeOwed(one, subject, event, firstEnd, sights, rules));
  }
  problems.push(...posts.flatMap((post) => post.problems.map((problem) => `callback: ${problem}`)));
  if (new Set(posts.map(({ body }) => body)).size > 1) problems.push("its callbacks differ in their bytes");
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
  if (fresh.length > 1) problems.push(`several calls were told that they created it: ${numbers(fresh)}`);
  if (fresh.length === 1 && version !== null && fresh[0]!.version !== version)
    problems.push(`#${fresh[0]!.number} was told that it created the task, which has another body`);
  if (seen.length > 0 && version !== null) {
    const firstSeen = Math.min(...seen.map(({ event }) => event.endedAt!));
    if (!creations.some((event) => event.version === version && event.startedAt < firstSeen))
      problems.push(`it has body ${version}, which nobody had sent by then`);
  }
  for (const { event, seen: one } of seen)
    if (one.is_replay && version !== null && one.is_mismatch !== (event.version !== version))
      problems.push(
        `#${event.number} asked with body ${event.version} for body ${version} and was told mismatch ${one.is_mismatch}`,
      );
  return problems;
}

interface ReadEnd {
  status: string;
  response: Record<string, unknown> | null;
  completed_at: string | null;
  timed_out_at: string | null;
  completed_by_email: string | null;
  completed_via_channel: string | null;
}

const readEnd = (text: string): ReadEnd => JSON.parse(text) as ReadEnd;

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
  if (end.completed_at !== null && end.completed_at >= timeout_at)
    problems.push("it was completed after its time had run out");
  if (end.timed_out_at !== null && end.timed_out_at < timeout_at) problems.push("it timed out too early");
  const updates = distinct(seen.map((one) => (one.seen.task?.end === null ? null : one.seen.task?.updated_at)));
  if (updates.length > 1) problems.push(`it was updated after its end: ${updates.join(", ")}`);
  const time = end.completed_at ?? end.timed_out_at;
  if (time !== null && updates.length === 1 && updates[0] !== time) problems.push("updated_at is not when it ended");
  if (updates[0] !== undefined && updates[0] < created_at) problems.push("it ended before it was created");
  return problems;
}

const isEnding = (event: Event): boolean => event.call === "complete" || event.call === "cancel";
/** It may have been carried out: it was, or nobody was told. */
const isPossible = (event: Event): boolean =>
  event.status === 200 || event.status === null || event.error_code === "COMMIT_UNKNOWN";

/** The calls that this end can have come from. Only the trail tells one cancellation from another, by its reason. */
function causesOf(events: readonly Event[], end: ReadEnd, trail: Seen | null): Event[] {
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
  const cancels = possible.filter(({ call }) => call === "cancel");
  const extra = trail?.trail?.find(({ action }) => action === "cancelled")?.extra;
  return extra ? cancels.filter(({ number }) => extra["reason"] === reasonOf(number)) : cancels;
}

function effectOf(cause: Event, { mayWriteAfterDeath }: Rules): Sight[] {
  if (cause.status !== null || mayWriteAfterDeath) return [];
  const deadAt = cause.to?.deadAt ?? null;
  return deadAt === null ? [] : [{ event: cause, atLeast: ENDED, atMost: DELETED, from: cause.startedAt, to: deadAt }];
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
    // Whether or not somebody has written it down: its time has run out.
    const isOverdue = birth !== null && Date.parse(birth.timeout_at) <= endedAt + CLOCK_MS;
    return isOverdue ? [] : between(ENDED, ENDED);
  }
  if (isEnding(event) && status === 200) return between(ENDED, OPEN);
  if (seen?.is_replay === false) return between(OPEN, 0);
  if (seen?.trail) {
    const last = seen.trail.at(-1)?.action;
    if (last === "deleted") return between(DELETED, DELETED);
    return last === "created" || last === "assigned" ? between(OPEN, OPEN) : between(ENDED, ENDED);
  }
  if (!seen?.task) return [];
  if (seen.task.end !== null) return between(ENDED, ENDED);
  // What still is open at the end of a poll is told as it is then, not as it was when the poll came.
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
    if (stale)
      problems.push(`it ${name} by ${nameOf(reached)}, and ${nameOf(stale)}, which came later, did not know it`);
  }
  return problems;
}

const nameOf = ({ event }: Sight): string =>
  event.call === "callback" ? "its callback" : `${event.call} #${event.number}`;

function judgeTrail(
  trail: NonNullable<Seen["trail"]>,
  { id, isDeleted, isRedacted }: Subject,
  birth: Birth | null,
  end: ReadEnd | null,
  cause: Event | null,
  { number }: Event,
): string[] {
  const problems: string[] = [];
  const bad = (problem: string) => problems.push(`the trail (#${number}) ${problem}`);
  const actions = trail.map(({ action }) => action).join(", ");
  // For whom it is was decided when it was created, and in the same transaction.
  const routed = trail.filter(({ action }) => action === "assigned");
  const [first, second, more] = trail.filter(({ action }) => action !== "assigned");
  if (trail.some((entry) => entry.task_id !== id)) bad("is of another task");
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
    bad("tells of its routing at another time than of its creation");
  if (first.from_status !== null || first.to_status !== "created") bad("begins with another transition");
  if (birth && first.created_at !== birth.created_at) bad("has another time of creation");
  if (!second) return problems;
  if (!end) bad("tells an end that nobody has seen");
  else if (second.action !== end.status) bad(`ends with ${second.action}`);
  if (second.from_status !== "created") bad(`ends a task that was ${second.from_status}`);
  const at = end?.completed_at ?? end?.timed_out_at;
  if (at != null && second.created_at !== at) bad("has another time of the end");
  if (end?.status === "completed") {
    const { email, channel, keys } = {
      email: end.completed_by_email,
      channel: end.completed_via_channel,
      keys: Object.keys(end.response!),
    };
    if (second.channel !== channel || second.actor_email !== email) bad("names somebody else");
    const extra = isRedacted ? null : { response_keys: keys };
    if (JSON.stringify(second.extra) !== JSON.stringify(extra)) bad(`has ${JSON.stringify(second.extra)}`);
  }
  if (end?.status === "cancelled" && cause && second.extra?.["reason"] !== reasonOf(cause.number))
    bad("has another reason");
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
  if (owed.length > 0 && !hasCallback) bad("are there, and nobody asked for a callback");
  if (owed.length > 0 && wasOpen) bad("are there before the end");
  if (owed.length === 0 && hasCallback && !isDeleted && firstEnd < startedAt) bad("are none, and the task had ended");
  for (const row of owed) {
    if (row.task_id !== id) bad("are of another task");
    const answered = posts.filter(({ arrivedAt }) => arrivedAt < endedAt!);
    if (row.status === "SUCCEEDED") {
      if (!answered.some(({ outcome }) => outcome === "ok"))
        bad("count as succeeded, and no callback was answered 2xx");
      if (row.next_attempt_at !== null) bad("have succeeded and are still due");
    } else if (row.status === "ABANDONED") bad("are abandoned");
    else if (row.next_attempt_at === null) bad(`are ${row.status} and due never`);
    else {
      const due = Math.max(Date.parse(row.next_attempt_at), ...posts.map(({ arrivedAt }) => arrivedAt));
      if (due < startedAt - neglectMs)
        bad(`have been due for ${Math.round((startedAt - due) / 1000)} s, and nobody attempts them`);
    }
    if ((row.status === "PENDING") !== (row.attempt_count === 0))
      bad(`are ${row.status} after ${row.attempt_count} attempts`);
  }
  return problems;
}

/** What was counted stays counted. */
function judgeProgress(seen: readonly Sighting[]): string[] {
  const rows = seen.flatMap(({ event, seen: { owed } }) => (owed?.[0] ? [{ event, row: owed[0] }] : []));
  for (const [i, { event, row }] of rows.entries()) {
    const later = rows.slice(i + 1).find((one) => one.event.startedAt > event.endedAt!);
    if (!later) continue;
    if (row.status === "SUCCEEDED" && later.row.status !== "SUCCEEDED")
      return [`its delivery had succeeded, and then was ${later.row.status}`];
    if (row.attempt_count > later.row.attempt_count)
      return [`its delivery had ${row.attempt_count} attempts, and then ${later.row.attempt_count}`];
  }
  return [];
}

/** Compares what the service writes of its attempts with what came of them. */
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
      `of ${attempt_count} attempts these are written down: ${attempts.map(({ attempt }) => attempt).join(", ")}`,
    );
  if (posts.some((post) => post.body !== body)) problems.push("a callback has other bytes than its delivery");
  // What arrived while they were read is there only where it is written down.
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
      problems.push(`${name} succeeded, and no callback was answered 2xx`);
    if (attempt.outcome === "failed" && !isLost && told?.outcome === "ok")
      problems.push(`${name} failed (${attempt.error}), and its callback was answered 2xx`);
    if (attempt.outcome === "succeeded" && i < attempts.length - 1)
      problems.push(`${name} succeeded, and there was another`);
    problems.push(...judgeLost(name, isLost ? own : own.slice(0, -1), own.at(-1)?.arrivedAt ?? endedAt, deaths));
    endedBefore = told?.endedAt ?? endedAt;
    from = Math.max(from, until + 1);
  }
  const rest = before.slice(from);
  if (rest.length > 0) {
    const name = `attempt ${attempts.length + 1}`;
    if (status === "SUCCEEDED") problems.push("a callback came after one that was written down as answered");
    problems.push(...judgeWait(name, rest, endedBefore, attempts.length));
    // What has only just come is still to be written down.
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
    ? [`${name} came ${Math.round(waited)} ms after the one before, and not after ${wait}`]
    : [];
}

/** Callbacks whose outcome was never written down: each of them lost its process, and few of one attempt did. */
function judgeLost(name: string, posts: readonly Post[], until: number, deaths: readonly number[]): string[] {
  const problems: string[] = [];
  let lost = 0;
  for (const [i, { arrivedAt, outcome, isReused }] of posts.entries()) {
    const next = posts[i + 1]?.arrivedAt ?? Math.max(until, arrivedAt);
    // What a process sent may be read when it is dead already.
    if (deaths.some((at) => at >= arrivedAt - UNREAD_MS && at <= next + UNREAD_MS)) lost++;
    else if (outcome !== "cut" || !isReused)
      problems.push(`${name}: a callback was answered "${outcome}" and not written down, and no process had died`);
  }
  if (lost > REPEATS_MAX + 1) problems.push(`${name} was made ${lost} times`);
  return problems;
}

function endOfPost({ body, problems }: Post): string | null {
  if (problems.length > 0) return null;
  const { status, response, completed_at, timed_out_at, completed_by_email, completed_via_channel } = JSON.parse(
    body,
  ) as ReadEnd;
  return JSON.stringify({ status, response, completed_at, timed_out_at, completed_by_email, completed_via_channel });
}

function callbackEvent(at: number): Event {
  return { call: "callback", number: 0, who: "receiver", to: null, startedAt: at, endedAt: at, status: 200 };
}

function distinct<T>(values: readonly (T | null | undefined)[]): T[] {
  return [...new Set(values)].filter((value): value is NonNullable<T> & T => value != null);
}

const numbers = (events: readonly Event[]): string => events.map(({ number }) => `#${number}`).join(", ");
