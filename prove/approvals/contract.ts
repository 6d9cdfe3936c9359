/** The contract of approvals by several people, as simply as it can be written. People are numbers. */

export interface Rules {
  need: number;
  veto: "any" | "none";
  blind: boolean;
  /** Whether the owner of the agent that asks is excluded, and everyone who has decided the other task. */
  excludesOwner: boolean;
  excludesAnswerers: boolean;
}

export type Decision = "approve" | "edit" | "reject" | "respond";

interface Vote {
  who: number;
  decision: Decision;
}

export interface Task {
  rules: Rules;
  other: Task | null;
  owner: number;
  /** Whom it was offered to. */
  candidates: readonly number[];
  isOpen: boolean;
  /** One more with each revision of the asker. */
  version: number;
  round: number;
  /** Those that count, by round, in their order. */
  votes: Map<number, Vote[]>;
  /** Who changed the arguments for a round. */
  authors: Map<number, number>;
  /** The amount that is up for approval. */
  amount: number;
  /** The amount that the current version asks for. */
  asked: number;
  /** What people agreed to. */
  end: Decision | null;
}

/** What a call answers: a status, and a code where it is refused. */
export type Answer = { status: number; code?: string };

const OK: Answer = { status: 200 };
const isFor = ({ decision }: Vote): boolean => decision === "approve" || decision === "edit";

/** Returns a new task; null if fewer people may decide than must approve. */
export function ask(
  rules: Rules,
  other: Task | null,
  all: readonly number[],
  owner: number,
  asked: number,
): Task | null {
  const made = {
    rules,
    other,
    owner,
    isOpen: true,
    version: 1,
    round: 1,
    amount: asked,
    asked,
    end: null,
    candidates: all,
  };
  const task: Task = { ...made, votes: new Map(), authors: new Map() };
  const candidates = all.filter((who) => !isExcluded(task, who));
  return candidates.length < rules.need ? null : { ...task, candidates };
}

/** Returns whether people must not know what others decided. */
export function isHidden({ rules, isOpen }: Task): boolean {
  return rules.blind && isOpen;
}

/** Returns whether somebody's decision does not count because of who they are. */
function isExcluded({ rules, owner, other }: Task, who: number): boolean {
  if (rules.excludesOwner && who === owner) return true;
  if (!rules.excludesAnswerers || other === null || isHidden(other)) return false;
  return [...other.votes.values()].flat().some((vote) => vote.who === who);
}

/** Returns whether nobody can decide, because it is hidden who decides the other task. */
function isSuspended({ rules, other }: Task): boolean {
  return rules.excludesAnswerers && other !== null && isHidden(other);
}

export function isRefused(task: Task, who: number): boolean {
  return isExcluded(task, who) || isSuspended(task);
}

export function votesIn({ votes }: Task, round: number): Vote[] {
  return votes.get(round) ?? [];
}

/** @param amount - of an edit @param round, version - those that the person saw; null: any */
export function decide(
  task: Task,
  who: number,
  {
    decision,
    amount,
    round,
    version,
  }: Pick<Vote, "decision"> & { amount: number } & Record<"round" | "version", number | null>,
): Answer {
  if (isExcluded(task, who)) return { status: 403, code: "EXCLUDED" };
  if (!task.candidates.includes(who)) return { status: 403, code: "FORBIDDEN" };
  if (isSuspended(task)) return { status: 403, code: "EXCLUDED" };
  if (!task.isOpen) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
  if (version !== null && version < task.version) return { status: 409, code: "TASK_REVISED" };
  const isEdit = decision === "edit" && amount !== task.amount;
  const stance = decision === "edit" && !isEdit ? "approve" : decision;
  const own = votesIn(task, task.round).find((vote) => vote.who === who);
  const isRepeated =
    !isEdit && own !== undefined && (isFor(own) ? isFor({ who, decision: stance }) : own.decision === stance);
  if (isRepeated) return OK;
  if (round !== null && round !== task.round) return { status: 409, code: "TASK_CHANGED" };
  if (isEdit) {
    task.round++;
    task.authors.set(task.round, who);
    task.amount = amount;
  }
  vote(task, { who, decision: stance });
  return OK;
}

function vote(task: Task, cast: Vote): void {
  const { rules, round, candidates } = task;
  const others = votesIn(task, round).filter(({ who }) => who !== cast.who && !isExcluded(task, who));
  const votes = [...others, cast];
  task.votes.set(round, votes);
  const approving = votes.filter(isFor).length;
  const left = candidates.filter((who) => !isExcluded(task, who) && !votes.some((one) => one.who === who)).length;
  const isLost = approving < votes.length && (rules.veto === "any" || approving + left < rules.need);
  // An approval runs the action or waits: it never ends the task without it.
  const isEnd = isLost ? !isFor(cast) : approving >= rules.need;
  if (!isEnd) return;
  task.isOpen = false;
  task.end = isFor(cast) ? (task.amount === task.asked ? "approve" : "edit") : cast.decision;
}

/** The asker asks for another amount: approvals begin again, and everyone may decide again. */
export function revise(task: Task, amount: number): Answer {
  if (!task.isOpen) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
  task.version++;
  task.round++;
  task.amount = amount;
  task.asked = amount;
  return OK;
}

export function takeBack(task: Task, who: number): Answer {
  if (!task.candidates.includes(who)) return { status: 403, code: "FORBIDDEN" };
  if (!task.isOpen) return { status: 409, code: "TASK_ALREADY_TERMINAL" };
  const votes = votesIn(task, task.round);
  if (!votes.some((one) => one.who === who)) return { status: 404, code: "APPROVAL_NOT_FOUND" };
  task.votes.set(
    task.round,
    votes.filter((one) => one.who !== who && !isExcluded(task, one.who)),
  );
  return OK;
}

/** What a record shows. People are numbers. */
export interface View {
  isOpen: boolean;
  end: Decision | null;
  amount: number;
  have: number | null;
  version: number;
  round: number;
  changedBy: number | null;
  decisions: Vote[];
  isRefused: boolean;
  /** Whether it is in the inbox of the reader, who has not decided. null: the reader has no inbox. */
  isOffered: boolean | null;
}

/** @param have - as it was counted with the last decision @param reader - null: the admin token */
export function viewOf(task: Task, reader: number | null): View {
  const votes = votesIn(task, task.round);
  const hides = isHidden(task);
  return {
    isOpen: task.isOpen,
    end: task.end,
    amount: task.amount,
    have: hides ? null : votes.filter(isFor).length,
    version: task.version,
    round: task.round,
    changedBy: hides ? null : (task.authors.get(task.round) ?? null),
    decisions: hides ? votes.filter(({ who }) => who === reader) : votes,
    isRefused: task.isOpen && (reader === null || isRefused(task, reader)),
    isOffered: reader === null ? null : task.isOpen && !votes.some(({ who }) => who === reader),
  };
}
