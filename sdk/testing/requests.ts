import type { Actions } from "../../src/actions/request.ts";
import { readPolicy, type Policy } from "../../src/approvals/policy.ts";
import { notifiableEmail } from "../../src/channels/email/notifiable.ts";
import { notifiableSlack } from "../../src/channels/slack/notifiable.ts";
import { invalid, ServiceError } from "../../src/errors.ts";
import { readUrlForm } from "../../src/outbound/url-form.ts";
import type { StoredEntry } from "../../src/resume/entries.ts";
import { routingOf, type Routing } from "../../src/tasks/assign-to.ts";
import { requireSchema, requireTakesObjects } from "../../src/tasks/client-schemas.ts";
import { requireLocale } from "../../src/tasks/locale.ts";
import { readListing, type Listing } from "../../src/tasks/listing.ts";
import { readNotify, type Destination } from "../../src/tasks/notify.ts";
import { describedIn, readRequestForm, type FormRequest } from "../../src/tasks/request-form.ts";
import type { AddCommentBody } from "../../src/conversation/schema.ts";
import type {
  CancelTaskBody,
  CompleteTaskBody,
  CreateTaskBody,
  ExtendTaskBody,
  PollUntil,
  ReviseTaskBody,
} from "../../src/tasks/schema.ts";
import { readVerifierConfig } from "../../src/verifier/config.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { ListQuery } from "../shapes.ts";
import {
  ADD_COMMENT,
  CANCEL_TASK,
  COMPLETE_TASK,
  CREATE_TASK,
  EXTEND_TASK,
  LIST_TASKS,
  POLL_TASK,
  REVISE_TASK,
} from "./request-shapes.ts";
import { readEntries } from "./resume.ts";
import { requireFits, requireShape, shapeOf } from "./schemas.ts";

const CREATE = shapeOf(CREATE_TASK);
const BATCH = shapeOf({
  type: "object",
  properties: { tasks: { type: "array", minItems: 1, maxItems: 100 } },
  required: ["tasks"],
});
const COMPLETE = shapeOf(COMPLETE_TASK);
const CANCEL = shapeOf(CANCEL_TASK);
const EXTEND = shapeOf(EXTEND_TASK);
const COMMENT = shapeOf(ADD_COMMENT);
const { action, actions } = CREATE_TASK.properties;
const REVISE = shapeOf({ ...REVISE_TASK, properties: { ...REVISE_TASK.properties, action, actions } });
const LIST = shapeOf(LIST_TASKS);
const POLL = shapeOf(POLL_TASK);

/** The channels that `notify` may name, as in the service. */
export const CHANNELS = [notifiableEmail, notifiableSlack];

/** A valid request to create a task. */
export interface Creation {
  request: FormRequest;
  /** null if it has no actions. */
  actions: Actions | null;
  /** null if one person decides. */
  policy: Policy | null;
  listing: Listing;
  /** null if `assign_to` names no one. */
  routing: Routing | null;
  notify: readonly Destination[];
  /** What the service would resume when the task ends. */
  resume: readonly StoredEntry[];
}

/** Returns the bodies of a request for many tasks, which are not checked. @throws ServiceError MALFORMED_REQUEST */
export function readBatch(given: unknown): unknown[] {
  try {
    requireShape(BATCH, given, "");
  } catch (error) {
    const { details } = error as ServiceError;
    throw new ServiceError("MALFORMED_REQUEST", details && { details });
  }
  return (given as { tasks: unknown[] }).tasks;
}

/** Reads the body of a creation with an unused key. @throws ServiceError */
export function readCreation(given: unknown): Creation {
  requireShape(CREATE, given, "");
  const { request, actions } = readRequestForm(given as CreateTaskBody);
  requireForm(request, actions);
  const policy = readPolicy(request);
  const routing = routingOf(request.assign_to ?? null, policy?.from ?? null);
  requireLocale(request.locale);
  const notify = readNotify(request.notify ?? [], CHANNELS);
  if (request.verifier_config != null) readVerifierConfig(request.verifier_config, []);
  if (request.callback_url != null) requireCallbackUrl(request.callback_url);
  else if (request.callback_events != null)
    throw invalid("/callback_events", "There is no `callback_url` that could receive them.");
  const resume = readEntries(request.resume ?? []);
  return {
    request,
    actions,
    policy,
    listing: readListing(request, { facts: null, question: null }),
    routing,
    notify,
    resume,
  };
}

/** Checks the schemas, and the values that they describe. @throws ServiceError */
function requireForm(request: FormRequest, actions: Actions | null): void {
  for (const { value, schema, path, formats } of describedIn(request, actions))
    requireFits(JSON.stringify(schema), value, path, formats);
  const formPath = actions === null ? "/response_schema" : actions.isList ? "/actions" : "/action";
  requireTakesObjects(requireSchema(JSON.stringify(request.response_schema), formPath));
  if (request.on_timeout != null)
    requireFits(JSON.stringify(request.response_schema), request.on_timeout.response, "/on_timeout/response", "assert");
}

function requireCallbackUrl(text: string): void {
  const form = readUrlForm(text);
  if (!form.ok) throw invalid("/callback_url", form.message);
}

/** @throws ServiceError */
export function readCompletion(body: unknown): CompleteTaskBody {
  requireShape(COMPLETE, body, "");
  return body as CompleteTaskBody;
}

/** @returns the reason @throws ServiceError */
export function readCancellation(body: unknown): string | null {
  requireShape(CANCEL, body, "");
  return (body as CancelTaskBody).reason ?? null;
}

/** @returns the seconds @throws ServiceError */
export function readExtension(body: unknown): number {
  requireShape(EXTEND, body, "");
  return (body as ExtendTaskBody).timeout_seconds;
}

/** @throws ServiceError */
export function readComment(body: unknown): AddCommentBody {
  requireShape(COMMENT, body, "");
  return body as AddCommentBody;
}

/** @throws ServiceError */
export function readRevising(body: unknown): ReviseTaskBody {
  requireShape(REVISE, body, "");
  return body as ReviseTaskBody;
}

/** @throws ServiceError */
export function readList(query: URLSearchParams): ListQuery {
  const value = valuesIn(query, LIST_TASKS.properties);
  requireShape(LIST, value, "/query");
  return value;
}

/** @returns seconds, and what it waits for @throws ServiceError */
export function readPoll(query: URLSearchParams): { seconds: number; until: PollUntil } {
  const { timeout, until } = POLL_TASK.properties;
  const value: { timeout?: number; until?: PollUntil } = valuesIn(query, { timeout, until });
  requireShape(POLL, value, "/query");
  return { seconds: value.timeout ?? timeout.default, until: value.until ?? "end" };
}

/** Returns the values of a query. Everything in an address is text, so numbers and booleans are parsed. */
function valuesIn(query: URLSearchParams, properties: Readonly<Record<string, { type: string }>>): JsonObject {
  const values: JsonObject = {};
  for (const [name, { type }] of Object.entries(properties)) {
    const [text] = query.getAll(name);
    if (text === undefined) continue;
    if (type === "array") values[name] = query.getAll(name);
    else if (type === "integer") values[name] = /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    else if (type === "boolean") values[name] = { true: true, false: false }[text] ?? text;
    else values[name] = text;
  }
  return values;
}

/** @throws ServiceError MALFORMED_REQUEST */
export function parseBody(text: string, type: string | null): unknown {
  if (text === "") return {};
  if (!/^application\/json\b/i.test(type ?? ""))
    throw malformed("The body must be JSON: send the header `Content-Type: application/json`.");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}.`);
  }
}

function malformed(message: string): ServiceError {
  return new ServiceError("MALFORMED_REQUEST", { message });
}

/** Returns the key of a creation. The rest of the body may be invalid: a replay is answered anyway. */
export function keyIn(body: unknown): string | null {
  const key = isObject(body) ? body["idempotency_key"] : null;
  return typeof key === "string" ? key : null;
}
