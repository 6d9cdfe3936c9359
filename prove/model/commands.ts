/** What a run of the model does: each command calls the service, and compares its answers with the contract. */
import type * as fc from "fast-check";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ADMIN, AGENT_NAMES, stoppedAnswer, type AgentName, type Caller, type Speaker } from "./callers.ts";
import { apply, attemptDue } from "./contract.ts";
import { agree, describe, explain, type Answered, type Known } from "./linearize.ts";
import { HOLD } from "./moves.ts";
import type { Given, Service } from "./service.ts";
import {
  deadlineOf,
  emptyWorld,
  versionOf,
  type Action,
  type Answer,
  type CompleteAction,
  type Task,
  type World,
} from "./world.ts";

/** A poll after the end of its task must be answered within this time; an unanswered poll waits for a minute. */
const WOKEN_MS = 20_000;

/** The `task` of a drawn call that names a task that was never created. */
export const NO_TASK = 99;

/**
 * A call as it was drawn, before it is known which tasks there are. `taskIn` takes the number in `task` modulo the number of
 * tasks created so far. `by: "asker"` is the caller that created this task.
 */
export type Drawn<A extends Action = Action> = A extends { by: Speaker } ? Omit<A, "by"> & { by: By<A> } : A;
type By<A extends { by: Speaker }> = A extends { task: number } ? A["by"] | "asker" : A["by"];

/** The state of a run so far. */
export interface Model {
  known: Known;
  /** Polls that wait for the end of a task. */
  waiting: Waiter[];
  stop: AbortController;
}

type Until = "end" | "attention";

interface Waiter {
  by: Caller;
  /** The name of the task. */
  name: string;
  until: Until;
  answer: Promise<Given>;
}

export type Command = fc.AsyncCommand<Model, Service>;

export async function begin(service: Service): Promise<Model> {
  const now = await service.reset();
  return { known: { world: emptyWorld(now), names: new Map() }, waiting: [], stop: new AbortController() };
}

/** One call, or several concurrent calls. */
export class Calls implements Command {
  readonly actions: readonly Drawn[];
  constructor(actions: readonly Drawn[]) {
    this.actions = actions;
  }
  check = () => true;
  async run(model: Model, service: Service): Promise<void> {
    const { known } = model;
    const actions = this.actions.map((action) => inWorld(known.world, action));
    const calls = await Promise.all(
      actions.map(async (action) => ({ action, given: await service.send(action, known.names) })),
    );
    const explained = explain(known, calls);
    if (explained.length === 0) throw new Error(notExplained(known, calls));
    model.known = calls.length === 1 ? explained[0]! : await whichOf(explained, calls, service);
    await hearWoken(model, calls);
  }
  toString = () => this.actions.map((action) => JSON.stringify(action)).join(" beside ");
}

function inWorld(world: World, drawn: Drawn): Action {
  if (!("task" in drawn)) return drawn;
  const task = taskIn(world, drawn.task);
  const there = world.tasks.find(({ name }) => name === `task ${task}`);
  return {
    ...drawn,
    by: callerIn(world, drawn.by, task),
    task,
    ...("version" in drawn && { version: versionIn(there, drawn.version) }),
    ...("replyTo" in drawn && { replyTo: commentIn(there, drawn.replyTo) }),
  } as Action;
}

/** Returns the version that a call names, which was drawn as a distance to the current one. */
function versionIn(task: Task | undefined, drawn: number | null): number | null {
  return drawn === null ? null : Math.max(1, (task ? versionOf(task) : 1) + drawn);
}

/** Returns the number of the comment that a call answers. Those of revisions have no name. */
function commentIn(task: Task | undefined, drawn: number | null): number | null {
  const names = (task?.said ?? []).flatMap(({ name }) => name ?? []);
  return drawn === null || names.length === 0 ? null : Number(names[drawn % names.length]!.split(" ")[1]);
}

/** Returns the number of a task that was created in this run, and may be deleted. -1 for `NO_TASK`, and before the first task. */
function taskIn({ named }: World, drawn: number): number {
  return drawn === NO_TASK || named === 0 ? -1 : drawn % named;
}

/** Returns who makes a drawn call. If its task does not exist, `asker` becomes the admin token. */
function callerIn<By extends Speaker>({ tasks }: World, drawn: By | "asker", task: number): By | Caller {
  return drawn === "asker" ? (tasks.find(({ name }) => name === `task ${task}`)?.asker ?? ADMIN) : drawn;
}

/** Several calls, one after another. */
export class InTurn implements Command {
  readonly actions: readonly Drawn[];
  constructor(actions: readonly Drawn[]) {
    this.actions = actions;
  }
  check = () => true;
  async run(model: Model, service: Service): Promise<void> {
    for (const action of this.actions) await new Calls([action]).run(model, service);
  }
  toString = () => this.actions.map((action) => JSON.stringify(action)).join(", then ");
}

/** Starts to wait for the end of a task, or until it needs attention. */
export class Wait implements Command {
  readonly by: Caller | "asker";
  readonly task: number;
  readonly until: Until;
  constructor(by: Caller | "asker", task: number, until: Until) {
    this.by = by;
    this.task = task;
    this.until = until;
  }
  check = ({ known }: Readonly<Model>) => taskIn(known.world, this.task) !== -1;
  async run(model: Model, service: Service): Promise<void> {
    const { world, names } = model.known;
    const task = taskIn(world, this.task);
    const name = `task ${task}`;
    const by = callerIn(world, this.by, task);
    const answer = service.wait(by, { id: names.get(name)!, until: this.until }, model.stop.signal);
    answer.catch(() => {}); // a failed run does not wait for it
    model.waiting.push({ by, name, until: this.until, answer });
    await hearWoken(model, []);
  }
  toString = () => `${this.by} waits for task ${this.task} until ${this.until}`;
}

/** Stops the agent that asked for a task, so that its tasks are cancelled and its polls end. */
export class StopAsker implements Command {
  readonly task: number;
  readonly cancelsTasks: boolean;
  constructor(task: number, cancelsTasks: boolean) {
    this.task = task;
    this.cancelsTasks = cancelsTasks;
  }
  check = ({ known }: Readonly<Model>) => this.askerIn(known.world) !== ADMIN;
  async run(model: Model, service: Service): Promise<void> {
    const agent = this.askerIn(model.known.world) as AgentName;
    await new Calls([{ type: "stop", by: ADMIN, agent, cancelsTasks: this.cancelsTasks }]).run(model, service);
  }
  toString = () => `the asker of task ${this.task} is stopped${this.cancelsTasks ? " with its tasks" : ""}`;
  private askerIn = (world: World) => callerIn(world, "asker", taskIn(world, this.task));
}

export class Advance implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  async run({ known }: Model, service: Service): Promise<void> {
    service.advance(this.ms);
    known.world.now += this.ms;
  }
  toString = () => `${this.ms} ms pass`;
}

/** Answers just before, at or after the deadline. */
export class AnswerAtDeadline implements Command {
  readonly offsetMs: number;
  readonly action: Drawn<CompleteAction>;
  constructor(offsetMs: number, action: Drawn<CompleteAction>) {
    this.offsetMs = offsetMs;
    this.action = action;
  }
  check = ({ known: { world } }: Readonly<Model>) => {
    const task = this.taskOf(world);
    return task !== undefined && deadlineOf(task) + this.offsetMs >= world.now;
  };
  async run(model: Model, service: Service): Promise<void> {
    const { world } = model.known;
    const at = deadlineOf(this.taskOf(world)!) + this.offsetMs;
    service.advance(at - world.now);
    world.now = at;
    await new Calls([this.action]).run(model, service);
  }
  toString = () => `${this.offsetMs} ms after the deadline ${JSON.stringify(this.action)}`;
  private taskOf = (world: World) => world.tasks.find(({ name }) => name === `task ${taskIn(world, this.action.task)}`);
}

/** Makes the due attempts. */
export class Deliver implements Command {
  check = () => true;
  async run({ known: { world, names } }: Model, service: Service): Promise<void> {
    service.advance(HOLD);
    world.now += HOLD;
    const expected = attemptDue(world, service.answerOf).map((sent) => realized(sent, names));
    // A receiver gets one callback at a time until it has answered.
    const sent = await service.deliver(expected.length + 1);
    const sorted = (all: readonly { hook: string }[]) => {
      const texts = all.map((one) => ({ text: JSON.stringify(one), isSilent: service.answerOf(one.hook) === null }));
      // When a kept connection ends without an answer, the same attempt is sent again on a new one.
      const silent = new Set(texts.filter(({ isSilent }) => isSilent).map(({ text }) => text));
      return [...silent, ...texts.filter(({ isSilent }) => !isSilent).map(({ text }) => text)].toSorted();
    };
    if (!isDeepStrictEqual(sorted(sent), sorted(expected)))
      throw new Error(`due were ${JSON.stringify(expected)}\n    sent were ${JSON.stringify(sent)}`);
  }
  toString = () => "due callbacks are sent";
}

export class AnswerWith implements Command {
  readonly hook: string;
  readonly status: number | null;
  constructor(hook: string, status: number | null) {
    this.hook = hook;
    this.status = status;
  }
  check = () => true;
  async run(_model: Model, service: Service): Promise<void> {
    service.answer(this.hook, this.status);
  }
  toString = () => `receiver ${this.hook} answers ${this.status ?? "nothing"} from now on`;
}

/** Checks that everything readable agrees at the end, and that no poll still waits. */
export async function finish(model: Model, service: Service): Promise<void> {
  const ask = (actions: Action[]) => new Calls(actions).run(model, service);
  const stopped = AGENT_NAMES.filter((name) => model.known.world.agents[name].stopped !== null);
  if (stopped.length > 0) await ask([{ type: "sweep stopped agents" }]);
  for (const agent of stopped) {
    await ask([{ type: "read agent", by: ADMIN, agent }]);
    await ask([{ type: "resume", by: ADMIN, agent }]);
  }
  for (const { name } of model.waiting)
    await ask([{ type: "cancel", by: ADMIN, task: Number(name.slice(5)), reason: null }]);
  for (let task = 0; task < model.known.world.named; task++) {
    for (const type of ["read", "poll", "audit", "deliveries"] as const) await ask([{ type, by: ADMIN, task }]);
    const hasSaid = model.known.world.tasks.some(({ name, said }) => name === `task ${task}` && said.length > 0);
    for (const type of hasSaid ? (["comments", "versions"] as const) : []) await ask([{ type, by: ADMIN, task }]);
    // One agent of each project; the lists below show all that each agent sees.
    for (const by of AGENT_NAMES.filter((_, i) => i % 2 === task % 2)) await ask([{ type: "read", by, task }]);
  }
  await ask([{ type: "list", by: ADMIN, filter: {}, limit: 2 }]);
  await ask([{ type: "list", by: ADMIN, filter: { sort: "deadline" }, limit: 3 }]);
  for (const by of AGENT_NAMES) await ask([{ type: "list", by, filter: {}, limit: 50 }]);
  await ask([{ type: "counts", by: ADMIN, project: null }]);
  await ask([{ type: "stats", by: ADMIN, days: 2, project: null }]);
}

/** Returns the one possible state that matches what the service now shows. */
async function whichOf(all: Known[], calls: readonly Answered[], service: Service): Promise<Known> {
  let left = all;
  const names = left[0]!.names;
  for (const action of readsAfter(calls, left[0]!.world.named)) {
    const given = await service.send(action, names);
    left = left.filter((one) => agree(apply(one.world, action), given, one.names) !== null);
    if (left.length === 0)
      throw new Error(
        `${describeCalls(calls, names)}\n  can be explained, but then ${JSON.stringify(action)} does not match: it gives ${JSON.stringify(given)}`,
      );
  }
  return left[0]!;
}

/** Returns the reads that show what these calls may have changed. */
function readsAfter(calls: readonly Answered[], tasks: number): Action[] {
  const by = ADMIN;
  const reads: Action[] = calls.flatMap(({ action }): Action[] => {
    if (action.type === "stop" || action.type === "resume") return [{ type: "read agent", by, agent: action.agent }];
    return action.type === "archive" ? [{ type: "read project", by, project: action.project }] : [];
  });
  for (let task = 0; task < tasks; task++)
    for (const type of ["read", "audit", "deliveries"] as const) reads.push({ type, by, task });
  for (const { action } of calls)
    if (action.type === "comment" || action.type === "revise")
      for (const type of ["comments", "versions"] as const) reads.push({ type, by, task: action.task });
  return reads;
}

/** Checks that every poll that must have ended is answered now: its task has ended, or its agent was stopped. */
async function hearWoken(model: Model, calls: readonly Answered[]): Promise<void> {
  const { world, names } = model.known;
  const stopped = calls.length > 1 ? stoppedBy(calls) : new Set<Caller>();
  for (const waiter of model.waiting.slice()) {
    const { by, name, until, answer } = waiter;
    // If a question was asked and answered at once, such a poll may have ended or may still wait.
    if (until === "attention" && calls.length > 1 && calls.some(({ action }) => action.type === "comment")) {
      model.waiting.splice(model.waiting.indexOf(waiter), 1);
      continue;
    }
    const poll = { type: "poll", by, task: Number(name.slice(5)) } as const;
    const expected = apply(structuredClone(world), poll);
    const isStopped = stopped.has(by);
    // If its agent was stopped and resumed at once, the poll may have ended or may still wait.
    if (
      expected.status === 200 &&
      isOpen(expected) &&
      !isStopped &&
      !(until === "attention" && needsAttention(expected))
    )
      continue;
    model.waiting.splice(model.waiting.indexOf(waiter), 1);
    if (isStopped && stoppedAnswer(world, by) === null) continue;
    const given = await Promise.race([answer, sleep(WOKEN_MS, null, { ref: false })]);
    if (given === null) throw new Error(`a poll of ${name} by ${by} was not answered; ${expected.status} was expected`);
    // If the task ended and was deleted at once, the poll may have read it after its end. The same holds if it ended and the
    // agent of the poll was stopped.
    const isBetween = (expected.status === 404 || isStopped) && given.status === 200 && !isOpen(given);
    if (!isBetween && agree(expected, given, names) === null)
      throw new Error(`a poll of ${name} by ${by}: ${describe(expected, given, names)}`);
  }
}

function stoppedBy(calls: readonly Answered[]): Set<Caller> {
  return new Set(calls.flatMap(({ action }): AgentName[] => (action.type === "stop" ? [action.agent] : [])));
}

function isOpen({ body }: Answer): boolean {
  const { status } = (body ?? {}) as { status?: string };
  return status === "created" || status === "rejected";
}

function needsAttention({ body }: Answer): boolean {
  return (body as { waiting_on?: string }).waiting_on === "agent";
}

/** Returns a callback as the receiver sees it. */
function realized({ hook, body }: { hook: string; body: object }, names: Known["names"]) {
  const { task_id } = body as { task_id: string };
  return { hook, body: { ...body, task_id: names.get(task_id) } };
}

function notExplained({ world, names }: Known, calls: readonly Answered[]): string {
  if (calls.length > 1) return `${describeCalls(calls, names)}\n  have no possible order`;
  const [{ action, given }] = calls as [Answered];
  const expected: Answer = apply(structuredClone(world), action);
  return `${JSON.stringify(action)}\n  ${describe(expected, given, names)}`;
}

function describeCalls(calls: readonly Answered[], names: Known["names"]): string {
  const nameOf = new Map([...names].map(([name, id]) => [id, name]));
  const text = calls.map(({ action, given }) => `  ${JSON.stringify(action)}\n    answered ${JSON.stringify(given)}`);
  return text.join("\n").replaceAll(/(?:tsk|cmt)_[0-9a-z]{26}/g, (id) => nameOf.get(id) ?? id);
}
