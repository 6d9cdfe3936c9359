import { PYDANTIC_SCHEMA, ZOD_SCHEMA } from "../../json-schema/fixtures/samples.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import type { Random } from "../random.ts";
import type { Description } from "./description.ts";
import { anyJson, anyObject, fromValue, type Json } from "./json-text.ts";

/** Objects that earlier requests created, for use in later requests. */
export interface Known {
  /** Open according to the last answer, each with a valid response. */
  open: { id: string; response: Json }[];
  ended: string[];
  deliveries: string[];
  users: string[];
  serviceKeys: string[];
  agents: string[];
  /** Tokens of agents, each as `<agent>/tokens/<token>`. */
  agentTokens: string[];
  /** Slugs. */
  projects: string[];
  identities: string[];
  connections: string[];
  subscriptions: string[];
  cursors: string[];
  keys: string[];
  /** The body that created a task, by task id. */
  bodies: Map<string, Buffer>;
}

export interface Receivers {
  /** URLs that lead nowhere, or to a place that the service may call. */
  allowed: readonly string[];
  /** URLs that the service must never call, in many spellings. */
  blocked: readonly string[];
}

/**
 * @param port - of our listener on every address of this machine
 * @param localNames - names that resolve to this machine
 */
export function receiversAt(port: number, allowPrivate: boolean, localNames: readonly string[]): Receivers {
  const local = [
    `http://127.0.0.1:${port}/`,
    `http://127.1:${port}/hook?a=1#b`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.0.0.1:${port}/`,
    `http://0177.0.0.01:${port}/`,
    `http://localhost:${port}/a`,
    `http://a.localhost.:${port}/a`,
    `https://127.0.0.1:${port}/`,
    `http://127.0.0.1.:${port}/`,
    `http:///\\127.0.0.1:${port}/`,
    `http://①②⑦.0.0.1:${port}/`,
  ];
  // Never call a private network, even where it is allowed: real hosts may be there.
  const network = [
    "http://10.0.0.1/",
    "http://192.168.1.1:8080/",
    "http://172.16.0.1/",
    "http://100.64.0.1/",
    "http://[fd12::1]/",
    "http://[fec0::1]/",
    "http://[64:ff9b::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://198.18.0.1/",
  ];
  const never = [
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://0.0.0.0/",
    `http://0:${port}/`,
    "http://[::]/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[fe80::1]/",
    "http://[ff02::1]/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://user:password@receiver.invalid/",
    "ftp://receiver.invalid/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://",
    "receiver.invalid",
    "http://receiver.invalid:0/",
    "http://receiver.invalid:65536/",
    "http://re ceiver.invalid/",
    "http://receiver.invalid/\n",
    "",
  ];
  // The service checks names when it calls them: these resolve to this machine, or do not resolve.
  const names = [
    "https://receiver.invalid/hook",
    "http://RECEIVER.invalid.:8080/",
    "http://xn--bcher-kva.invalid/ä?ö#ü",
    ...localNames.map((name) => `http://${name}:${port}/`),
  ];
  return allowPrivate
    ? { allowed: [...names, ...local.slice(0, 8)], blocked: never }
    : { allowed: names, blocked: [...never, ...local, ...network] };
}

const anything: JsonObject = {};
const decision: JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean" }, note: { type: "string", maxLength: 200 } },
  required: ["approved"],
  additionalProperties: false,
};

/** Schemas, each with a valid value. */
const PAIRS: readonly { schema: JsonObject; value: JsonObject }[] = [
  { schema: decision, value: { approved: true } },
  { schema: decision, value: { approved: false, note: "Sorry \u{1f600}" } },
  { schema: { $schema: "http://json-schema.org/draft-07/schema#", ...decision }, value: { approved: true } },
  { schema: { type: "object", patternProperties: { "^(?=a)a+$": { type: "integer" } } }, value: { aaa: 1 } },
  {
    schema: { type: "object", properties: { when: { type: "string", format: "date" } } },
    value: { when: "2026-01-31" },
  },
  {
    schema: {
      $defs: {
        n: { anyOf: [{ $ref: "#/$defs/n2" }, { type: "null" }] },
        n2: { type: "object", properties: { n: { $ref: "#/$defs/n" } } },
      },
      $ref: "#/$defs/n2",
    },
    value: { n: { n: { n: null } } },
  },
  {
    schema: {
      type: "object",
      unevaluatedProperties: false,
      anyOf: [{ properties: { a: true } }, { properties: { b: true } }],
    },
    value: { a: 1, b: 2 },
  },
  ZOD_SCHEMA,
  PYDANTIC_SCHEMA,
];

type Fields = Record<string, Json>;

/** Returns the fields of a creation that must be accepted, and a response that completes it. */
export function newTask(random: Random, key: string, receivers: Receivers): { fields: Fields; response: Json } {
  const { form, response } = random.chance(0.25) ? newAction(random) : newForm(random);
  const fields: Fields = {
    task: random.pick([
      "Approve the refund?",
      "a",
      "😀 ".repeat(20),
      "x".repeat(10_000),
      "line\nline\ttab",
      "{{ }} <b>",
    ]),
    ...form,
    timeout_seconds: random.pick([60, 61, 3600, 2_592_000]),
    idempotency_key: key,
  };
  const maybe = (name: string, share: number, make: () => Json) => {
    // Beside approvals, these are refused.
    const isTaken = "approvals" in form && (name === "assign_to" || name === "verifier_config");
    if (random.chance(share) && !isTaken) fields[name] = random.chance(0.1) ? null : make();
  };
  maybe("assign_to", 0.3, () =>
    fromValue(
      random.pick<unknown>([
        { email: "dana@example.com" },
        { user_id: "usr_1" },
        { emails: ["a@b.c", "d@e.f"] },
        { role: "lead", accessLevel: "2" },
        { pool: "refunds" },
      ]),
    ),
  );
  maybe("notify", 0.3, () =>
    random.pick([[], ["email:dana@example.com"], ["slack:#approvals", "slack+T1:@dana", "email+id:a@b.c"]]),
  );
  maybe("verifier_config", 0.1, () =>
    fromValue({ provider: random.pick(["anthropic", "gemini", "azure"]), instructions: "Check it.", max_attempts: 2 }),
  );
  maybe("redact_payload", 0.3, () => random.chance(0.5));
  maybe("callback_url", 0.4, () => random.pick(receivers.allowed));
  return { fields, response };
}

function newForm(random: Random): { form: Fields; response: Json } {
  const answer = random.pick(PAIRS);
  const payload = random.chance(0.5) ? null : random.pick(PAIRS);
  const form: Fields = {
    payload: payload === null ? anyObject(random) : fromValue(payload.value),
    payload_schema: fromValue(
      payload === null ? random.pick([anything, { type: "object" }, { title: "T", default: 1 }]) : payload.schema,
    ),
    response_schema: fromValue(answer.schema),
  };
  if (random.chance(0.2)) form["form_definition"] = random.chance(0.1) ? null : anyObject(random);
  return { form, response: fromValue(answer.value) };
}

/** Hints for arguments of any schema. */
const UI_SCHEMAS = [
  null,
  {},
  { "ui:title": "😀", "ui:order": ["*"], amount: { "ui:widget": "currency", "ui:options": { currency: "/currency" } } },
  { "a/b": { "ui:widget": "diff", "ui:before": "/amount" }, rows: { items: { text: { "ui:widget": "code" } } } },
  { rows: { items: [{ "ui:enumNames": ["a"] }, { "ui:options": { unit: "kg" } }] } },
];

/** A question about one or several actions, in place of a form. */
function newAction(random: Random): { form: Fields; response: Json } {
  const one = () => {
    const { schema, value } = random.pick(PAIRS);
    const action = {
      name: random.pick(["refund", "😀", "a/b~c", "x".repeat(200)]),
      args: value,
      ...(random.chance(0.7) && { args_schema: schema }),
      ...(random.chance(0.3) && { ui_schema: random.pick(UI_SCHEMAS) }),
      ...(random.chance(0.3) && { description: "What it does." }),
      ...(random.chance(0.3) && { risk: random.pick(["normal", "high"]) }),
      ...(random.chance(0.3) && { message_required: ["reject"] }),
    };
    return random.pick([
      { action, decision: { decision: "approve" } },
      { action, decision: { decision: "reject", message: "No." } },
      {
        action: { ...action, allowed: ["edit", "approve", "reject"], editable: [""] },
        decision: { decision: "edit", args: value },
      },
    ]);
  };
  const approvals = random.chance(0.15) ? { approvals: fromValue(newApprovals(random)) } : {};
  if (random.chance(0.6)) {
    const { action, decision } = one();
    return { form: { action: fromValue(action), ...approvals }, response: fromValue(decision) };
  }
  const several = Array.from({ length: 2 + random.int(3) }, one);
  return {
    form: { actions: fromValue(several.map(({ action }) => action)), ...approvals },
    response: fromValue({ decisions: several.map(({ decision }) => decision) }),
  };
}

/** Who must approve. */
function newApprovals(random: Random): object {
  const group = () =>
    random.pick([{ role: "finance" }, { pool: "😀" }, { emails: ["a@example.com", "b@example.com"] }]);
  return {
    need: 1 + random.int(2),
    ...(random.chance(0.5) && { from: group(), veto: random.pick(["any", "none"]) }),
    ...(random.chance(0.3) && { exclude: random.pick([["asker"], ["asker", "on_behalf_of"], []]) }),
    ...(random.chance(0.3) && { one_of_each: [group()] }),
    ...(random.chance(0.3) && { blind: true }),
  };
}

/** Returns a value that matches a shape of the description, using the known ids for the field `name`. */
export function fitting(random: Random, description: Description, shape: JsonObject, known: Known, name = ""): Json {
  const own = FIELDS[name]?.(random, known);
  if (own !== undefined) return own;
  const schema = description.resolve(shape);
  if (Array.isArray(schema["enum"])) return fromValue(random.pick(schema["enum"]));
  const types = [schema["type"]].flat();
  if (types.includes("null") && random.chance(0.1)) return null;
  const limit = (keyword: string, otherwise: number) => (schema[keyword] as number | undefined) ?? otherwise;
  switch (types[0]) {
    case "integer":
    case "number": {
      const [least, most] = [limit("minimum", -1000), limit("maximum", 100_000)];
      return random.pick([least, most, least + random.int(most - least + 1)]);
    }
    case "boolean":
      return random.chance(0.5);
    case "string": {
      const [least, most] = [limit("minLength", 0), Math.min(limit("maxLength", 50), 300)];
      return "Refünd 😀 dana@example.com "
        .repeat(12)
        .slice(0, least + random.int(most - least + 1))
        .toWellFormed();
    }
    case "array":
      return Array.from({ length: random.int(4) }, () =>
        fitting(random, description, schema["items"] as JsonObject, known),
      );
    case "object": {
      const required = (schema["required"] ?? []) as string[];
      const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonObject>);
      if (properties.length === 0) return anyObject(random);
      return {
        members: properties
          .filter(([key]) => required.includes(key) || random.chance(0.4))
          .map(([key, member]) => [key, fitting(random, description, member, known, key)]),
      };
    }
    default:
      return anyJson(random);
  }
}

const FIELDS: Readonly<Record<string, (random: Random, known: Known) => Json | undefined>> = {
  completed_by_email: (random) => random.pick(["dana@example.com", null, "x"]),
  email: (random) => (random.chance(0.8) ? `person-${random.int(200)}@example.com` : undefined),
  cursor: (random, known) => (known.cursors.length > 0 && random.chance(0.8) ? random.pick(known.cursors) : undefined),
  task_id: (random, known) => (known.ended.length > 0 ? random.pick(known.ended) : undefined),
  ids: (random, known) =>
    Array.from({ length: random.int(4) }, () =>
      known.deliveries.length > 0 ? random.pick(known.deliveries) : "dlv_x",
    ),
  user_id: (random, known) => (known.users.length > 0 ? random.pick(known.users) : "usr_x"),
  slug: (random) => `project-${random.int(100_000)}`,
  projects: (random) => random.pick([null, ["default"]]),
  from: (random) => random.pick(["2026-01-05T09:00:00Z", "2026-01-05T09:00:00+02:00", "x"]),
  until: (random) => random.pick(["2999-01-05T09:00:00Z", "2999-01-05T09:00-05:00", "2026-01-05T09:00:00Z"]),
  delegate_user_id: (random, known) =>
    known.users.length > 0 && random.chance(0.8) ? random.pick(known.users) : random.pick([null, "usr_x"]),
  owner_user_id: (random, known) => (known.users.length > 0 && random.chance(0.5) ? random.pick(known.users) : null),
  // The name of an agent has few characters, and its project exists.
  name: (random) => (random.chance(0.8) ? `name-${random.int(100_000)}` : undefined),
  project: (random) => random.pick([null, "default"]),
  origin: (random) => random.pick(["https://receiver.invalid", "http://127.0.0.1:1", "unusable", "x"]),
  steps: (random) =>
    fromValue(
      random.pick([[{ after: 60, do: "raise" }], [{ after: { fraction: 0.5 }, do: "remind", calendar: "none" }]]),
    ),
  escalation: (random) =>
    fromValue(
      random.pick([
        "standard",
        "no-such-template",
        [],
        [{ after: 1, do: "remind" }],
        [{ after: { fraction: 0.5 }, do: "offer", to: { pool: "finance" } }],
        [{ after: 30, do: "assign", to: { email: "lee@example.com" } }],
        [{ after: 30, do: "notify", to: ["email:lee@example.com"] }],
      ]),
    ),
  labels: (random) =>
    fromValue(random.pick([["vip"], ["VIP", "to check 😀"], [], ["a,b"], ["x".repeat(51)], ["a", "A"], null])),
  language: (random) => random.pick(["de", "ja", "en", "DE", "xx", "constructor"]),
  time_zone: (random) => random.pick(["Europe/Berlin", "pacific/apia", "UTC", "+01:00", "Mars/Base"]),
  hours: (random) =>
    fromValue(random.pick([{ mon: [["09:00", "17:00"]] }, { sun: [["00:00", "24:00"]] }, { tue: [] }])),
  closed: (random) => fromValue(random.pick([[], ["2026-12-25"], ["2026-02-29"]])),
  // An email sender that never opens a connection.
  id: (random) => `identity-${random.int(12)}`,
  from_email: (random) => (random.chance(0.9) ? "tasks@example.com" : "x"),
  reply_to: (random) => random.pick(["desk@example.com", null]),
  to: (random) => (random.chance(0.9) ? "dana@example.com" : "x"),
  transport: (random) => random.pick(["file", "log"]),
  transport_config: (random) => fromValue({ dir: random.chance(0.9) ? "outbox" : ".." }),
  // Waiting is not tested here.
  timeout: () => 0,
};
