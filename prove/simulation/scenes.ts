/** What people do about a task that asks them: they look at it, decide, change their minds, and are too late. */
import type { ErrorCode } from "../../src/errors.ts";
import { toRecord } from "../../src/tasks/record.ts";
import type { CompleteTaskBody, TaskRecord } from "../../src/tasks/schema.ts";
import { cancelTask, completeTask, extendTask, readTask } from "../../src/tasks/tasks.ts";
import { withdrawDecision } from "../../src/tasks/withdraw.ts";
import type { Random } from "../random.ts";
import { callerOf, EVERYONE, membersOf, type Surface } from "./people.ts";
import { argsOf, TWENTY, type PlannedTask, type Question } from "./plans.ts";
import type { Asked, Glimpse } from "./story.ts";
import type { ProcessContext } from "./world.ts";

const SECOND = 1_000;
const ADMIN = { kind: "admin" } as const;
const SURFACES: readonly Surface[] = ["dashboard", "email", "slack"];

/** What a request says. */
export type Said = Partial<Pick<Asked, "person" | "response" | "round" | "version" | "payload">>;
type Use<T> = (ctx: ProcessContext) => Promise<T>;

/** The means of a scene. */
export interface Stage {
  random: Random;
  time: { now(): number };
  wait(ms: number): Promise<void>;
  /** Starts a scene that runs by itself. */
  act(scene: () => Promise<void>): void;
  /** Makes one request; null: there was no answer. */
  ask<T>(use: Use<T>): Promise<{ value: T } | { code: ErrorCode } | null>;
  /** Makes a request until there is an answer. */
  insist(task: PlannedTask, action: Asked["action"], use: Use<unknown>, said?: Said): Promise<unknown>;
  glimpses: Glimpse[];
}

/** A task that exists. */
type Task = PlannedTask & { id: string; question: Question };

export function play(stage: Stage, task: Task): void {
  const { random, act } = stage;
  switch (task.question.kind) {
    case "crowd":
      act(() => crowd(stage, task));
      break;
    case "desk":
      // One of the crowd does not belong there.
      for (const number of [...membersOf({ pool: "desk" }), ...membersOf({ role: "finance" }).slice(0, 3), 1])
        if (random.chance(0.7)) act(() => voter(stage, task, number));
      break;
    case "one":
      for (let people = random.between(0, 6); people > 0; people--)
        act(() => answerer(stage, task, random.pick(EVERYONE)));
  }
  if (random.chance(0.3)) act(() => token(stage, task));
  if (random.chance(0.25)) act(() => extender(stage, task));
  if (random.chance(0.1)) act(() => canceller(stage, task));
}

/** Returns how long somebody waits before they act: any time until the deadline, soon, or close to the deadline. */
function waitFor({ random }: Stage, { timeout_seconds }: Task): number {
  const all = timeout_seconds * SECOND;
  const close = all + random.pick([-3_000, -300, -1, 0, 1, 20]);
  const soon = random.between(1, 30 * SECOND);
  return Math.max(1, random.pick([random.between(1, all), soon, soon, close]));
}

/** All twenty decide at one moment. Most of them approve. */
async function crowd(stage: Stage, task: Task): Promise<void> {
  const { random, act, wait } = stage;
  await wait(waitFor(stage, task));
  const others = random.chance(0.3) ? TWENTY.filter(() => random.chance(0.1)) : [];
  for (const number of TWENTY)
    act(async () => {
      await decide(stage, task, number, others.includes(number) ? drawAnswer(stage) : { decision: "approve" }, null);
      if (random.chance(0.1)) await takeBack(stage, task, number);
    });
}

/** Decides a few times, and often looks first. */
async function voter(stage: Stage, task: Task, number: number): Promise<void> {
  const { random, wait } = stage;
  for (let times = random.between(0, 4); times > 0; times--) {
    await wait(waitFor(stage, task));
    if (random.chance(0.2)) {
      await takeBack(stage, task, number);
      continue;
    }
    const round = random.chance(0.6) ? await lookAt(stage, task, number) : null;
    if (random.chance(0.3)) await wait(random.between(1, 60 * SECOND));
    await decide(stage, task, number, drawAnswer(stage), round);
  }
}

async function answerer(stage: Stage, task: Task, number: number): Promise<void> {
  await stage.wait(waitFor(stage, task));
  const response = { approved: true, note: `person ${number}, ${stage.random.between(0, 1_000_000)}` };
  await decide(stage, task, number, response, null);
}

/** The admin token, which does not count where several people must approve. */
async function token(stage: Stage, task: Task): Promise<void> {
  await stage.wait(waitFor(stage, task));
  const { rules } = task.question;
  const response = rules === null ? { approved: false, note: "token" } : { decision: "approve" };
  await stage.insist(task, "complete", (ctx) => completeTask(ctx, ADMIN, task.id, { response }), { response });
}

async function extender(stage: Stage, task: Task): Promise<void> {
  const { random, wait, insist } = stage;
  await wait(waitFor(stage, task));
  const timeout_seconds = Math.ceil(task.timeout_seconds * random.pick([0.5, 1.5, 2]));
  await insist(task, "extend", (ctx) => extendTask(ctx, ADMIN, task.id, timeout_seconds));
}

async function canceller(stage: Stage, task: Task): Promise<void> {
  await stage.wait(waitFor(stage, task));
  await stage.insist(task, "cancel", (ctx) => cancelTask(ctx, ADMIN, task.id, null));
}

function drawAnswer({ random }: Stage): object {
  const decision = random.pick(["approve", "approve", "approve", "approve", "edit", "edit", "reject", "respond"]);
  if (decision === "approve") return { decision };
  if (decision !== "edit") return { decision, message: "No." };
  return { decision, args: argsOf(random.between(1, 8_000) / 100) };
}

async function decide(
  { random, insist }: Stage,
  task: Task,
  person: number,
  response: object,
  round: number | null,
): Promise<void> {
  const caller = callerOf(person, random.pick(SURFACES), task.id);
  const body = { response, ...(round !== null && { round }) } as CompleteTaskBody;
  await insist(task, "complete", (ctx) => completeTask(ctx, caller, task.id, body), { person, response, round });
}

async function takeBack({ random, insist }: Stage, task: Task, person: number): Promise<void> {
  const caller = callerOf(person, random.pick(SURFACES), task.id);
  await insist(task, "withdraw", (ctx) => withdrawDecision(ctx, caller, task.id), { person });
}

/** Returns the round that a person sees; null if they get no answer, or may not look. */
async function lookAt({ ask, glimpses }: Stage, task: Task, person: number): Promise<number | null> {
  const caller = callerOf(person, "dashboard", task.id);
  const answer = await ask(async (ctx) => toRecord(await readTask(ctx, caller, task.id), caller));
  if (answer === null || !("value" in answer)) return null;
  const { status, approvals } = JSON.parse(answer.value) as TaskRecord;
  if (approvals === null) return null;
  glimpses.push({ task: task.number, person, status, approvals });
  return approvals.round;
}
