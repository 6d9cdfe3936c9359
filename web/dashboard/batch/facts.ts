import { planPayload } from "../../../form/payload/payload.ts";
import type { PayloadInput } from "../../../form/payload/payload.ts";
import { factsByPointer } from "../../../form/payload/summary.ts";
import type { Fact } from "../../../form/payload/summary.ts";
import type { BatchTask } from "./tasks.ts";

/** Values of each payload that are compared. */
const COMPARED_MAX = 20;
/** Values that a row shows. */
const SHOWN_MAX = 4;

interface Facts {
  /** What is the same for all tasks. */
  readonly common: readonly Fact[];
  /** By the id of the task: its first values that another task does not have. */
  readonly differing: ReadonlyMap<string, readonly Fact[]>;
}

/** Returns what tells these tasks apart, and what is the same for all. Redacted payloads have no facts. */
export function factsOf(tasks: readonly BatchTask[], how: Pick<PayloadInput, "locale" | "time_zone" | "now">): Facts {
  const all = tasks.map((task) => ({ task, facts: readFacts(task, how) }));
  const [first, ...others] = all;
  if (first === undefined) return { common: [], differing: new Map() };
  const isCommon = (pointer: string): boolean =>
    others.length > 0 &&
    others.every(({ facts }) => {
      const [one, other] = [first.facts.get(pointer), facts.get(pointer)];
      return one !== undefined && one.text === other?.text && one.title === other.title;
    });
  const common = new Set([...first.facts.keys()].filter(isCommon));
  const differing = all.map(({ task, facts }) => {
    const own = [...facts].filter(([pointer]) => !common.has(pointer)).map(([, fact]) => fact);
    return [task.id, own.slice(0, SHOWN_MAX)] as const;
  });
  return { common: [...common].map((pointer) => first.facts.get(pointer)!), differing: new Map(differing) };
}

function readFacts(
  task: BatchTask,
  how: Pick<PayloadInput, "locale" | "time_zone" | "now">,
): ReadonlyMap<string, Fact> {
  const { payload, payload_schema, form_definition, redact_payload } = task;
  const input = { payload, payload_schema, hints: form_definition?.["payload"], redact: redact_payload };
  return factsByPointer(planPayload({ ...how, ...input, only_facts: true }), COMPARED_MAX);
}
