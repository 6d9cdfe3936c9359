/**
 * Judges what several people decided: who counts, about which arguments, and what it comes to. Goes through the trail of the
 * task, and counts again what it says.
 */
import { isDeepStrictEqual } from "node:util";
import { membersOf, numberOf, PEOPLE, type Group } from "./people.ts";
import { argsOf, ASKED_AMOUNT, type Rules } from "./plans.ts";
import type { Asked, StoryTask } from "./story.ts";
import { ENDS, isExcluded, isPossible, linesOf, peopleBefore, type Access, type Line, type Told } from "./trail.ts";

/** A decision while it counts: from one moment to another. */
interface Vote {
  person: number;
  isFor: boolean;
  round: number;
  from: number;
  to: number;
}

/** What has come of the entries so far. */
interface Count {
  round: number;
  /** Those that count in this round, by person. */
  votes: Map<number, Vote>;
  /** What this round may be about: a person may have sent several edits without getting an answer. */
  amounts: Set<number>;
  /** All decisions, in all rounds. */
  all: Vote[];
  /** When each round began. */
  rounds: number[];
  /** How often each person must have been told that their approval no longer counts. */
  told: Map<number, number>;
}

type Answer = { decision: string; args?: { amount: number } };

export function judgeVotes(told: Told, rules: Rules, access: readonly Access[]): void {
  const count: Count = {
    round: 1,
    votes: new Map(),
    amounts: new Set([ASKED_AMOUNT]),
    all: [],
    rounds: [told.lines[0]!.at],
    told: new Map(),
  };
  for (const line of told.lines) {
    if (line.action === "approved" || line.action === "declined") decided(told, rules, access, count, line);
    else if (line.action === "completed" && line.channel !== "fallback") decided(told, rules, access, count, line);
    else if (line.action === "withdrawn") withdrawn(told, rules, count, line);
  }
  judgeRecord(told, rules, count);
  judgeAnswers(told, rules, count);
  judgeGlimpses(told, rules);
  for (const [person, { email }] of PEOPLE.entries()) {
    const got = told.task.notes.filter(({ destination, purpose }) => destination === email && purpose === "new_round");
    const owed = count.told.get(person) ?? 0;
    if (got.length !== owed) told.say(`person ${person} was told of ${got.length} new rounds, not of ${owed}`);
  }
}

function decided(told: Told, rules: Rules, access: readonly Access[], count: Count, line: Line): void {
  const { say, end, record } = told;
  const person = numberOf(line.actor_email);
  if (person === null) return say(`entry ${line.seq} is a decision of ${line.actor_email}, who is no one`);
  const name = `entry ${line.seq}, "${line.action}" of person ${person},`;
  const round = Number(line.extra?.["round"] ?? 1);
  const isEdit = round === count.round + 1;
  if (!isEdit && round !== count.round) say(`${name} is in round ${round}, not in ${count.round}`);
  const isFor =
    line === end
      ? ["approve", "edit"].includes((record.response as unknown as Answer).decision)
      : line.action === "approved";

  const given = givenBy(told, count, { person, isEdit, isFor, line });
  if (given.length === 0)
    say(
      `${name} is not what they sent: ${isEdit ? "an edit" : isFor ? "an approval" : "a rejection"} in round ${round}`,
    );
  const sentAt = Math.max(...given.map((request) => request.sentAt));
  if (!peopleBefore(access, line.seq).has(person)) say(`${name} counts, but they may not decide`);
  if (isExcluded(told.question, rules, person)) say(`${name} counts, but they are excluded`);
  if (isSurelyExcluded(told, rules, person, sentAt, line.at)) say(`${name} counts, but they decided the other task`);
  if (isSurelyHidden(told, rules, line.at)) say(`${name} counts, but it is hidden who decides the other task`);

  dropNotCounted(told, rules, count, line, { person, sentAt, round });
  if (isEdit) {
    for (const vote of count.votes.values()) {
      vote.to = line.at;
      if (vote.isFor && vote.person !== person) count.told.set(vote.person, (count.told.get(vote.person) ?? 0) + 1);
    }
    // An edit that ends the task tells no one of a round.
    if (line === end) count.told.clear();
    count.votes = new Map();
    count.amounts = new Set(given.map(({ response }) => (response as Answer).args!.amount));
    count.round = round;
    count.rounds.push(line.at);
  }
  const before = count.votes.get(person);
  if (before) before.to = line.at;
  const vote: Vote = { person, isFor, round, from: line.at, to: Number.POSITIVE_INFINITY };
  count.votes.delete(person);
  count.votes.set(person, vote);
  count.all.push(vote);
  judgeTally(told, rules, count, line);
  judgeState(told, rules, access, count, line, isFor);
}

/** Returns the requests that may have become an entry. */
function givenBy(
  { asked }: Told,
  count: Count,
  { person, isEdit, isFor, line }: { person: number; isEdit: boolean; isFor: boolean; line: Line },
): Asked[] {
  return asked.filter((request) => {
    if (request.action !== "complete" || request.person !== person || !isPossible(request.answer)) return false;
    if (request.sentAt > line.at || (request.answer === "done" && request.answeredAt < line.at)) return false;
    // A person who saw another round decided about other arguments.
    if (request.round != null && request.round !== count.round) return false;
    const { decision, args } = request.response as Answer;
    const isChange = decision === "edit" && !(count.amounts.size === 1 && count.amounts.has(args!.amount));
    if (isEdit) return isChange;
    return isFor ? decision === "approve" || decision === "edit" : decision === "reject" || decision === "respond";
  });
}

/** Takes out the votes that the entry says do not count any more, and says which ones it should have named. */
function dropNotCounted(
  told: Told,
  rules: Rules,
  count: Count,
  { extra, at, seq }: Line,
  { person, sentAt, round }: { person: number; sentAt: number; round: number },
): void {
  const { say } = told;
  const named = ((extra?.["not_counted"] as string[] | undefined) ?? []).map((email) => numberOf(email)!);
  for (const other of named) {
    const vote = count.votes.get(other);
    if (vote === undefined) say(`entry ${seq} takes back a vote that person ${other} has not`);
    else vote.to = at;
    if (!mayBeExcluded(told, rules, other, at)) say(`entry ${seq} does not count person ${other}, who is not excluded`);
    count.votes.delete(other);
  }
  // An edit leaves the earlier round behind, so no one has to look at it.
  if (round !== count.round) return;
  for (const other of count.votes.keys())
    if (other !== person && isSurelyExcluded(told, rules, other, sentAt, at))
      say(`entry ${seq} counts person ${other}, who has decided the other task before`);
}

function withdrawn(told: Told, rules: Rules, count: Count, line: Line): void {
  const { asked, say } = told;
  const person = numberOf(line.actor_email)!;
  const vote = count.votes.get(person);
  if (vote === undefined) return say(`entry ${line.seq} takes back a decision that person ${person} has not`);
  const isAsked = asked.some(
    (request) =>
      request.action === "withdraw" &&
      request.person === person &&
      isPossible(request.answer) &&
      request.sentAt <= line.at,
  );
  if (!isAsked) say(`entry ${line.seq} takes back a decision of person ${person}, who did not ask for it`);
  dropNotCounted(told, rules, count, line, { person, sentAt: line.at, round: count.round });
  vote.to = line.at;
  count.votes.delete(person);
  judgeTally(told, rules, count, line);
}

function judgeTally({ say }: Told, { need }: Rules, count: Count, { extra, seq }: Line): void {
  const have = approvers(count).length;
  if (extra?.["have"] !== have || extra["need"] !== need)
    say(`entry ${seq} says ${String(extra?.["have"])} of ${String(extra?.["need"])}, not ${have} of ${need}`);
}

function approvers({ votes }: Count): number[] {
  return [...votes.values()].filter(({ isFor }) => isFor).map(({ person }) => person);
}

/** The task must have ended exactly if enough people approve, or too few can. */
function judgeState(
  told: Told,
  rules: Rules,
  access: readonly Access[],
  count: Count,
  line: Line,
  isFor: boolean,
): void {
  const { say, end } = told;
  const people = approvers(count);
  const isEnd = line === end;
  const isReached = isEnough(rules, people);
  if (isFor) {
    const hasRejection = people.length < count.votes.size;
    // An approval after a rejection that has been forgotten never ends what cannot be reached.
    if (isEnd && !isReached) say(`ended with the approvals of ${people.join()}, which are not enough`);
    if (!isEnd && isReached && !hasRejection)
      say(`stays open with the approvals of ${people.join()}, which are enough`);
    return;
  }
  if (rules.veto === "any") {
    if (!isEnd) say(`stays open after a rejection (entry ${line.seq})`);
    return;
  }
  const allowed = [...peopleBefore(access, line.seq)].filter((one) => !isExcluded(told.question, rules, one));
  const left = allowed.filter((one) => !count.votes.has(one));
  const sure = left.filter((one) => !mayBeExcluded(told, rules, one, line.at));
  if (isEnd && isEnough(rules, [...people, ...sure]))
    say(`ended by a rejection, although ${[...people, ...sure].join()} could still approve`);
  if (!isEnd && !isEnough(rules, [...people, ...left]))
    say(`stays open, although only ${[...people, ...left].join()} could approve`);
}

/** Returns whether the approvals of these people are enough: in number, and one for each group, by trying all ways. */
export function isEnough(
  { need, one_of_each }: Pick<Rules, "need" | "one_of_each">,
  people: readonly number[],
): boolean {
  const seat = ([group, ...others]: readonly Group[], free: readonly number[]): boolean => {
    if (group === undefined) return true;
    const members = membersOf(group);
    return free.some(
      (one) =>
        members.includes(one) &&
        seat(
          others,
          free.filter((other) => other !== one),
        ),
    );
  };
  return people.length >= need && seat(one_of_each, people);
}

/** Returns the entries of the task whose answerers must not decide. */
function otherOf({ story }: Told, { answered }: Rules): { task: StoryTask; lines: Line[] } | null {
  const task = answered === null ? undefined : story.tasks[answered];
  return task?.record == null ? null : { task, lines: linesOf(task) };
}

/** Returns whether a person had decided the other task before `sentAt`, and still had at `at`. */
function isSurelyExcluded(told: Told, rules: Rules, person: number, sentAt: number, at: number): boolean {
  const other = otherOf(told, rules);
  if (other === null || !isNamed(told)) return false;
  const { email } = PEOPLE[person]!;
  const own = other.lines.filter(
    (line) => line.actor_email === email && ["approved", "declined", "withdrawn", "completed"].includes(line.action),
  );
  const isHiddenThen = other.task.question!.rules!.blind && !isEndedBy(other.lines, sentAt);
  const dropped = other.lines.some(
    (line) => line.at <= at && ((line.extra?.["not_counted"] as string[] | undefined) ?? []).includes(email),
  );
  const last = own.findLast((line) => line.at < sentAt);
  const later = own.some((line) => line.at >= sentAt && line.at <= at);
  return last !== undefined && last.action !== "withdrawn" && !later && !isHiddenThen && !dropped;
}

/** Returns whether a person may have been excluded at some time until `at`. */
function mayBeExcluded(told: Told, rules: Rules, person: number, at: number): boolean {
  if (isExcluded(told.question, rules, person)) return true;
  const other = otherOf(told, rules);
  return (
    other !== null &&
    other.lines.some((line) => line.actor_email === PEOPLE[person]!.email && line.at <= at && line.action !== "created")
  );
}

function isSurelyHidden(told: Told, rules: Rules, at: number): boolean {
  const other = otherOf(told, rules);
  return other !== null && isNamed(told) && other.task.question!.rules!.blind && !isEndedBy(other.lines, at);
}

function isEndedBy(lines: readonly Line[], at: number): boolean {
  return lines.some((line) => ENDS.has(line.action) && line.at <= at);
}

/** The other task may not have existed yet when this one was asked for. */
function isNamed({ task, story }: Told): boolean {
  const answered = task.question!.rules!.answered;
  const created = story.asked.find((request) => request.task === task.number && request.action === "create")!;
  return story.asked.some(
    (request) =>
      request.task === answered &&
      request.action === "create" &&
      request.answer === "done" &&
      request.answeredAt < created.sentAt,
  );
}

/** What the record says at the end. */
function judgeRecord({ record, end, say }: Told, rules: Rules, count: Count): void {
  const { approvals, response } = record;
  if (approvals === null) return say("has no approvals");
  const people = [...count.votes.values()];
  const shown = approvals.decisions.map(({ by, decision }) => [
    numberOf(by.user_id),
    decision === "approve" || decision === "edit",
  ]);
  const counted = people.map(({ person, isFor }) => [person, isFor]);
  if (!isDeepStrictEqual(shown, counted))
    say(`shows the decisions ${JSON.stringify(shown)}, not ${JSON.stringify(counted)}`);
  const { need, have, round } = approvals;
  const expected = [rules.need, approvers(count).length, count.round];
  if (!isDeepStrictEqual([need, have, round], expected))
    say(`shows ${[need, have, round].join()}, not ${expected.join()}`);
  if (end.action !== "completed" || end.channel === "fallback") return;
  const { decision, args } = response as unknown as Answer;
  if (decision !== "approve" && decision !== "edit") return;
  const amounts = [...count.amounts].map(argsOf);
  if (!amounts.some((one) => isDeepStrictEqual(one, args)))
    say(`was approved with ${JSON.stringify(args)}, not with ${JSON.stringify(amounts)}`);
}

/** Acknowledged decisions must count, and refused ones must have a reason. */
function judgeAnswers(told: Told, rules: Rules, count: Count): void {
  const { asked, lines, say, story } = told;
  for (const request of asked) {
    const { action, person, answer, sentAt, answeredAt, round } = request;
    if (person === null || answer === null) continue;
    const name = `${action} of person ${person} at ${sentAt - story.start}`;
    const own = count.all.filter((vote) => vote.person === person && vote.from <= answeredAt && vote.to >= sentAt);
    const isExcusable = mayBeExcluded(told, rules, person, answeredAt);
    switch (answer) {
      case "done": {
        if (action === "withdraw") {
          const isThere = lines.some(
            (line) =>
              line.action === "withdrawn" &&
              numberOf(line.actor_email) === person &&
              line.at >= sentAt &&
              line.at <= answeredAt,
          );
          if (!isThere) say(`${name} was acknowledged, but it is not in the trail`);
        }
        if (action !== "complete") break;
        const isFor = ["approve", "edit"].includes((request.response as Answer).decision);
        if (!own.some((vote) => vote.isFor === isFor)) say(`${name} was acknowledged, but it does not count`);
        break;
      }
      case "EXCLUDED":
        if (!isExcusable && rules.answered === null) say(`${name} was refused as excluded`);
        break;
      case "TASK_CHANGED":
        if (!count.rounds.some((at, i) => i > 0 && at <= answeredAt && (at >= sentAt || round != null)))
          say(`${name} was refused, although no other round has begun`);
        break;
      case "APPROVAL_NOT_FOUND":
        if (own.some((vote) => vote.from < sentAt && vote.to > answeredAt)) say(`${name} found no decision`);
        break;
      default:
    }
  }
}

/** While a blind task is open, people see their own decision only. */
function judgeGlimpses({ task, story, say }: Told, rules: Rules): void {
  for (const { task: number, person, status, approvals } of story.glimpses) {
    if (number !== task.number || !rules.blind || status !== "created") continue;
    const others = approvals.decisions.filter(({ by }) => numberOf(by.user_id) !== person);
    if (approvals.have !== null || approvals.changed_by !== null || others.length > 0)
      say(`showed person ${person} what others decided: ${JSON.stringify(approvals)}`);
  }
}
