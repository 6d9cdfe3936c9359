import * as fc from "fast-check";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { apply, attemptDue, HOLD } from "./contract.ts";
import { agree, describe, explain, type Known } from "./linearize.ts";
import { FLAWS, type Flaw, type Request } from "./requests.ts";
import type { Given, Service } from "./service.ts";
import { deadlineOf, emptyWorld, type Action, type Answer, type ListFilter } from "./world.ts";

/** A poll after the end of its task must be answered within this time; an unanswered poll waits for a minute. */
const WOKEN_MS = 20_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The state of a run so far. */
export interface Model {
  known: Known;
  /** Polls that wait for the end of a task. */
  waiting: { name: string; answer: Promise<Given> }[];
  stop: AbortController;
}

type Command = fc.AsyncCommand<Model, Service>;

export async function begin(service: Service): Promise<Model> {
  const now = await service.reset();
  return { known: { world: emptyWorld(now), names: new Map() }, waiting: [], stop: new AbortController() };
}

// --- Commands ------------------------------------------------------------------------------------------------------

/** One call, or several concurrent calls. */
class Calls implements Command {
  readonly actions: readonly Action[];
  constructor(actions: readonly Action[]) {
    this.actions = actions;
  }
  check = () => true;
  async run(model: Model, service: Service): Promise<void> {
    const { known } = model;
    // A task that does not exist yet has no name, even when one is created at the same time.
    const actions = this.actions.map((action) =>
      "task" in action && action.task >= known.world.named ? { ...action, task: -1 } : action,
    );
    const calls = await Promise.all(
      actions.map(async (action) => ({ action, given: await service.send(action, known.names) })),
    );
    const explained = explain(known, calls);
    if (explained.length === 0) throw new Error(notExplained(known, calls));
    model.known = calls.length === 1 ? explained[0]! : await whichOf(explained, calls, service);
    await hearWoken(model);
  }
  toString = () => this.actions.map((action) => JSON.stringify(action)).join(" beside ");
}

/** Starts to wait for the end of a task. */
class Wait implements Command {
  readonly task: number;
  constructor(task: number) {
    this.task = task;
  }
  check = ({ known }: Readonly<Model>) => this.task < known.world.named;
  async run(model: Model, service: Service): Promise<void> {
    const name = `task ${this.task}`;
    const answer = service.wait(model.known.names.get(name)!, model.stop.signal);
    answer.catch(() => {}); // a failed run does not wait for it
    model.waiting.push({ name, answer });
    await hearWoken(model);
  }
  toString = () => `wait for task ${this.task}`;
}

class Advance implements Command {
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
class AnswerAtDeadline implements Command {
  readonly offsetMs: number;
  readonly action: Extract<Action, { type: "complete" }>;
  constructor(offsetMs: number, action: Extract<Action, { type: "complete" }>) {
    this.offsetMs = offsetMs;
    this.action = action;
  }
  check = ({ known: { world } }: Readonly<Model>) =>
    world.tasks.some((one) => this.isMeant(one) && deadlineOf(one) + this.offsetMs >= world.now);
  async run(model: Model, service: Service): Promise<void> {
    const { world } = model.known;
    const at = deadlineOf(world.tasks.find((one) => this.isMeant(one))!) + this.offsetMs;
    service.advance(at - world.now);
    world.now = at;
    await new Calls([this.action]).run(model, service);
  }
  toString = () => `${this.offsetMs} ms after the deadline ${JSON.stringify(this.action)}`;
  private isMeant = ({ name }: { name: string }) => name === `task ${this.action.task}`;
}

/** Makes the due attempts. */
class Deliver implements Command {
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

class AnswerWith implements Command {
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
  for (const { name } of model.waiting) await ask([{ type: "cancel", task: Number(name.slice(5)), reason: null }]);
  for (let task = 0; task < model.known.world.named; task++)
    for (const type of ["read", "poll", "audit", "deliveries"] as const) await ask([{ type, task }]);
  await ask([{ type: "list", filter: {}, limit: 2 }]);
  await ask([{ type: "list", filter: { sort: "deadline" }, limit: 3 }]);
  await ask([{ type: "counts" }]);
  await ask([{ type: "stats", days: 2 }]);
}

/** Returns the one possible state that matches what the service now shows. */
async function whichOf(
  all: Known[],
  calls: readonly { action: Action; given: Given }[],
  service: Service,
): Promise<Known> {
  let left = all;
  const names = left[0]!.names;
  for (let task = 0; task < names.size; task++) {
    for (const type of ["read", "audit", "deliveries"] as const) {
      const given = await service.send({ type, task }, names);
      left = left.filter((one) => agree(apply(one.world, { type, task }), given, one.names) !== null);
      if (left.length === 0)
        throw new Error(
          `${describeCalls(calls, names)}\n  can be explained, but then task ${task} does not match: ${type} gives ${JSON.stringify(given)}`,
        );
    }
  }
  return left[0]!;
}

/** Checks that every poll of an ended task is answered now. */
async function hearWoken(model: Model): Promise<void> {
  const { world, names } = model.known;
  for (const waiter of model.waiting.slice()) {
    const { name, answer } = waiter;
    const expected = apply(structuredClone(world), { type: "poll", task: Number(name.slice(5)) });
    const isGone = expected.status === 404;
    const { status } = (expected.body ?? {}) as { status?: string };
    if (!isGone && (status === "created" || status === "rejected")) continue;
    model.waiting.splice(model.waiting.indexOf(waiter), 1);
    const given = await Promise.race([answer, sleep(WOKEN_MS, null, { ref: false })]);
    if (given === null) throw new Error(`a poll of ${name} was not woken`);
    // If the task ended and was deleted at once, the poll may have read it in between.
    const isBetween = isGone && given.status === 200;
    if (!isBetween && agree(expected, given, names) === null)
      throw new Error(`a poll of ${name}: ${describe(expected, given, names)}`);
  }
}

/** Returns a callback as the receiver sees it. */
function realized({ hook, body }: { hook: string; body: object }, names: Known["names"]) {
  const { task_id } = body as { task_id: string };
  return { hook, body: { ...body, task_id: names.get(task_id) } };
}

function notExplained({ world, names }: Known, calls: readonly { action: Action; given: Given }[]): string {
  if (calls.length > 1) return `${describeCalls(calls, names)}\n  have no possible order`;
  const [{ action, given }] = calls as [{ action: Action; given: Given }];
  const expected: Answer = apply(structuredClone(world), action);
  return `${JSON.stringify(action)}\n  ${describe(expected, given, names)}`;
}

function describeCalls(calls: readonly { action: Action; given: Given }[], names: Known["names"]): string {
  const nameOf = new Map([...names].map(([name, id]) => [id, name]));
  const text = calls.map(({ action, given }) => `  ${JSON.stringify(action)}\n    answered ${JSON.stringify(given)}`);
  return text.join("\n").replaceAll(/tsk_[0-9a-z]{26}/g, (id) => nameOf.get(id) ?? id);
}

// --- Generated calls -------------------------------------------------------------------------------------------------

const task = fc.nat(3);
const requests: fc.Arbitrary<Request> = fc.record({
  task: fc.constantFrom("Approve the refund", "Ship 50% now", "ship_it"),
  timeout_seconds: fc.constantFrom(60, 61, 3_600, 5_400, 259_200),
  email: fc.constantFrom(null, null, "dana@example.com"),
  redact: fc.constantFrom(false, false, true),
  hook: fc.constantFrom(null, "a", "b"),
  verifier: fc.constantFrom(null, null, 1, 2),
  flaw: fc.oneof(
    { arbitrary: fc.constant(null), weight: 9 },
    { arbitrary: fc.constantFrom(...(Object.keys(FLAWS) as Flaw[])), weight: 1 },
  ),
});
const create = fc
  .record({ key: fc.constantFrom("k1", "k2", "k3", "k4"), request: requests })
  .map((fields): Action => ({ type: "create", ...fields }));
const complete = fc
  .record({
    task,
    approved: fc.constantFrom<boolean | string>(true, true, false, "yes"),
    email: fc.constantFrom(null, "kim@example.com"),
    channel: fc.constantFrom(null, "slack", "email"),
  })
  .map((fields): Extract<Action, { type: "complete" }> => ({ type: "complete", ...fields }));
const cancel = fc
  .record({ task, reason: fc.constantFrom(null, "not needed") })
  .map((fields): Action => ({ type: "cancel", ...fields }));
const extend = fc
  .record({ task, timeout_seconds: fc.constantFrom(60, 3_600, 7_200) })
  .map((fields): Action => ({ type: "extend", ...fields }));
const filters: fc.Arbitrary<ListFilter> = fc.record(
  {
    status: fc.uniqueArray(
      fc.constantFrom("created", "rejected", "completed", "timed_out", "cancelled", "verification_exhausted"),
      { minLength: 1, maxLength: 3 },
    ),
    terminal: fc.boolean(),
    unassigned: fc.boolean(),
    assigned_to: fc.constantFrom("dana@example.com", "Dana@Example.com", "kim@example.com"),
    q: fc.constantFrom("refund", "SHIP", "50%", "_", "nothing"),
    sort: fc.constant("deadline" as const),
  },
  { requiredKeys: [] },
);
const list = fc
  .record({ filter: filters, limit: fc.constantFrom(1, 2, 50) })
  .map((fields): Action => ({ type: "list", ...fields }));
const reading = fc.oneof(
  fc.record({ type: fc.constantFrom("read", "poll", "audit", "deliveries"), task }) as fc.Arbitrary<Action>,
  list,
  fc.constant<Action>({ type: "counts" }),
  fc.constantFrom(1, 3, 30).map((days): Action => ({ type: "stats", days })),
);
const removing = task.map((one): Action => ({ type: "delete", task: one }));
const redelivering = fc.oneof(
  task.map((one): Action => ({ type: "redeliver", task: one })),
  fc
    .constantFrom("PENDING", "SUCCEEDED", "FAILED", "ABANDONED")
    .map((status): Action => ({ type: "redeliver all", status })),
);
const timeOut = fc.constant<Action>({ type: "time out" });
/** Concurrent calls: everything that changes tasks, and a read of one of them. */
const atOnce = fc.oneof(
  { arbitrary: create, weight: 4 },
  { arbitrary: complete, weight: 5 },
  { arbitrary: cancel, weight: 3 },
  { arbitrary: extend, weight: 2 },
  { arbitrary: removing, weight: 1 },
  { arbitrary: timeOut, weight: 1 },
  {
    arbitrary: fc.record({ type: fc.constantFrom("read", "poll", "audit"), task }),
    weight: 2,
  },
);
/** Several answers to one task. */
const rivals = fc
  .tuple(
    task,
    fc.array(fc.oneof({ arbitrary: complete, weight: 4 }, { arbitrary: cancel, weight: 1 }), {
      minLength: 2,
      maxLength: 4,
    }),
  )
  .map(([number, actions]) => new Calls(actions.map((action) => ({ ...action, task: number }))));
const one = (actions: fc.Arbitrary<Action>) => actions.map((action) => new Calls([action]));

export const commands: fc.Arbitrary<Iterable<Command>> = fc.commands(
  [
    one(create),
    one(create),
    one(complete),
    one(fc.oneof(complete, cancel, extend)),
    one(reading),
    one(list),
    one(fc.oneof(redelivering, removing, timeOut)),
    fc.array(atOnce, { minLength: 2, maxLength: 6 }).map((actions) => new Calls(actions)),
    rivals,
    fc.tuple(fc.constantFrom(-1, 0, 0, 1), complete).map(([ms, action]) => new AnswerAtDeadline(ms, action)),
    task.map((number) => new Wait(number)),
    fc.constantFrom(1, 30_000, MINUTE, MINUTE - 1, HOUR, 4 * HOUR, DAY).map((ms) => new Advance(ms)),
    fc.constant(new Deliver()),
    fc
      .tuple(fc.constantFrom("a", "b"), fc.constantFrom(204, 302, 500, 500, null))
      .map(([hook, status]) => new AnswerWith(hook, status)),
  ],
  { maxCommands: 40, size: "max" },
);
