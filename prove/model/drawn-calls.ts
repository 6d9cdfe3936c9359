/** The calls that the runs of the model draw. */
import * as fc from "fast-check";
import { ADMIN, AGENT_NAMES, PERSON, PROJECTS, type Caller, type Speaker } from "./callers.ts";
import {
  Advance,
  AnswerAtDeadline,
  AnswerWith,
  Calls,
  Deliver,
  InTurn,
  NO_TASK,
  StopAsker,
  Wait,
  type Command,
  type Drawn,
} from "./commands.ts";
import { FLAWS, type Flaw, type Request } from "./requests.ts";
import type { StepRequest } from "./steps.ts";
import type { CompleteAction, ListFilter, ReviseAction } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Few keys, so that equal keys of different askers are frequent. */
const KEYS = ["k1", "k2", "k3"];

const BUSY = ["refund-bot", "ship-bot"] as const;

const task = fc.oneof({ arbitrary: fc.nat(11), weight: 19 }, { arbitrary: fc.constant(NO_TASK), weight: 1 });
/** One agent of each project calls more often, so that it has several tasks when it is stopped. */
const agent = fc.constantFrom(...AGENT_NAMES, ...BUSY, ...BUSY);
const project = fc.constantFrom(...PROJECTS);
const anyProject = fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, { arbitrary: project, weight: 1 });
const caller: fc.Arbitrary<Caller> = fc.oneof(
  { arbitrary: fc.constant(ADMIN), weight: 2 },
  { arbitrary: agent, weight: 3 },
);
/** The caller of a call about a task. Most of these callers are allowed to make it. */
const callerOfTask: fc.Arbitrary<Caller | "asker"> = fc.oneof(
  { arbitrary: fc.constant(ADMIN), weight: 4 },
  { arbitrary: fc.constant("asker" as const), weight: 3 },
  { arbitrary: agent, weight: 3 },
);
/** The caller of a call that only operators may make. One in ten is an agent, which is refused. */
const operator: fc.Arbitrary<Caller> = fc.oneof(
  { arbitrary: fc.constant(ADMIN), weight: 9 },
  { arbitrary: agent, weight: 1 },
);
const step: fc.Arbitrary<StepRequest> = fc
  .tuple(
    fc.constantFrom(1, 30, 59, { fraction: 0.5 }, { fraction: 0.999 }),
    fc.constantFrom<{ do: "raise" | "remind" } | { do: "assign"; to: { email: string } }>(
      { do: "raise" },
      { do: "remind" },
      { do: "assign", to: { email: "kim@example.com" } },
    ),
  )
  .map(([after, what]) => ({ after, ...what }));
const requests: fc.Arbitrary<Request> = fc.record({
  project: fc.oneof(
    { arbitrary: fc.constant(null), weight: 12 },
    { arbitrary: project, weight: 4 },
    { arbitrary: fc.constant("nowhere" as const), weight: 1 },
  ),
  task: fc.constantFrom("Approve the refund", "Ship 50% now", "ship_it"),
  timeout_seconds: fc.constantFrom(60, 61, 3_600, 5_400, 259_200),
  email: fc.constantFrom(null, null, "dana@example.com"),
  redact: fc.constantFrom(false, false, true),
  hook: fc.constantFrom(null, "a", "b"),
  verifier: fc.constantFrom(null, null, 1, 2),
  steps: fc.oneof(
    { arbitrary: fc.constant(null), weight: 2 },
    { arbitrary: fc.array(step, { maxLength: 3 }), weight: 1 },
  ),
  fallback: fc.constantFrom(null, null, true, false),
  labels: fc.constantFrom([], [], ["VIP"], ["vip", "to check"]),
  priority: fc.constantFrom(null, null, "low", "high", "urgent"),
  locale: fc.constantFrom(null, null, "de", "ar-EG"),
  flaw: fc.oneof(
    { arbitrary: fc.constant(null), weight: 9 },
    { arbitrary: fc.constantFrom(...(Object.keys(FLAWS) as Flaw[])), weight: 1 },
  ),
});
/** As a distance to the current version. Most callers name the one that they have seen, or none. */
const version = fc.constantFrom(null, null, null, 0, 0, 0, -1, 1);
const create = fc
  .record({ by: caller, key: fc.constantFrom(...KEYS), request: requests })
  .map((fields): Drawn => ({ type: "create", ...fields }));
const complete = fc
  .record({
    by: callerOfTask,
    task,
    approved: fc.constantFrom<boolean | string>(true, true, false, "yes"),
    email: fc.constantFrom(null, "kim@example.com"),
    channel: fc.constantFrom(null, "slack", "email"),
    version,
  })
  .map((fields): Drawn<CompleteAction> => ({ type: "complete", ...fields }));
const speaker: fc.Arbitrary<Speaker | "asker"> = fc.oneof(
  { arbitrary: callerOfTask, weight: 2 },
  { arbitrary: fc.constant(PERSON), weight: 1 },
);
const sayKey = fc.constantFrom(null, null, "s1", "s2");
const comment = fc
  .record({
    by: speaker,
    task,
    kind: fc.constantFrom("comment", "question", "question"),
    text: fc.constantFrom("Which card?", "4242.", "Fine. ✓", " "),
    replyTo: fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, { arbitrary: fc.nat(5), weight: 1 }),
    key: sayKey,
  })
  // The asker answers, and does not ask.
  .map(({ kind, ...fields }): Drawn => ({
    type: "comment",
    ...fields,
    kind: fields.by === "asker" ? "comment" : kind,
  }));
const revise = fc
  .record({
    by: callerOfTask,
    task,
    amount: fc.constantFrom<number | string>(10, 10, 20, 30, "much"),
    note: fc.constantFrom(null, null, "Less."),
    extend_seconds: fc.constantFrom(null, null, 60, 3_600),
    version,
    key: sayKey,
  })
  .map((fields): Drawn<ReviseAction> => ({ type: "revise", ...fields }));
/** A question, and what its asker does about it. */
const talk = fc.tuple(comment, fc.oneof(comment, revise), complete, task).map(([question, reply, answer, number]) => {
  const asked = { ...question, by: PERSON, kind: "question" } as Drawn;
  const replied = { ...reply, by: "asker", ...(reply.type === "comment" && { kind: "comment" }) } as Drawn;
  return new InTurn([asked, replied, answer].map((action) => ({ ...action, task: number })));
});
const revisions = fc.tuple(revise, fc.constantFrom(1, 1, 1, 2, 2, 3, 3, 21)).map(([revision, count]) => {
  const by = revision.by === ADMIN ? ADMIN : ("asker" as const);
  return new InTurn(
    Array.from({ length: count }, (_, i) => ({ ...revision, by, key: null, amount: i + 1, version: 0 })),
  );
});
const cancel = fc
  .record({ by: callerOfTask, task, reason: fc.constantFrom(null, "not needed") })
  .map((fields): Drawn => ({ type: "cancel", ...fields }));
const extend = fc
  .record({ by: callerOfTask, task, timeout_seconds: fc.constantFrom(60, 3_600, 7_200) })
  .map((fields): Drawn => ({ type: "extend", ...fields }));
const filters: fc.Arbitrary<ListFilter> = fc.record(
  {
    status: fc.uniqueArray(
      fc.constantFrom("created", "rejected", "completed", "timed_out", "cancelled", "verification_exhausted"),
      { minLength: 1, maxLength: 3 },
    ),
    terminal: fc.boolean(),
    unassigned: fc.boolean(),
    assigned_to: fc.constantFrom("dana@example.com", "Dana@Example.com", "kim@example.com"),
    q: fc.constantFrom(
      "refund",
      "bot",
      "SHIP",
      "50%",
      "_",
      "nothing",
      "now ship",
      "12.5",
      "check",
      "is:urgent",
      "label:vip is:open",
    ),
    label: fc.constantFrom(["vip"], ["VIP", "to check"]),
    priority: fc.constantFrom("normal", "high", "urgent"),
    sort: fc.constantFrom("deadline" as const, "ended" as const),
    decision: fc.constantFrom("Yes" as const, "No" as const),
    project,
    agent: fc.oneof(agent, fc.constant("me" as const)),
    key: fc.constantFrom(...KEYS),
  },
  { requiredKeys: [] },
);
const list = fc
  .record({ by: caller, filter: filters, limit: fc.constantFrom(1, 2, 50) })
  .map((fields): Drawn => ({ type: "list", ...fields }));
const readingTask = fc
  .record({ type: fc.constantFrom("read", "poll", "audit", "comments", "versions"), by: callerOfTask, task })
  .map((fields) => fields as Drawn);
const reading = fc.oneof(
  readingTask,
  fc.record({ by: operator, task }).map((fields): Drawn => ({ type: "deliveries", ...fields })),
  list,
  fc.record({ by: caller, project: anyProject }).map((fields): Drawn => ({ type: "counts", ...fields })),
  fc
    .record({ by: operator, days: fc.constantFrom(1, 3, 30), project: anyProject })
    .map((fields): Drawn => ({ type: "stats", ...fields })),
  fc.record({ by: operator, agent }).map((fields): Drawn => ({ type: "read agent", ...fields })),
  fc.record({ by: caller, project }).map((fields): Drawn => ({ type: "read project", ...fields })),
);
const otherRoute = fc
  .record({ by: agent, task, route: fc.constantFrom("attempts", "claim", "release", "assign", "embed") })
  .map((fields): Drawn => ({ type: "other route", ...fields }));
const removing = fc.record({ by: operator, task }).map((fields): Drawn => ({ type: "delete", ...fields }));
const redelivering = fc.oneof(
  fc.record({ by: operator, task }).map((fields): Drawn => ({ type: "redeliver", ...fields })),
  fc
    .record({ by: operator, status: fc.constantFrom("PENDING", "SUCCEEDED", "FAILED", "ABANDONED") })
    .map((fields): Drawn => ({ type: "redeliver all", ...fields })),
);
const takeSteps = fc.constant<Drawn>({ type: "take steps" });
const timeOut = fc.constant<Drawn>({ type: "time out" });
const stop = fc
  .record({ by: operator, agent, cancelsTasks: fc.boolean() })
  .map((fields): Drawn => ({ type: "stop", ...fields }));
const resume = fc.record({ by: operator, agent }).map((fields): Drawn => ({ type: "resume", ...fields }));
const archive = fc
  .record({ by: operator, project, archived: fc.boolean() })
  .map((fields): Drawn => ({ type: "archive", ...fields }));
const sweepStopped = fc.constant<Drawn>({ type: "sweep stopped agents" });
/** Concurrent calls: everything that changes tasks, and a read of one of them. */
const atOnce = fc.oneof(
  { arbitrary: create, weight: 4 },
  { arbitrary: complete, weight: 5 },
  { arbitrary: cancel, weight: 3 },
  { arbitrary: extend, weight: 2 },
  { arbitrary: comment, weight: 3 },
  { arbitrary: revise, weight: 3 },
  { arbitrary: removing, weight: 1 },
  { arbitrary: timeOut, weight: 1 },
  { arbitrary: readingTask, weight: 2 },
  { arbitrary: otherRoute, weight: 1 },
  { arbitrary: stop, weight: 3 },
  { arbitrary: resume, weight: 1 },
  { arbitrary: archive, weight: 1 },
);

/**
 * Keeps only the first of several equal calls that stop or resume one agent, or archive one project: no answer would show
 * which of them came last.
 */
function onceEach(actions: readonly Drawn[]): Drawn[] {
  const nameOf = (action: Drawn) => {
    if (action.type === "stop" || action.type === "resume") return `${action.type} ${action.agent}`;
    return action.type === "archive" ? `${action.type} ${action.project} ${action.archived}` : null;
  };
  return actions.filter((action, i) => {
    const name = nameOf(action);
    return name === null || actions.findIndex((other) => nameOf(other) === name) === i;
  });
}

/** Several answers to one task, and revisions of it. */
const rivals = fc
  .tuple(
    task,
    fc.array(
      fc.oneof(
        { arbitrary: complete, weight: 4 },
        { arbitrary: revise, weight: 3 },
        { arbitrary: cancel, weight: 1 },
        { arbitrary: comment, weight: 1 },
      ),
      { minLength: 2, maxLength: 4 },
    ),
  )
  .map(([number, actions]) => new Calls(actions.map((action) => ({ ...action, task: number }))));
const one = (actions: fc.Arbitrary<Drawn>) => actions.map((action) => new Calls([action]));

export const commands: fc.Arbitrary<Iterable<Command>> = fc.commands(
  [
    one(create),
    one(create),
    one(create),
    one(create),
    one(complete),
    one(fc.oneof(complete, cancel, extend)),
    one(fc.oneof(comment, revise)),
    talk,
    revisions,
    one(reading),
    one(list),
    one(otherRoute),
    one(fc.oneof(redelivering, removing, timeOut)),
    one(takeSteps),
    fc.tuple(task, fc.boolean()).map(([number, cancelsTasks]) => new StopAsker(number, cancelsTasks)),
    one(fc.oneof(stop, sweepStopped, archive)),
    one(fc.oneof(resume, resume, archive)),
    fc.array(atOnce, { minLength: 2, maxLength: 6 }).map((actions) => new Calls(onceEach(actions))),
    rivals,
    fc.tuple(fc.constantFrom(-1, 0, 0, 1), complete).map(([ms, action]) => new AnswerAtDeadline(ms, action)),
    fc
      .tuple(fc.oneof(callerOfTask, fc.constant("asker" as const)), task, fc.constantFrom("end", "end", "attention"))
      .map(([by, number, until]) => new Wait(by, number, until)),
    fc.constantFrom(1, 30_000, MINUTE, MINUTE - 1, HOUR, 4 * HOUR, DAY).map((ms) => new Advance(ms)),
    fc.constant(new Deliver()),
    fc
      .tuple(fc.constantFrom("a", "b"), fc.constantFrom(204, 302, 500, 500, null))
      .map(([hook, status]) => new AnswerWith(hook, status)),
  ],
  { maxCommands: 40, size: "max" },
);
