/** What people and askers say about tasks in the model, and what a revision changes. (docs/conversation.md) */
import { PERSON, PERSON_EMAIL } from "./callers.ts";
import type { Concurrent } from "./contract.ts";
import { actorOf, move, NOTHING } from "./moves.ts";
import { moveSteps } from "./steps.ts";
import { commentRecord, record } from "./views.ts";
import {
  isAnswerable,
  versionOf,
  type Answer,
  type CommentAction,
  type ReviseAction,
  type Said,
  type Task,
  type World,
} from "./world.ts";

const REVISIONS_MAX = 20;
const INVALID = { status: 422, code: "VALIDATION_FAILED" } as const;
const CLOSED = { status: 409, code: "TASK_ALREADY_TERMINAL" } as const;
const REVISED = { status: 409, code: "TASK_REVISED" } as const;

/** Adds a comment or a question. What the asker says answers the questions that it has seen. */
export function comment(world: World, task: Task, { by, kind, text, replyTo, key }: CommentAction): Answer {
  const isAsker = by === task.asker;
  const question = task.said.find(({ name }) => name === `comment ${replyTo}`);
  if (text.trim() === "" || (isAsker && kind === "question")) return { ...INVALID };
  if (replyTo !== null && (!isAsker || question?.kind !== "question")) return { ...INVALID };
  const known = task.said.find((one) => one.kind !== "revision" && isRepeated(one, { by, key }));
  if (known !== undefined) return { status: 201, replayed: "true", body: commentRecord(task, known) };
  const seq = task.audit.length;
  const one: Said = {
    name: `comment ${world.commented++}`,
    by,
    kind,
    text,
    key,
    seq,
    answers: isAsker ? (question?.seq ?? seq) : null,
    version: null,
    at: world.now,
    isLate: !isAnswerable(world, task),
  };
  task.said.push(one);
  task.audit.push({
    ...NOTHING,
    ...actorOf(by),
    ...(by === PERSON && { email: PERSON_EMAIL, channel: "dashboard" }),
    action: kind === "question" ? "question_asked" : "commented",
    from: task.status,
    to: task.status,
    extra: { comment_id: one.name },
    at: world.now,
  });
  return { status: 201, replayed: "false", body: commentRecord(task, one) };
}

/** Changes what a task asks: its version is one more, and the questions before are answered. */
export function revise(
  world: World,
  task: Task,
  { by, amount, note, extend_seconds, version, key }: ReviseAction,
  { given, isRevised }: Pick<Concurrent, "given" | "isRevised">,
): Answer {
  const replay = (): Answer => ({ status: 200, replayed: "true", body: record(task, by) });
  const revisions = task.said.filter(({ kind }) => kind === "revision");
  if (revisions.some((one) => isRepeated(one, { by, key }))) return replay();
  if (typeof amount !== "number") return { ...INVALID };
  const text = note ?? "";
  const last = revisions.at(-1);
  // Without a key, the same revision as the last one is that one, sent again.
  if (key === null && last?.by === by && last.text === text && task.amounts.at(-1) === amount) return replay();
  const current = versionOf(task);
  if (version !== null && version > current) return { ...INVALID };
  if (version !== null && version < current) return { ...REVISED };
  if (version === null && isRevised && given.code === REVISED.code) return { ...REVISED };
  if (!isAnswerable(world, task)) return { ...CLOSED };
  if (current > REVISIONS_MAX) return { status: 409, code: "TOO_MANY_REVISIONS" };
  const previous_timeout_seconds = task.timeout_seconds;
  if (extend_seconds !== null) {
    task.timeout_seconds += extend_seconds;
    moveSteps(task);
  }
  const { timeout_seconds } = task;
  const seq = task.audit.length;
  const extra = {
    version: current + 1,
    ...(extend_seconds !== null && { timeout_seconds, previous_timeout_seconds }),
  };
  move(world, task, task.status, { ...NOTHING, ...actorOf(by), action: "revised", extra });
  task.amounts.push(amount);
  const said = { name: null, by, kind: "revision", text, key, seq, answers: seq } as const;
  task.said.push({ ...said, version: current + 1, at: world.now, isLate: false });
  return { status: 200, replayed: "false", body: record(task, by) };
}

function isRepeated(one: Said, { by, key }: Pick<Said, "by" | "key">): boolean {
  return key !== null && one.key === key && one.by === by;
}
