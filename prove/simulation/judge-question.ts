/** Judges a task that people are asked: who answered, in which order, and how it ended. */
import { isDeepStrictEqual } from "node:util";
import { clockAt, excused, spansBetween } from "./clock.ts";
import type { Say } from "./judge.ts";
import { judgeSteps, phasesOf } from "./judge-steps.ts";
import { judgeVotes } from "./judge-votes.ts";
import { numberOf } from "./people.ts";
import type { Asked, Story, StoryTask } from "./story.ts";
import { accessOf, ENDS, isPossible, linesOf, peopleBefore, peopleDuring, type Access, type Told } from "./trail.ts";

/** Without trouble, a deadline is noticed within this time. */
const DEADLINE_LATE = 2_000;

/** @param task - which exists */
export function judgeQuestion(task: StoryTask, asked: readonly Asked[], story: Story, say: Say): void {
  const record = task.record!;
  const question = task.question!;
  const lines = linesOf(task);
  const ends = lines.filter(({ action }) => ENDS.has(action));
  const [end] = ends;
  if (end === undefined) return say(`never ended (${record.status})`);
  if (ends.length > 1) say(`ended ${ends.length} times`);
  const told: Told = { task, record, question, lines, end, asked, story, say };
  judgeTrail(told);
  judgeEnd(told);
  const access = accessOf(told);
  if (question.rules === null) judgeAnswer(told, access);
  else judgeVotes(told, question.rules, access);
  judgeRefusals(told, access);
  judgeSteps(told, access);
}

function judgeTrail({ record, lines, end, task, say }: Told): void {
  if (lines.some(({ seq }, i) => seq !== i)) say(`the trail has the numbers ${lines.map(({ seq }) => seq).join()}`);
  if (lines.some(({ created_at }, i) => i > 0 && created_at < lines[i - 1]!.created_at))
    say("the times of the trail go back");
  const later = lines.filter(({ seq, action }) => seq > end.seq && action !== "callback_abandoned");
  if (later.length > 0) say(`its trail goes on after the end with ${later.map(({ action }) => action).join()}`);
  if (record.status !== end.action) say(`is ${record.status}, but its trail ends with "${end.action}"`);
  if (record.updated_at !== end.created_at) say("the trail and the record disagree on when it ended");
  if ((task.origin === null) !== (task.delivery === null)) say("its callback is not as it was asked for");
}

/** How and when it ended. */
function judgeEnd(told: Told): void {
  const { record, question, end, story, asked, say } = told;
  const phases = phasesOf(told);
  const { deadline } = phases.at(-1)!;
  if (record.timeout_at !== new Date(deadline).toISOString()) say(`its deadline is shown as ${record.timeout_at}`);
  const clock = clockAt(story, end.at);
  const isFallback = end.channel === "fallback";
  const isOver = isFallback || end.action === "timed_out";
  if (isOver) {
    if (clock < deadline) say(`ended for lack of an answer ${deadline - clock} ms before its deadline`);
    if (isFallback !== (question.fallback !== null))
      say(isFallback ? "has a declared answer that no one declared" : "timed out in spite of a declared answer");
    if (end.actor_type !== "system") say(`ended for lack of an answer by "${end.actor_type}"`);
  } else if (clock >= deadline) say(`was ${end.action} at or after its deadline`);
  if (isFallback) {
    const { status, response, completed_by_email, completed_by_user_id, completed_via_channel, decided_by } = record;
    if (
      status !== "completed" ||
      !isDeepStrictEqual(response, question.fallback) ||
      completed_via_channel !== "fallback"
    )
      say(`no one answered, and it is ${status} with ${JSON.stringify(response)}`);
    if (completed_by_email !== null || completed_by_user_id !== null || decided_by !== null)
      say("a declared answer has a giver");
  } else if (record.completed_via_channel === "fallback") say("an answer of somebody counts as the declared one");
  let late = 0;
  for (const [i, phase] of phases.entries())
    for (const span of spansBetween(story, phase.deadline, Number.POSITIVE_INFINITY)) {
      const from = Math.max(span.from, phase.at);
      const to = Math.min(span.to, phases[i + 1]?.at ?? end.at);
      if (from < to) late += to - from - excused(story.troubles, from, to);
    }
  if (late > DEADLINE_LATE) say(`was open for ${late} ms after its deadline`);

  const cancelled = asked.some(({ action, answer }) => action === "cancel" && answer === "done");
  if (cancelled && end.action !== "cancelled") say(`"cancel" was acknowledged, but the task is ${end.action}`);
  if (end.action === "cancelled" && !asked.some(({ action, answer }) => action === "cancel" && isPossible(answer)))
    say("was cancelled, although no one asked for it");
}

/** Where one person decides. */
function judgeAnswer({ record, end, asked, say }: Told, access: readonly Access[]): void {
  const answers = asked.filter(({ action }) => action === "complete");
  const done = answers.filter(({ answer }) => answer === "done");
  if (done.length > 1) say(`${done.length} answers were acknowledged`);
  if (done.some(({ response }) => !isDeepStrictEqual(response, record.response)))
    say(`an answer was acknowledged, but the task has ${JSON.stringify(record.response)}`);
  if (end.action !== "completed" || end.channel === "fallback") return;
  const by = numberOf(end.actor_email);
  const isGiven = answers.some(
    ({ person, response, answer, sentAt }) =>
      person === by && sentAt <= end.at && isPossible(answer) && isDeepStrictEqual(response, record.response),
  );
  if (!isGiven) say(`has an answer of person ${by} that they did not give`);
  if (by !== null && !peopleBefore(access, end.seq).has(by)) say(`was answered by person ${by}, who may not`);
}

/** Refusals must have a reason. Those of votes are judged with the votes. */
function judgeRefusals(told: Told, access: readonly Access[]): void {
  const { asked, question, record, end, story, say } = told;
  const phases = phasesOf(told);
  const isOverIn = ({ sentAt, answeredAt }: Asked) =>
    end.at <= answeredAt ||
    phases.some(({ at, deadline }) =>
      spansBetween(story, deadline, Number.POSITIVE_INFINITY).some(
        ({ from, to }) => Math.max(from, at) <= answeredAt && to >= sentAt,
      ),
    );
  const isDeleting = asked.some(({ action }) => action === "delete");
  for (const request of asked) {
    const { action, person, answer, sentAt, answeredAt } = request;
    if (answer === "done" || answer === null || action === "create" || action === "redeliver") continue;
    const complain = () => say(`${action} of person ${person} at ${sentAt - story.start} was refused: ${answer}`);
    switch (answer) {
      case "TASK_ALREADY_TERMINAL":
        if (!isOverIn(request)) complain();
        break;
      case "TASK_NOT_FOUND":
        if (!isDeleting) complain();
        break;
      case "FORBIDDEN":
        if (person === null || peopleDuring(access, sentAt, answeredAt).has(person)) complain();
        break;
      case "NEEDS_A_PERSON":
        if (person !== null || question.rules === null) complain();
        break;
      case "VALIDATION_FAILED":
        if (action !== "extend") complain();
        break;
      case "EXCLUDED":
      case "TASK_CHANGED":
      case "APPROVAL_NOT_FOUND":
        if (question.rules === null) complain();
        break;
      default:
        complain();
    }
  }
  if (record.verification_attempt !== 0) say("was verified");
}
