import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { actionTask } from "../../test/support/actions.ts";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { startTestService, type TestService } from "../../test/support/service.ts";
import type { Run, Suite } from "../suite.ts";
import {
  ask,
  decide,
  revise,
  takeBack,
  viewOf,
  type Answer,
  type Decision,
  type Rules,
  type Task,
  type View,
} from "./contract.ts";

export const approvals: Suite = {
  name: "approvals",
  promise:
    "decisions of several people in any order, and revisions of what they are asked, come to what the contract of approvals says, and hide what it hides",
  counts: { short: 16, long: 400, unit: "runs on each database" },
  run: async (run) => {
    for (const dialect of ["sqlite", "postgres"] as const) {
      const { service, stop } = await startTestService(dialect);
      try {
        const steps = await check(dialect, await people(service), run);
        run.say(`${dialect}: ${run.count} runs, ${steps} decisions`);
      } finally {
        await stop();
      }
    }
  },
};

const PEOPLE = [0, 1, 2, 3, 4];
/** Owns the agent that asks. */
const OWNER = 4;
const ASKED = 90;
const POOL = "desk";

type Call = TestService["call"];
interface Surroundings {
  admin: Call;
  agent: Call;
  calls: readonly Call[];
  ids: readonly string[];
  /** Lets a second pass: an agent asks only so often in a minute. */
  pass: () => void;
}

async function people(service: TestService): Promise<Surroundings> {
  const all = [];
  for (const _ of PEOPLE) all.push(await person(service, { pool: POOL }));
  const ids = all.map(({ user }) => user.id);
  const agent = await newAgent(service, { owner_user_id: ids[OWNER]! });
  return {
    admin: service.call,
    agent: agent.call,
    calls: all.map(({ call }) => call),
    ids,
    pass: () => service.clock.advance(1000),
  };
}

const rules: fc.Arbitrary<Rules> = fc.record({
  need: fc.integer({ min: 1, max: 4 }),
  veto: fc.constantFrom("any", "none"),
  blind: fc.boolean(),
  excludesOwner: fc.boolean(),
  excludesAnswerers: fc.boolean(),
});

interface Step {
  /** 0: the first task; 1: the one that may exclude its answerers. */
  about: 0 | 1;
  who: number;
  does: Decision | "take back" | "revise";
  amount: number;
  /** How many rounds before the present one the person saw; null: they do not say. */
  behind: number | null;
  /** The same for versions. */
  behindVersion: number | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  about: fc.constantFrom(0, 1),
  who: fc.constantFrom(...PEOPLE),
  does: fc.constantFrom(
    "approve",
    "approve",
    "approve",
    "edit",
    "reject",
    "respond",
    "take back",
    "take back",
    "revise",
  ),
  amount: fc.constantFrom(45, 50, ASKED),
  behind: fc.constantFrom(null, 0, 0, 0, 1),
  behindVersion: fc.constantFrom(null, 0, 0, 0, 1),
});

const runs = fc.record({
  first: rules.map((one) => ({ ...one, excludesAnswerers: false })),
  second: rules,
  before: fc.array(
    step.map((one) => ({ ...one, about: 0 as const })),
    { maxLength: 4 },
  ),
  after: fc.array(step, { minLength: 4, maxLength: 24, size: "max" }),
});

let keys = 0;

/** @throws Error with the shortest failing run, its seed and its path */
async function check(dialect: string, around: Surroundings, { seed, count }: Run): Promise<number> {
  let carriedOut = 0;
  const property = fc.asyncProperty(runs, async ({ first, second, before, after }) => {
    around.pass();
    const tasks = [await asked(around, first, null), null] as [Both | null, Both | null];
    for (const one of before) await perform(around, tasks, one);
    tasks[1] = await asked(around, second, tasks[0]);
    for (const one of after) await perform(around, tasks, one);
    carriedOut += before.length + after.length;
  });
  const found = await fc.check(property, { seed, numRuns: count });
  if (!found.failed) return carriedOut;
  const { message } = found.errorInstance as Error;
  throw new Error(`On ${dialect}, at the end of the run below:\n${message}\n${fc.defaultReportMessage(found) ?? ""}`);
}

/** A task of the model and its id in the service. */
interface Both {
  task: Task;
  id: string;
}

/** Asks the service and the model; null if both refuse. */
async function asked({ agent }: Surroundings, rules: Rules, other: Both | null): Promise<Both | null> {
  const { need, veto, blind } = rules;
  const exclude = [
    ...(rules.excludesOwner ? ["asker"] : []),
    ...(rules.excludesAnswerers && other !== null ? [`answered:${other.id}`] : []),
  ];
  const body = {
    ...actionTask(),
    approvals: { need, veto, blind, exclude, from: { pool: POOL } },
    idempotency_key: `approvals-${++keys}`,
  };
  const task = ask(rules, other?.task ?? null, PEOPLE, OWNER, ASKED);
  const { status, body: made, text } = await agent<TaskRecord>("POST", "/api/tasks", { body });
  assert.equal(status, task === null ? 422 : 201, text);
  return task === null ? null : { task, id: made.id };
}

async function perform(around: Surroundings, tasks: readonly (Both | null)[], step: Step): Promise<void> {
  const both = tasks[step.about];
  if (both == null) return;
  const { task, id } = both;
  const { who, does, amount, behind, behindVersion } = step;
  const call = around.calls[who]!;
  let expected: Answer;
  let given: Answer;
  if (does === "take back") {
    expected = takeBack(task, who);
    given = answerIn(await call("DELETE", `/api/tasks/${id}/approvals/me`));
  } else if (does === "revise") {
    const { action } = actionTask();
    const args = { amount, to: { name: "Mia" } };
    // The note makes it another revision, also where it asks for the same amount.
    const body = { action: { ...action, args }, note: `Revision ${task.version}` };
    expected = revise(task, amount);
    given = answerIn(await around.agent("POST", `/api/tasks/${id}/revise`, { body }));
  } else {
    const version = behindVersion === null ? null : Math.max(1, task.version - behindVersion);
    const round = behind === null ? null : Math.max(1, task.round - behind);
    const response = { decision: does, ...contentOf(does, amount) };
    expected = decide(task, who, { decision: does, amount, round, version });
    const body = { response, ...(round !== null && { round }), ...(version !== null && { version }) };
    given = answerIn(await call("POST", `/api/tasks/${id}/complete`, { body }));
  }
  assert.deepEqual(given, expected, `the answer to ${JSON.stringify(step)}`);
  for (const reader of [null, who, (who + 1) % PEOPLE.length])
    for (const one of tasks) if (one !== null) await compare(around, one, reader);
}

function contentOf(decision: Decision, amount: number): object {
  if (decision === "edit") return { args: { amount, to: { name: "Mia" } } };
  return decision === "approve" ? {} : { message: "No." };
}

function answerIn({ status, body }: { status: number; body: object }): Answer {
  return status < 400 ? { status } : { status, code: (body as { error_code: string }).error_code };
}

async function compare(around: Surroundings, { task, id }: Both, reader: number | null): Promise<void> {
  if (reader !== null && !task.candidates.includes(reader)) return;
  const call = reader === null ? around.admin : around.calls[reader]!;
  const { body, text } = await call<TaskRecord>("GET", `/api/tasks/${id}`);
  const inbox =
    reader === null ? null : (await call<{ id: string }[]>("GET", "/api/tasks?terminal=false&limit=100")).body;
  const { have, round, changed_by, decisions, refusal } = body.approvals!;
  const person = (user_id: string) => around.ids.indexOf(user_id);
  const shown: View = {
    isOpen: body.status === "created",
    end: (body.response?.["decision"] as Decision | undefined) ?? null,
    amount: body.payload["amount"] as number,
    have,
    version: body.version,
    round,
    changedBy: changed_by === null ? null : person(changed_by.user_id),
    decisions: decisions.map(({ by, decision }) => ({ who: person(by.user_id), decision })),
    isRefused: refusal !== null,
    isOffered: inbox?.some((one) => one.id === id) ?? null,
  };
  assert.deepEqual(shown, viewOf(task, reader), text);
}
