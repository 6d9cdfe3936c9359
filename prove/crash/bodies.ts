import { createRandom, type Random } from "../random.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { ADMIN, placeOf, projectsOf, type CallerName } from "./callers.ts";

/** The body of a creation as sent. It is not kept: number and version produce it again. */
export interface Body {
  text: string;
  asker: CallerName;
  /** Other askers use the same key. */
  idempotency_key: string;
  callback_url: string | null;
  /** Everything that the record must repeat, as one string. */
  imprint: string;
  redact_payload: boolean;
}

/** No key contains a backslash: after such a key, V8 confuses other keys with it (nodejs/node 63785). */
const KEYS = ["a", "Z", "10", "2", "-1", "01", "été", "鍵", "مفتاح", "🔑", "with space", "a.b", "toString", "", '"'];
const WORDS = [
  "x",
  "Grüße",
  "日本語",
  "👩‍👩‍👧‍👦",
  "עברית",
  "e\u0301",
  "\u2028",
  "\t\n",
  '"quoted"',
  "back\\slash",
  "</script>",
  "\u{10ffff}",
];
const NUMBERS = ["0", "-0", "1.0", "1e21", "1E-7", "0.1", "12345678901234567890", "-2.5e-300", "9007199254740993"];
/** Length of the longest text of a payload, and its share of all payloads. */
const SIZES: readonly (readonly [share: number, size: number])[] = [
  [0.7, 20],
  [0.2, 1500],
  [0.08, 8000],
  [0.02, 38_000],
];

/** Returns after how many seconds the steps of task `n` happen, while no one answers. */
export function stepsOf(n: number): readonly number[] {
  return n % 3 === 0 ? [1, 2, 4, 7] : [];
}

/** Returns the body that creates task `n`. Version 0 is the original; a confused client later sends the others. */
export function bodyOf(seed: number, n: number, version: number, receivers: readonly string[]): Body {
  const random = createRandom(seed, n);
  const payload = payloadText(random, version);
  const hasCallback = random.chance(0.6);
  const { keyNumber, asker } = placeOf(n);
  const named = random.chance(0.3) ? random.pick(projectsOf(asker)) : null;
  const fields = {
    ...(named !== null && { project: named }),
    task: `Task ${n}, version ${version}: ${random.pick(WORDS)}?`.trim(),
    payload_schema: {
      type: "object",
      title: random.pick(WORDS),
      ...(random.chance(0.5) && { additionalProperties: true }),
    },
    response_schema: {
      type: "object",
      properties: { call: { type: "integer" }, note: { type: "string" } },
      required: ["call"],
    },
    form_definition: random.chance(0.2) ? { "ui:order": ["note", "call"], "2": "second", "1": "first" } : null,
    // The shortest timeouts expire during the run.
    timeout_seconds: random.chance(0.06) ? 60 : 3600 + version,
    idempotency_key: keyOf(seed, keyNumber),
    assign_to: random.chance(0.3) ? { email: `person${n % 7}@example.com` } : null,
    notify: random.chance(0.1) ? ["email:someone@example.com", "slack:#approvals"] : null,
    verifier_config: null,
    ...(stepsOf(n).length > 0 && { escalation: stepsOf(n).map((after) => ({ after, do: "raise" })) }),
    redact_payload: random.chance(0.05),
    callback_url: hasCallback ? `${random.pick(receivers)}/${n}` : null,
  };
  return {
    text: `${JSON.stringify(fields).slice(0, -1)},"payload":${payload}}`,
    asker,
    idempotency_key: fields.idempotency_key,
    callback_url: fields.callback_url,
    redact_payload: fields.redact_payload,
    imprint: imprintOf({
      ...fields,
      payload: JSON.parse(payload) as JsonObject,
      project: named ?? projectsOf(asker)[0],
      asked_by: { kind: asker === ADMIN ? "admin" : "agent", name: asker },
    }),
  };
}

function keyOf(seed: number, keyNumber: number): string {
  return `crash-${keyNumber}-${createRandom(seed, -keyNumber).pick(["a", "é", "🔑", "10"])}`;
}

/** Returns the fields of a task that never change, in a fixed order of keys. */
export function imprintOf(task: JsonObject): string {
  const { kind, name } = task["asked_by"] as JsonObject;
  return JSON.stringify([
    task["project"],
    kind,
    name,
    task["idempotency_key"],
    task["task"],
    task["payload"],
    task["payload_schema"],
    task["response_schema"],
    task["form_definition"],
    task["timeout_seconds"],
    task["assign_to"],
    task["notify"],
    task["verifier_config"],
    task["redact_payload"],
    task["callback_url"],
  ]);
}

/** Returns text, because JavaScript would reorder the keys of an object. */
function payloadText(random: Random, version: number): string {
  const at = random.next();
  let sum = 0;
  const size = SIZES.find(([share]) => (sum += share) > at)?.[1] ?? 20;
  const entries = Array.from({ length: random.int(8) }, () => [random.pick(KEYS), valueText(random, 0)] as const);
  const word = random.pick(WORDS);
  const long = JSON.stringify(word.repeat(Math.ceil(random.int(size) / word.length)));
  const named = [...new Map([...entries, ["long", long], ["version", String(version)]] as const)];
  return `{${named.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(" ,")}}`;
}

function valueText(random: Random, depth: number): string {
  switch (random.int(depth > 2 ? 4 : 6)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
      return random.pick(["true", "false", "null"]);
    case 2:
    case 3:
      return JSON.stringify(random.pick(WORDS));
    case 4:
      return `[${Array.from({ length: random.int(4) }, () => valueText(random, depth + 1)).join(",")}]`;
    default:
      return `{${[...new Set(Array.from({ length: random.int(4) }, () => random.pick(KEYS)))]
        .map((key) => `${JSON.stringify(key)}:${valueText(random, depth + 1)}`)
        .join(",")}}`;
  }
}
