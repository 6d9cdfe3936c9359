import { fromStored, OWN_FIELDS, readActions, type Actions } from "../actions/request.ts";
import { readPolicy, type Policy } from "../approvals/policy.ts";
import { toStep, type Escalation, type Step } from "../escalation/ladder.ts";
import { isEqual } from "../../json-schema/equality.ts";
import type { AuditEntryRow } from "../db/schema.ts";
import { isJsonObject, parseJson, type JsonObject } from "../lib/json.ts";
import { PRIORITIES, trimmed } from "./labels.ts";
import { knownPersonOf } from "./new-task.ts";
import type { CreateTaskBody } from "./schema.ts";
import type { TaskWithDocuments } from "./store.ts";

/** Comparing is linear in the smaller of the two, and the body is bounded. */
const UNLIMITED = { left: Number.POSITIVE_INFINITY };

/**
 * Returns a task with the deadline that its creation asked for.
 * @param trail - its audit trail, oldest first
 */
export function asCreated<T extends { timeout_seconds: number }>(task: T, trail: readonly AuditEntryRow[]): T {
  for (const { action, extra } of trail) {
    if (!MOVES_DEADLINE.has(action)) continue;
    const { previous_timeout_seconds } = JSON.parse(extra!) as { previous_timeout_seconds?: number };
    if (previous_timeout_seconds !== undefined) return { ...task, timeout_seconds: previous_timeout_seconds };
  }
  return task;
}

const MOVES_DEADLINE: ReadonlySet<string> = new Set(["extended", "revised"]);

/** Returns whether a request equals the one that created the task. */
export function isSameRequest(task: TaskWithDocuments, request: JsonObject): boolean {
  const derived = derivedFrom(request);
  if (derived === "malformed") return false;
  // Without one, it is the same project as at the first request.
  const isSameProject = request["project"] == null || request["project"] === task.project;
  return isSameProject && isEqual(UNLIMITED, requestOf(task), comparedFields(request, derived));
}

/** Returns the request that created the task. */
function requestOf(task: TaskWithDocuments): JsonObject {
  const asked = {
    ...task,
    payload: parseJson(task.payload),
    payload_schema: parseJson(task.payload_schema),
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    assign_to: parseJson(task.assign_to),
    notify: parseJson(task.notify),
    callback_events: parseJson(task.callback_events),
    verifier_config: parseJson(task.verifier_config),
    on_behalf_of: parseJson(task.on_behalf_of),
    on_timeout: task.on_timeout === null ? null : { response: parseJson(task.on_timeout) },
    labels: parseJson(task.labels),
    priority: PRIORITIES[task.priority],
  };
  return comparedFields(asked, {
    actions: fromStored(task),
    policy: policyAsAsked(task),
    escalation: escalationAsAsked(task),
  });
}

/** Leaves out what the service added. */
function policyAsAsked({ approval_policy }: TaskWithDocuments): Policy | null {
  const policy = parseJson<Policy>(approval_policy);
  if (policy === null) return null;
  const { owner_user_id: _added, ...asked } = policy;
  return asked;
}

function escalationAsAsked({ escalation }: TaskWithDocuments): Derived["escalation"] {
  const stored = parseJson<Escalation>(escalation);
  if (stored === null || stored.by === "default") return null;
  return stored.template ?? stored.steps;
}

/** What is read from a request with its defaults, and null where it has none. */
interface Derived {
  actions: Actions | null;
  policy: Policy | null;
  /** The steps, or the name of a template; null: it says nothing. */
  escalation: readonly Step[] | string | null;
}

/** @param request - may be anything */
function derivedFrom(request: JsonObject): Derived | "malformed" {
  try {
    const { escalation } = request as Pick<CreateTaskBody, "escalation">;
    const steps = Array.isArray(escalation) ? escalation.map(toStep) : (escalation ?? null);
    return { actions: readActions(request), policy: readPolicy(request), escalation: steps };
  } catch {
    return "malformed";
  }
}

const COMPARED = [
  "task",
  "payload",
  "payload_schema",
  "response_schema",
  "form_definition",
  "timeout_seconds",
  "assign_to",
  "notify",
  "verifier_config",
  "redact_payload",
  "callback_url",
  "callback_events",
  "on_behalf_of",
  "on_timeout",
  "labels",
  "priority",
  "locale",
] as const satisfies (keyof CreateTaskBody)[];

/** Made from the actions, perhaps by an earlier release in other words. */
const MADE_FROM_ACTIONS: ReadonlySet<string> = new Set(OWN_FIELDS);

/** The fields by which two requests are compared; absent, null and default values are left out. */
function comparedFields(request: JsonObject, { actions, policy, escalation }: Derived): JsonObject {
  const fields = COMPARED.filter((name) => actions === null || !MADE_FROM_ACTIONS.has(name))
    .map((name) => [name, ownPart(request, name)] as const)
    .filter(([name, value]) => value != null && !isDefault(name, value));
  return {
    ...Object.fromEntries(fields),
    ...(actions !== null && { actions }),
    ...(policy !== null && { policy }),
    ...(escalation !== null && { escalation }),
  };
}

function isDefault(name: (typeof COMPARED)[number], value: unknown): boolean {
  switch (name) {
    case "redact_payload":
      return value === false;
    case "priority":
      return value === "normal";
    case "labels":
      return Array.isArray(value) && value.length === 0;
    default:
      return false;
  }
}

/** Returns a field of a request. Unknown members of what is in it are ignored, as in every body. */
function ownPart(request: JsonObject, name: (typeof COMPARED)[number]): unknown {
  if (name === "on_behalf_of") return personIn(request);
  const value = request[name];
  if (name === "labels") return Array.isArray(value) ? trimmed(value) : value;
  return name === "on_timeout" && isJsonObject(value) ? value["response"] : value;
}

function personIn({ on_behalf_of }: JsonObject): unknown {
  return isJsonObject(on_behalf_of) ? knownPersonOf(on_behalf_of) : on_behalf_of;
}
