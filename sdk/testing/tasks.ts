import { answerToStore } from "../../src/actions/decision.ts";
import type { Standing } from "../../src/approvals/count.ts";
import type { Policy } from "../../src/approvals/policy.ts";
import { isRepeatedVote, proposalOf, stanceOf } from "../../src/approvals/proposal.ts";
import { openQuestions } from "../../src/conversation/open-questions.ts";
import type { Comment as Said } from "../../src/conversation/store.ts";
import type { AuditEntryRow } from "../../src/db/schema.ts";
import { defaultEscalation } from "../../src/escalation/default.ts";
import { movedLadder, toStep, WITHOUT_CALENDARS } from "../../src/escalation/ladder.ts";
import { ServiceError } from "../../src/errors.ts";
import type { Caller } from "../../src/people/caller.ts";
import { askerOf } from "../../src/tasks/asker.ts";
import { actorOf } from "../../src/tasks/attribution.ts";
import { decide, SYSTEM, type Actor } from "../../src/tasks/decide.ts";
import { fallbackOf, requireMayFallBack } from "../../src/tasks/fallback.ts";
import { deletionEntry, entryBeside } from "../../src/tasks/entries.ts";
import {
  eventOfVerdict,
  isTerminal,
  isVerified,
  requireVersion,
  type AnswerEvent,
  type Ballot,
  type GivenAnswer,
  type TaskEvent,
} from "../../src/tasks/lifecycle.ts";
import { isMailed, type Destination } from "../../src/tasks/notify.ts";
import { newTask, routedEntry, toDocuments, type PlacedEscalation } from "../../src/tasks/new-task.ts";
import type { FormRequest } from "../../src/tasks/request-form.ts";
import { toAuditRecord, toPollResult, toRecord } from "../../src/tasks/record.ts";
import { asCreated, isSameRequest } from "../../src/tasks/same-request.ts";
import type { AuditEntry as NewAuditEntry, TaskWithDocuments } from "../../src/tasks/store.ts";
import { readVerifierConfig } from "../../src/verifier/config.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { AuditEntry, Comment, TaskOutcome, TaskRecord } from "../shapes.ts";
import { createIds } from "./ids.ts";
import { hasSameEntries } from "./resume.ts";
import { CHANNELS, type Creation } from "./requests.ts";
import { routeWithoutDirectory } from "./routing.ts";
import { requireFits } from "./schemas.ts";
import type { Timeline } from "./timeline.ts";

/** The only caller of this service: its token is the admin token. */
export const ADMIN: Caller = { kind: "admin" };

/** The home of all tasks: in memory, there is one place. */
const HOME = 0;

/** The verifier's verdict on an answer. */
interface Verdict {
  passed: boolean;
  reason: string;
}

const FINE: Verdict = { passed: true, reason: "The answer is fine." };

export interface Stored {
  task: TaskWithDocuments;
  /** Oldest first. */
  trail: AuditEntryRow[];
  /** Removes the deadline from the timeline. */
  forget: () => void;
  /** What was said about it, oldest first. */
  said: Said[];
  /** What it asked before it was revised, oldest first. */
  replaced: TaskWithDocuments[];
  /** To be called once no question is open. */
  replied: (() => void)[];
}

/** The tasks in memory. The code of the service decides all their changes. (spec: States and transitions) */
export interface Tasks {
  readonly timeline: Timeline;
  readonly newId: ReturnType<typeof createIds>;
  readonly stored: Map<string, Stored>;
  /** The trails of deleted tasks by task id. */
  readonly tombstones: Map<string, AuditEntryRow[]>;
  /** Called once for each ended task. */
  readonly onEnded: (task: TaskWithDocuments) => void;
  /** Called for each question to the asker. */
  readonly onAsked: (task: TaskWithDocuments, question: Comment) => void;
}

export function createTasks(options: Pick<Tasks, "timeline" | "onEnded" | "onAsked">): Tasks {
  return { ...options, newId: createIds(), stored: new Map(), tombstones: new Map() };
}

/** Returns the task that has a key, and whether `body` differs from the original request; or null. */
export function findByKey(
  tasks: Tasks,
  key: string | null,
  body: unknown,
): { record: TaskRecord; isMismatch: boolean } | null {
  const found = Array.from(tasks.stored.values()).find(({ task }) => task.idempotency_key === key);
  if (found === undefined || !isObject(body)) return null;
  const { task, trail, replaced } = found;
  // The deadline may be the first one or the current one, and so may what the task asks.
  const { payload, payload_schema, action } = replaced[0] ?? task;
  const isSame = [task, asCreated(task, trail)].some(
    (one) => isSameRequest(one, body) || isSameRequest({ ...one, payload, payload_schema, action }, body),
  );
  const isMismatch = !isSame || !hasSameEntries(task.resume, body);
  return { record: recordOf(task), isMismatch };
}

/** Stores a task with an unused key. */
export function createTask(
  tasks: Tasks,
  { request, actions, policy, listing, routing, notify, resume }: Creation,
): TaskRecord {
  const now = tasks.timeline.now();
  const asked = toDocuments(request, actions, policy);
  const fallback = request.on_timeout?.response ?? null;
  if (fallback !== null) requireMayFallBack(fallback, asked, policy);
  const documents = {
    ...asked,
    on_timeout: fallback && JSON.stringify(fallback),
    resume: resume.length === 0 ? null : JSON.stringify(resume),
  };
  const rows = newTask(
    {
      body: request,
      documents,
      policy,
      listing,
      project: request.project ?? "default",
      placed: placedFor(request, notify),
    },
    askerOf(ADMIN),
    actorOf(ADMIN),
    { now, home: HOME },
    tasks.newId,
  );
  const routed = routeWithoutDirectory(routing, notify);
  const entry = routedEntry(rows, routed);
  const { assigned_to_user_id, assigned_to_email } = routed;
  const task: TaskWithDocuments = {
    ...rows.task,
    ...rows.documents,
    status: "created",
    redact_payload: rows.task.redact_payload === 1,
    verifier_result: null,
    assigned_to_user_id,
    assigned_to_email,
    audit_seq: entry === null ? 1 : 2,
    response: null,
    rejected_response: null,
    votes: [],
    // Their deliveries are never attempted.
    resumed: resume.map(() => ({ id: tasks.newId("dlv", now), status: "PENDING", meaning: null, last_error: null })),
  };
  const stored: Stored = {
    task,
    trail: [rows.audit],
    forget: endInTime(tasks, task),
    said: [],
    replaced: [],
    replied: [],
  };
  tasks.stored.set(task.id, stored);
  if (entry !== null) addEntry(tasks, stored, entry);
  // As in the service, the ids of deliveries are in what is read later.
  return recordOf({ ...task, resumed: [] });
}

/** Returns the steps of a request. They are shown, and do nothing: there is no one to remind. There are no templates. */
function placedFor({ escalation, timeout_seconds }: FormRequest, notify: readonly Destination[]): PlacedEscalation {
  const clockwork = WITHOUT_CALENDARS;
  if (Array.isArray(escalation))
    return { escalation: { by: "steps", template: null, steps: escalation.map(toStep) }, clockwork };
  return { escalation: defaultEscalation(isMailed(notify, CHANNELS), timeout_seconds), clockwork };
}

/** Ends a task at its deadline: with the answer that its request gives for that, or timed out. @returns a function that takes this back */
function endInTime(tasks: Tasks, { id, timeout_at, on_timeout, ...task }: TaskWithDocuments): () => void {
  return tasks.timeline.at(timeout_at, () => {
    const response = on_timeout === null ? null : fallbackOf(JSON.parse(on_timeout) as JsonObject, task);
    const event: TaskEvent = response === null ? { type: "timed_out" } : { type: "fallback", response };
    move(tasks, find(tasks, id), event, SYSTEM);
  });
}

/** @throws ServiceError TASK_NOT_FOUND */
export function getTask(tasks: Tasks, id: string): TaskRecord {
  return recordOf(find(tasks, id).task);
}

/** Returns null if the task has ended or is deleted. */
export function findOpenTask(tasks: Tasks, id: string): TaskRecord | null {
  const task = tasks.stored.get(id)?.task;
  return task === undefined || isTerminal(task.status) ? null : recordOf(task);
}

/** Returns the poll result of a task. @throws ServiceError TASK_NOT_FOUND */
export function getOutcome(tasks: Tasks, id: string): TaskOutcome {
  const { task, said } = find(tasks, id);
  const questions = isTerminal(task.status) ? [] : openQuestions(said);
  return JSON.parse(toPollResult({ ...task, questions })) as TaskOutcome;
}

/** Returns the trail of a task, oldest first. @throws ServiceError TASK_NOT_FOUND */
export function readTrail(tasks: Tasks, id: string): AuditEntry[] {
  const tombstone = tasks.tombstones.get(id);
  if (tombstone !== undefined) return tombstone.map((row) => toAuditRecord(row, null));
  const { task, trail } = find(tasks, id);
  return trail.map((row) => toAuditRecord(row, task));
}

/**
 * Accepts an answer. (spec: Complete a task)
 *
 * @param by - the answerer, for the trail
 * @param verdict - of the verifier, if the task has one
 * @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, VALIDATION_FAILED
 */
export function answerTask(
  tasks: Tasks,
  id: string,
  { version, ...answer }: GivenAnswer & { version: number | null },
  by: Actor,
  verdict = FINE,
): TaskRecord {
  const stored = find(tasks, id);
  const { task } = stored;
  if (isTerminal(task.status) || tasks.timeline.now() >= task.timeout_at)
    throw new ServiceError("TASK_ALREADY_TERMINAL");
  if (version !== null) requireVersion(task, version);
  requireFits(task.response_schema, answer.response, "/response", "assert");
  const given = { ...answer, response: answerToStore(task, answer.response, proposalOf(task)) };
  const event = eventOf(task, given, verdict);
  // The same person decided the same.
  if (event.type === "accepted" && event.ballot !== undefined && isRepeatedVote(event.ballot)) return recordOf(task);
  return move(tasks, stored, event, by);
}

/**
 * Returns the decision of one of several people. There is no directory: everyone counts, by their address, and for each group.
 * @throws ServiceError NEEDS_A_PERSON
 */
function ballotOf(task: TaskWithDocuments, { response, by }: GivenAnswer): Ballot | undefined {
  if (task.approvals === null) return undefined;
  if (by.email === null) throw new ServiceError("NEEDS_A_PERSON");
  const { round } = JSON.parse(task.approvals) as Standing;
  const policy = JSON.parse(task.approval_policy!) as Policy;
  const decision = stanceOf(response, proposalOf(task));
  const vote = {
    user_id: by.email,
    email: by.email,
    name: by.name,
    channel: by.channel,
    round: decision === "edit" ? round + 1 : round,
    decision,
    response: JSON.stringify(response),
    groups: policy.one_of_each.map((_, group) => group),
    withdrawn_at: null,
  };
  return { policy, votes: task.votes, vote, excluded: [], others: null };
}

function eventOf(task: TaskWithDocuments, answer: GivenAnswer, verdict: Verdict): AnswerEvent {
  const ballot = ballotOf(task, answer);
  if (!isVerified(task))
    return { type: "accepted", assigns: null, ...answer, verdict: null, ...(ballot && { ballot }) };
  const { status, verification_attempt, version } = task;
  const config = JSON.parse(task.verifier_config!) as JsonObject;
  return eventOfVerdict(answer, verdict, { status, verification_attempt, version }, attemptsOf(config));
}

/** Returns how many rejections end a task with this `verifier_config`. */
export function attemptsOf(verifier_config: JsonObject): number {
  return readVerifierConfig(verifier_config, []).max_attempts;
}

/** @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL */
export function cancelTask(tasks: Tasks, id: string, by: Actor, reason: string | null): TaskRecord {
  return move(tasks, find(tasks, id), { type: "cancelled", reason, email: by.email }, by);
}

/** @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, VALIDATION_FAILED */
export function extendTask(tasks: Tasks, id: string, by: Actor, timeout_seconds: number): TaskRecord {
  const stored = find(tasks, id);
  const { task } = stored;
  const timeout_at = task.created_at + timeout_seconds * 1000;
  const isOpen = !isTerminal(task.status) && tasks.timeline.now() < task.timeout_at;
  // A repeated request changes nothing.
  if (isOpen && timeout_at === task.timeout_at) return recordOf(task);
  const steps = movedLadder(task, { created_at: task.created_at, timeout_at }, WITHOUT_CALENDARS);
  const record = move(tasks, stored, { type: "extended", timeout_seconds, timeout_at, steps }, by);
  endAgain(tasks, stored);
  return record;
}

/** Moves the end of a task to its new deadline. */
export function endAgain(tasks: Tasks, stored: Stored): void {
  stored.forget();
  stored.forget = endInTime(tasks, stored.task);
}

/** Deletes a task; one entry of its trail stays. @throws ServiceError TASK_NOT_FOUND */
export function removeTask(tasks: Tasks, id: string): void {
  const { task, forget } = find(tasks, id);
  forget();
  tasks.stored.delete(id);
  tasks.tombstones.set(id, [rowOf(tasks, deletionEntry(task, actorOf(ADMIN), tasks.timeline.now()))]);
}

/** Adds an entry without a transition to the trail. Does nothing if the task is deleted. */
export function noteEntry(tasks: Tasks, id: string, action: string, extra: object): void {
  const stored = tasks.stored.get(id);
  if (stored === undefined) return;
  const entry = entryBeside(stored.task, { action, channel: null, extra }, tasks.timeline.now());
  stored.task = { ...stored.task, audit_seq: stored.task.audit_seq + 1 };
  addEntry(tasks, stored, entry);
}

/** @throws ServiceError TASK_NOT_FOUND */
export function find(tasks: Tasks, id: string): Stored {
  const found = tasks.stored.get(id);
  if (found === undefined) throw new ServiceError("TASK_NOT_FOUND");
  return found;
}

/** @param documents - what it asks now, if that changes */
export function move(
  tasks: Tasks,
  stored: Stored,
  event: TaskEvent,
  by: Actor,
  documents: Partial<TaskWithDocuments> = {},
): TaskRecord {
  const { after, audit, response } = decide(stored.task, event, by, tasks.timeline.now());
  const ballot = event.type === "accepted" ? event.ballot : undefined;
  const votes = ballot
    ? [...ballot.votes, { ...ballot.vote, seq: audit.seq, created_at: audit.created_at }]
    : stored.task.votes;
  stored.task = { ...stored.task, ...after, ...documents, response, votes };
  addEntry(tasks, stored, audit);
  if (isTerminal(after.status)) {
    stored.forget();
    tasks.onEnded(stored.task);
  }
  return recordOf(stored.task);
}

export function addEntry(tasks: Tasks, { trail }: Stored, entry: NewAuditEntry): void {
  trail.push(rowOf(tasks, entry));
}

function rowOf({ newId, timeline }: Tasks, entry: NewAuditEntry): AuditEntryRow {
  return { ...entry, home: HOME, id: newId("aud", timeline.now()), extra: entry.extra && JSON.stringify(entry.extra) };
}

export function recordOf(task: TaskWithDocuments): TaskRecord {
  return JSON.parse(toRecord(task, ADMIN)) as TaskRecord;
}
