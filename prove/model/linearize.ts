import { isDeepStrictEqual } from "node:util";
import type { AgentName } from "./callers.ts";
import { apply } from "./contract.ts";
import type { Given, Names } from "./service.ts";
import { cancelTasksOf, tasksToCancel } from "./stopping.ts";
import type { Action, Answer, World } from "./world.ts";

/** A state, and the service's id of each task. */
export interface Known {
  world: World;
  names: Names;
}

/** A call, and the answer that it got. */
export interface Answered {
  action: Action;
  given: Given;
}

/** A stop has a second step, in transactions of its own: the tasks of the agent are cancelled. */
type Step = Answered | { cancelsTasksOf: AgentName };

/**
 * Explains concurrent calls: they must have answered as if they had run one after another, in some order.
 *
 * @returns the possible states after them, one for each order that explains every answer
 */
export function explain(known: Known, calls: readonly Answered[]): Known[] {
  const found: Known[] = [];
  const closing = closingOf(known.world, calls);
  const contended = contendedOf(calls);
  const go = (
    before: Known,
    rest: readonly Step[],
    { verdicts, revisions }: Record<"verdicts" | "revisions", ReadonlySet<number>>,
  ) => {
    if (rest.length === 0) {
      if (!found.some((other) => isDeepStrictEqual(other, before))) found.push(before);
      return;
    }
    for (const step of rest) {
      const others = rest.filter((other) => other !== step);
      if ("cancelsTasksOf" in step) {
        for (const world of cancelled(before.world, step.cancelsTasksOf, contended))
          go({ world, names: before.names }, others, { verdicts, revisions });
        continue;
      }
      const { action, given } = step;
      // An answer that came before may have changed the task while this one was judged.
      const isOvertaken = action.type === "complete" && verdicts.has(action.task);
      const isRevised = "task" in action && revisions.has(action.task);
      const world = structuredClone(before.world);
      const names = agree(apply(world, action, { given, isOvertaken, isRevised, closing }), given, before.names);
      if (names === null) continue;
      const isVerdict = action.type === "complete" && given.status === 200;
      const isRevision = action.type === "revise" && given.replayed === "false";
      const cancels = action.type === "stop" && action.cancelsTasks && given.status === 200;
      go({ world, names }, cancels ? [...others, { cancelsTasksOf: action.agent }] : others, {
        verdicts: isVerdict ? new Set([...verdicts, action.task]) : verdicts,
        revisions: isRevision ? new Set([...revisions, action.task]) : revisions,
      });
    }
  };
  go(known, calls, { verdicts: new Set(), revisions: new Set() });
  return found;
}

/**
 * Returns the agents that one of these calls stops, and the projects that one archives, unless they were stopped or archived
 * all the time.
 */
function closingOf({ agents, archived }: World, calls: readonly Answered[]): Set<string> {
  const closing = new Set<string>();
  const actions = calls.map(({ action }) => action);
  for (const action of calls.length === 1 ? [] : actions) {
    if (action.type === "stop") {
      const isResumed = actions.some((other) => other.type === "resume" && other.agent === action.agent);
      if (agents[action.agent].stopped === null || isResumed) closing.add(action.agent);
    } else if (action.type === "archive" && action.archived) {
      const { project } = action;
      const isBack = actions.some((other) => other.type === "archive" && !other.archived && other.project === project);
      if (archived[project] === undefined || isBack) closing.add(project);
    }
  }
  return closing;
}

const CHANGES: ReadonlySet<Action["type"]> = new Set(["complete", "cancel", "extend", "comment", "revise", "delete"]);

/** Returns the names of the tasks that these calls change. While such a task is locked, a stop leaves it to the sweep. */
function contendedOf(calls: readonly Answered[]): Set<string> {
  const changed = calls.flatMap(({ action }) => ("task" in action && CHANGES.has(action.type) ? [action.task] : []));
  return new Set(changed.map((task) => `task ${task}`));
}

/** Returns the possible states after the tasks of an agent were cancelled. */
function cancelled(before: World, agent: AgentName, contended: ReadonlySet<string>): World[] {
  const mayBeSkipped = tasksToCancel(before, agent).flatMap(({ name }) => (contended.has(name) ? [name] : []));
  let choices: string[][] = [[]];
  for (const name of mayBeSkipped) choices = choices.flatMap((skipped) => [skipped, [...skipped, name]]);
  return choices.map((skipped) => {
    const world = structuredClone(before);
    cancelTasksOf(world, agent, new Set(skipped));
    return world;
  });
}

/** Compares an answer with the expected one. @returns the names, with that of a new task or comment added; null if they differ */
export function agree(expected: Answer, given: Given, names: Names): Names | null {
  let known = names;
  if (given.status === 201 && expected.replayed === "false" && given.replayed === "false") {
    const { id } = given.body as { id: string };
    const name = (expected.body as { id: string }).id;
    if (!/^(?:tsk|cmt)_[0-9a-z]{26}$/.test(id) || [...names.values()].includes(id)) return null;
    known = new Map([...names, [name, id]]);
  }
  const { order: _, ...rest } = expected;
  const wanted = { ...rest, body: inOrder(expected, known) };
  const got = { ...given, body: named(given.body, known) };
  return isDeepStrictEqual(clean(got), clean(wanted)) ? known : null;
}

/** Returns both answers, for a reader to compare. */
export function describe(expected: Answer, given: Given, names: Names): string {
  return `expected ${JSON.stringify(expected)}\n     got ${JSON.stringify({ ...given, body: named(given.body, names) })}`;
}

type Ends = Record<"completed_at" | "timed_out_at" | "cancelled_at", string | null>;
type Sorted = Record<"id" | "created_at" | "updated_at" | "timeout_at", string> & Ends;

function endOf({ completed_at, timed_out_at, cancelled_at, updated_at }: Sorted): string {
  return completed_at ?? timed_out_at ?? cancelled_at ?? updated_at;
}

/** Sorts tasks with equal times by their ids, which grow with time. */
function inOrder({ body, order }: Answer, names: Names): unknown {
  if (order === undefined) return body;
  const rows = body as Sorted[];
  const newer = (a: string, b: string) => (names.get(a)! > names.get(b)! ? -1 : 1);
  if (order === "ended") return rows.toSorted((a, b) => (endOf(a) === endOf(b) ? newer(a.id, b.id) : 0));
  return order === "deadline"
    ? rows.toSorted((a, b) => (a.timeout_at === b.timeout_at ? newer(b.id, a.id) : 0))
    : rows.toSorted((a, b) => (a.created_at === b.created_at ? newer(a.id, b.id) : 0));
}

/** Removes the fields that the contract does not fix, and replaces ids and addresses with our names. */
function named(value: unknown, names: Names): unknown {
  const nameOf = new Map([...names].map(([name, id]) => [id, name]));
  const go = (part: unknown, key: string): unknown => {
    if (Array.isArray(part)) return part.map((one) => go(one, key));
    if (key === "body" && typeof part === "string") return go(JSON.parse(part), "");
    if ((key === "url" || key === "callback_url") && typeof part === "string") return part.split("/").at(-1);
    if (typeof part === "string") return nameOf.get(part) ?? part;
    if (typeof part !== "object" || part === null) return part;
    const kept = Object.entries(part).filter(([name, one]) => !isLeftOpen(name, one, part));
    return Object.fromEntries(kept.map(([name, one]) => [name, go(one, name)]));
  };
  return go(value, "");
}

const LEFT_OPEN = new Set(["delivery_id", "duration_ms", "error", "response_excerpt", "last_error", "request"]);

function isLeftOpen(name: string, value: unknown, owner: object): boolean {
  if (name === "id" && "kind" in owner && owner.kind === "revision") return true;
  if (name === "id") return typeof value === "string" && /^(aud|dlv)_/.test(value);
  if (name === "updated_at") return "url" in owner;
  return LEFT_OPEN.has(name);
}

/** Returns the value without undefined members, which JSON does not have. */
function clean(value: object): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
