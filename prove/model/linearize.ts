import { isDeepStrictEqual } from "node:util";
import { apply } from "./contract.ts";
import type { Action, Answer, World } from "./world.ts";
import type { Given, Names } from "./service.ts";

/** A state, and the service's id of each task. */
export interface Known {
  world: World;
  names: Names;
}

/**
 * Explains concurrent calls: they must have answered as if they had run one after another, in some order.
 *
 * @returns the possible states after them, one for each order that explains every answer
 */
export function explain(known: Known, calls: readonly { action: Action; given: Given }[]): Known[] {
  const found: Known[] = [];
  const go = (before: Known, rest: typeof calls, verdicts: ReadonlySet<number>) => {
    if (rest.length === 0) {
      if (!found.some((other) => isDeepStrictEqual(other, before))) found.push(before);
      return;
    }
    for (const call of rest) {
      const { action, given } = call;
      // A verdict can be overtaken only by another verdict.
      const isOvertaken = action.type === "complete" && verdicts.has(action.task);
      const world = structuredClone(before.world);
      const names = agree(apply(world, action, isOvertaken ? given : undefined), given, before.names);
      if (names === null) continue;
      const isVerdict = action.type === "complete" && given.status === 200;
      go(
        { world, names },
        rest.filter((other) => other !== call),
        isVerdict ? new Set([...verdicts, action.task]) : verdicts,
      );
    }
  };
  go(known, calls, new Set());
  return found;
}

/** Compares an answer with the expected one. @returns the names, with that of a new task added; null if they differ */
export function agree(expected: Answer, given: Given, names: Names): Names | null {
  let known = names;
  if (expected.replayed === "false" && given.replayed === "false") {
    const { id } = given.body as { id: string };
    const name = (expected.body as { id: string }).id;
    if (!/^tsk_[0-9a-z]{26}$/.test(id) || [...names.values()].includes(id)) return null;
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

/** Sorts tasks with equal times by their ids, which grow with time. */
function inOrder({ body, order }: Answer, names: Names): unknown {
  if (order === undefined) return body;
  const rows = body as { id: string; created_at: string; timeout_at: string }[];
  const newer = (a: string, b: string) => (names.get(a)! > names.get(b)! ? -1 : 1);
  return order === "deadline"
    ? rows.toSorted((a, b) => (a.timeout_at === b.timeout_at ? newer(b.id, a.id) : 0))
    : rows.toSorted((a, b) => (a.created_at === b.created_at ? newer(a.id, b.id) : 0));
}

/** Removes what the contract leaves to the service, and replaces ids and addresses with our names. */
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

const LEFT_OPEN = new Set(["delivery_id", "duration_ms", "error", "response_excerpt", "last_error"]);

function isLeftOpen(name: string, value: unknown, owner: object): boolean {
  if (name === "id") return typeof value === "string" && /^(aud|dlv)_/.test(value);
  if (name === "updated_at") return "url" in owner;
  return LEFT_OPEN.has(name);
}

/** Returns the value without undefined members, which JSON does not have. */
function clean(value: object): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
