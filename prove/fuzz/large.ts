import type { Random } from "../random.ts";
import { newTask } from "./fields.ts";
import { toText, type Json } from "./json-text.ts";
import { creation, type Exchange, type Surroundings } from "./requests.ts";

export const LARGE_KINDS = ["text", "escapes", "numbers", "keys", "rows", "branches"] as const;
/** Slightly less than the body limit. */
const CHARACTERS = 1_040_000;

/** Returns a creation whose body is nearly as long as the limit. */
export function largeExchange(
  random: Random,
  kind: (typeof LARGE_KINDS)[number],
  around: Surroundings,
  round: number,
): Exchange {
  const { fields } = newTask(random, `large-${around.seed}-${kind}-${round}-00000000`, around.receivers);
  // A payload of its own, and so no action.
  delete fields["action"];
  delete fields["actions"];
  // Only actions are approved by several people.
  delete fields["approvals"];
  fields["payload_schema"] = { members: [] };
  fields["response_schema"] = { members: [] };
  const room = CHARACTERS - toText({ members: Object.entries(fields) }).length;
  const repeated = (item: (i: number) => string): string[] =>
    Array.from({ length: Math.floor(room / item(100_000).length) }, (_, i) => item(i));
  const content: Record<(typeof LARGE_KINDS)[number], () => string> = {
    text: () => `"${"a".repeat(room - 20)}"`,
    escapes: () => `"${"\\u00e4".repeat(Math.floor(room / 6) - 5)}"`,
    numbers: () =>
      `[${repeated((i) => `${i},`)
        .join("")
        .slice(0, -1)}]`,
    keys: () =>
      `{${repeated((i) => `"k${i}":1,`)
        .join("")
        .slice(0, -1)}}`,
    rows: () =>
      `[${repeated((i) => `{"id":${i},"name":"n"},`)
        .join("")
        .slice(0, -1)}]`,
    branches: () =>
      `[${repeated(() => '[[[{"a":[]}]]],')
        .join("")
        .slice(0, -1)}]`,
  };
  fields["payload"] = { members: [["large", { raw: content[kind]() } satisfies Json]] };
  return creation(fields, around);
}
