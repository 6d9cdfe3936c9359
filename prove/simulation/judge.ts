/**
 * Checks what must hold in a run. Written from the specification and its schedule, not from the service's code.
 */
import { isDeepStrictEqual } from "node:util";
import { excused } from "./clock.ts";
import { expectedBody } from "./expected-body.ts";
import { judgeListeners } from "./judge-listeners.ts";
import { judgeQuestion } from "./judge-question.ts";
import { judgeRevisions, revisionsIn } from "./judge-revisions.ts";
import { numberOf } from "./people.ts";
import { ENDS, linesOf } from "./trail.ts";
import type { Asked, Flight, Stand, Story, Trouble } from "./story.ts";

const SECOND = 1_000;
/** Seconds before attempts 1 to 13. */
const WAITS = [0, 30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 86_400].map((s) => s * SECOND);
const ATTEMPTS = WAITS.length;
/** The jitter of a wait is at most a tenth of it, and at most this. */
const LATE_MAX = 60 * SECOND;
/** How long a callback waits for the answer to the request that ended the task. */
const HOLD = 5 * SECOND;
const LEASE = 30 * SECOND;
const REPEATS = 3;
/** Without trouble, a due attempt starts within this time. */
const LOOK = 2 * SECOND;

/** @returns one sentence for each violation */
export function checkStory(story: Story): string[] {
  const wrong = story.unexpected.map((error) => `a request failed inside: ${error}`);
  if (!story.isAtRest) wrong.push("the run never came to rest: a task stays open or a callback stays due");
  for (const task of story.tasks) {
    const say = (text: string) => wrong.push(`task ${task.number}: ${text}`);
    const asked = story.asked.filter((request) => request.task === task.number);
    judgeTask(task, asked, story, say);
    const ids = [...story.taskOf].filter(([, number]) => number === task.number).map(([id]) => id);
    judgeListeners(task, story.arrivals, story.shifts.length === 1, say);
    if (ids.length > 1) say(`has ${ids.length} deliveries`);
    for (const id of ids) judgeDelivery(task, id, asked, story, say);
  }
  return wrong;
}

export type Say = (text: string) => void;
type JudgedTask = Story["tasks"][number];

function judgeTask(task: JudgedTask, asked: Asked[], story: Story, say: Say): void {
  const { id, record, audit, delivery, question } = task;
  const of = (action: Asked["action"]) => asked.filter((request) => request.action === action);
  const isMaybeDeleted = of("delete").some(({ answer }) => answer === "done" || answer === null);
  if (record === null) {
    if (id !== null && !isMaybeDeleted) say("an acknowledged task is gone");
    if (id !== null && !isDeepStrictEqual(actionsOf(audit), ["deleted"]))
      say(`a deleted task left ${actionsOf(audit).join()}`);
    if (delivery) say("a deleted task still has a callback");
    return;
  }
  if (of("delete").some(({ answer }) => answer === "done"))
    say("a deletion was acknowledged, but the task still exists");
  if (question !== null) return judgeQuestion(task, asked, story, say);

  const ended = asked.filter(
    ({ action, answer }) => (action === "complete" || action === "cancel") && answer === "done",
  );
  if (ended.length > 1) say(`${ended.length} ends were acknowledged`);
  const [end] = ended;
  const deadline = Date.parse(record.timeout_at);
  if (end && record.status !== (end.action === "complete" ? "completed" : "cancelled"))
    say(`"${end.action}" was acknowledged, but the task is ${record.status}`);
  if (end?.action === "complete" && !isDeepStrictEqual(record.response, end.response))
    say("has an answer other than the acknowledged one");
  for (const { action, sentAt, answer } of asked)
    if (action === "complete" && answer === "done" && sentAt >= deadline)
      say("an answer at or after the deadline was accepted");

  if (!ENDS.has(record.status)) return say(`never ended (${record.status})`);
  const endedAt = Date.parse(record.updated_at);
  if (record.status === "completed") {
    if (record.completed_at === null || Date.parse(record.completed_at) >= deadline)
      say("was completed at or after its deadline");
    if (
      !of("complete").some(
        ({ response, answer }) => answer !== "VALIDATION_FAILED" && isDeepStrictEqual(response, record.response),
      )
    )
      say("has an answer that no client gave");
  }
  if (record.status === "timed_out") {
    const at = Date.parse(record.timed_out_at ?? "");
    if (!(at >= deadline)) say(`timed out at ${record.timed_out_at}, before ${record.timeout_at}`);
    const late = at - deadline - excused(story.troubles, deadline, at);
    if (late > LOOK) say(`timed out ${late} ms late`);
  }
  if ((record.status === "timed_out") !== (record.timed_out_at !== null)) say("status and timed_out_at disagree");
  if ((record.status === "completed") !== (record.completed_at !== null)) say("status and completed_at disagree");

  const abandoned = cyclesOf(story, delivery?.id).filter((stands) =>
    stands.some(({ status }) => status === "ABANDONED"),
  ).length;
  const revised = revisionsIn(task).map(() => "revised");
  judgeRevisions(task, asked, say);
  const expected = [
    "created",
    ...revised,
    record.status,
    ...Array.from({ length: abandoned }, () => "callback_abandoned"),
  ];
  if (!isDeepStrictEqual(actionsOf(audit), expected))
    say(`audit says ${actionsOf(audit).join()}, not ${expected.join()}`);
  const actor = record.status === "timed_out" ? "system" : "agent";
  const endEntry = audit[1 + revised.length];
  if (endEntry?.actor_type !== actor) say(`the end is by "${endEntry?.actor_type}", not by "${actor}"`);
  if (Date.parse(endEntry?.created_at ?? "") !== endedAt)
    say("the audit entry and the record disagree on when it ended");
  if (delivery === null) say("ended but has no callback");
}

function judgeDelivery(task: JudgedTask, id: string, asked: Asked[], story: Story, say: Say): void {
  const stands = story.stands.get(id) ?? [];
  const flights = story.flights.filter((flight) => flight.delivery === id);
  judgeStands(stands, story, say);
  for (const flight of flights) judgeFlight(flight, stands, story, say);

  const bodies = new Set(flights.flatMap(({ got }) => (got ? [got.body] : [])));
  if (bodies.size > 1) say("attempts have different bodies");
  if (flights.some(({ got }) => got?.isSigned === false)) say("a signature does not match its body");
  const { record, delivery } = task;
  if (record === null || delivery === null) return;
  for (const body of bodies) {
    if (body !== delivery.body) say("the sent body differs from the stored body");
    if (!isDeepStrictEqual(JSON.parse(body), expectedBody(record))) say(`the body says ${body}`);
  }

  const redelivered = asked.filter(({ action }) => action === "redeliver");
  const certain = redelivered.filter(({ answer }) => answer === "done").length;
  const possible = redelivered.filter(({ answer }) => answer === "done" || answer === null).length;
  const cycles = stands.at(-1)?.cycle ?? 0;
  if (cycles - 1 < certain || cycles - 1 > possible)
    say(`is in cycle ${cycles} after ${certain} to ${possible} redeliveries`);
  if (delivery.status !== "SUCCEEDED" && delivery.status !== "ABANDONED")
    say(`its callback is still ${delivery.status}`);

  for (let cycle = 1; cycle <= cycles; cycle++) {
    const attempts = delivery.attempts.filter((attempt) => attempt.cycle === cycle);
    const numbers = attempts.map(({ attempt }) => attempt);
    if (!numbers.every((number, i) => number === i + 1)) say(`cycle ${cycle} counts attempts ${numbers.join()}`);
    const starts = attempts.map(({ started_at }) => Date.parse(started_at));
    if (starts.some((at, i) => i > 0 && at < starts[i - 1]!)) say(`attempts of cycle ${cycle} are out of order`);
    if (cycle === cycles && attempts.length !== delivery.attempt_count)
      say(`counts ${delivery.attempt_count} attempts but lists ${attempts.length}`);
    if (attempts.slice(0, -1).some(({ outcome }) => outcome === "succeeded"))
      say(`cycle ${cycle} continued after a success`);
    const last = attempts.at(-1);
    if (cycle === cycles && (last?.outcome === "succeeded") !== (delivery.status === "SUCCEEDED"))
      say(`is ${delivery.status} after an attempt that ${last?.outcome}`);
    for (const { attempt, outcome, error, status_code } of attempts) {
      const own = flights.filter((flight) => flight.cycle === cycle && flight.attempt === attempt);
      if (error?.startsWith("internal") === true) say(`attempt ${attempt} of cycle ${cycle} failed inside: ${error}`);
      if (error?.startsWith("worker_lost") === true) continue;
      const isOk = outcome === "succeeded";
      if (!own.some(({ result, status_code: told }) => (result === "ok") === isOk && told === status_code))
        say(`attempt ${attempt} of cycle ${cycle} is recorded as "${outcome} ${status_code}", which no process got`);
    }
  }
}

/** Checks each change of the row as operators see it. */
function judgeStands(stands: Stand[], { stopped }: Story, say: Say): void {
  let losses = 0;
  let givenBack = 0;
  for (const [i, now] of stands.entries()) {
    const before = stands[i - 1];
    if (!before) continue;
    if (now.cycle !== before.cycle) {
      losses = givenBack = 0;
      if (now.cycle !== before.cycle + 1) say(`went from cycle ${before.cycle} to ${now.cycle}`);
      if (now.attempt_count !== 0 || (now.status !== "PENDING" && now.lease_owner === null))
        say(`a new cycle starts as ${now.status} with ${now.attempt_count} attempts`);
      continue;
    }
    if (before.status === "SUCCEEDED" || before.status === "ABANDONED") {
      say(`continued after ${before.status} without a redelivery`);
      continue;
    }
    if (now.attempt_count === before.attempt_count) {
      if (before.lease_owner !== null && now.lease_until !== before.lease_until) {
        if (stopped.has(before.lease_owner)) givenBack++;
        else losses++;
      }
      if (losses > REPEATS) say(`attempt ${now.attempt_count + 1} was lost ${losses} times but not counted`);
      continue;
    }
    if (now.attempt_count !== before.attempt_count + 1)
      say(`went from ${before.attempt_count} attempts to ${now.attempt_count}`);
    if (now.last_error?.startsWith("worker_lost") === true && losses + givenBack < REPEATS)
      say(`attempt ${now.attempt_count} counts as lost after ${losses} repeats`);
    losses = givenBack = 0;
    const wait = WAITS[now.attempt_count];
    if (now.status === "FAILED") {
      const waits = (now.next_attempt_at ?? 0) - (now.last_attempt_at ?? 0);
      if (wait === undefined) say(`is retried after ${now.attempt_count} attempts`);
      else if (waits < wait || waits > wait + Math.min(wait / 10, LATE_MAX))
        say(`waits ${waits} ms before attempt ${now.attempt_count + 1}, not ${wait}`);
    }
    if (now.status === "ABANDONED" && now.attempt_count !== ATTEMPTS)
      say(`was abandoned after ${now.attempt_count} attempts`);
    if (now.status !== "FAILED" && now.next_attempt_at !== null) say(`is ${now.status} and due`);
  }
}

function judgeFlight(flight: Flight, stands: Stand[], story: Story, say: Say): void {
  const { delivery, cycle, attempt, begunAt, stand, isLeased } = flight;
  const name = `attempt ${attempt} of cycle ${cycle} at ${begunAt}`;
  if (flight.isOverlapping) say(`${name} started while the same attempt was in progress under another lease`);
  const before = story.flights.slice(0, story.flights.indexOf(flight)).filter((other) => other.delivery === delivery);
  if (before.some((other) => isLeased && (other.cycle > cycle || (other.cycle === cycle && other.attempt > attempt))))
    say(`${name} came after a later one`);
  const same = before.filter(
    (other) => other.cycle === cycle && other.attempt === attempt && other.result !== "given up",
  );
  if (same.length > REPEATS) say(`${name} was started for the ${same.length + 1}th time`);
  // A process that stalled beyond its lease may start an attempt that now belongs to another.
  const isDisturbed = story.troubles.some(({ from, to }) => from <= begunAt && begunAt <= to);
  if (stand?.cycle === cycle && !isLeased && !isDisturbed) say(`${name} began without a lease`);
  if (stand === null || !isLeased) return;
  if (stand.cycle !== cycle || stand.attempt_count + 1 !== attempt)
    say(`${name} began where attempt ${stand.attempt_count + 1} of cycle ${stand.cycle} is due`);
  if (stand.status === "SUCCEEDED" || stand.status === "ABANDONED")
    say(`${name} began although the row is ${stand.status}`);

  const owedAt = stands[0]!.at;
  const dueAt = stand.next_attempt_at ?? 0;
  if (attempt === 1 && cycle === 1) {
    if (begunAt < owedAt) say(`${name} began before the task ended`);
  } else if (begunAt < dueAt) say(`${name} began ${dueAt - begunAt} ms early`);

  const late = begunAt - dueAt - excused([...story.troubles, ...busyWith(flight, story)], dueAt, begunAt);
  if (late > LOOK) say(`${name} began ${late} ms late`);

  // The first attempt must wait until the ending request is answered, unless an operator asked to send it at once.
  const end = requestOfEnd(story, story.taskOf.get(delivery));
  // The hold counts from the process's clock: a stall between reading the clock and committing uses it up.
  const hasStalled = story.troubles.some(({ from, to }) => from <= owedAt && owedAt <= to);
  const heldUntil = hasStalled ? (stands[0]!.next_attempt_at ?? 0) : owedAt + HOLD;
  if (cycle === 1 && end && begunAt < Math.min(end.answeredAt, heldUntil))
    say(`${name} began before the answer was out`);
}

/** Returns the acknowledged request that ended a task. Several people may have sent one that did not. */
function requestOfEnd({ asked, tasks }: Story, number: number | undefined): Asked | undefined {
  const ending = asked.filter(
    ({ task, action, answer }) =>
      task === number && (action === "complete" || action === "cancel") && answer === "done",
  );
  const task = tasks.find((one) => one.number === number);
  if (task?.question == null) return ending[0];
  const end = linesOf(task).find(({ action }) => ENDS.has(action));
  return ending.findLast(
    ({ person, sentAt, answeredAt }) =>
      end !== undefined && person === numberOf(end.actor_email) && sentAt <= end.at && answeredAt >= end.at,
  );
}

/**
 * Returns the attempts at the same origin, which run one at a time while it fails. They include attempts for tasks whose
 * creation was never acknowledged.
 */
function busyWith({ origin }: Flight, story: Story): Trouble[] {
  return story.flights
    .filter((other) => other.origin === origin)
    .map(({ begunAt, endedAt }) => ({ from: begunAt, to: (endedAt ?? begunAt + LEASE) + LOOK }));
}

/** Returns the observed rows of a delivery, by cycle. */
function cyclesOf({ stands }: Story, id: string | undefined): Stand[][] {
  const own = (id !== undefined && stands.get(id)) || [];
  return [...Map.groupBy(own, ({ cycle }) => cycle).values()];
}

function actionsOf(audit: readonly { action: string }[]): string[] {
  return audit.map(({ action }) => action);
}
