import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../config.ts";
import type { Schema } from "../../json-schema/schema.ts";
import type { PatternHost } from "../../json-schema/pattern-worker-host.ts";
import type { Actions } from "../actions/request.ts";
import { readPolicy, type Policy } from "../approvals/policy.ts";
import { invalid } from "../errors.ts";
import type { JsonText } from "../lib/json.ts";
import { checkCallbackUrl } from "../outbound/outbound-url.ts";
import { readVerifierConfig } from "../verifier/config.ts";
import { requireFits, requireSchema, requireTakesObjects } from "./client-schemas.ts";
import { requireMayFallBack } from "./fallback.ts";
import { routingOf, type Routing } from "./assign-to.ts";
import { toDocuments } from "./new-task.ts";
import { factsOf } from "./facts.ts";
import { questionOf } from "./question.ts";
import { requireLocale } from "./locale.ts";
import { readListing, type Listing } from "./listing.ts";
import { readEscalation, type AskedEscalation } from "./steps.ts";
import type { Notifier } from "./notices.ts";
import { readNotify, type Destination } from "./notify.ts";
import { describedIn, readRequestForm, type FormRequest } from "./request-form.ts";
import type { CreateTaskBody } from "./schema.ts";
import type { TaskDocuments } from "./store.ts";

/** A checked request to create a task. */
export interface CheckedRequest {
  body: CreateTaskBody;
  /** The parts that are stored as JSON. */
  documents: TaskDocuments;
  recipients: Recipients | null;
  /** Who must approve; null: one person decides. */
  policy: Policy | null;
  listing: Listing;
  /** What happens while no one answers. */
  asked: AskedEscalation;
}

/** The people that a request names. */
export interface Recipients {
  routing: Routing | null;
  notify: readonly Destination[];
}

/** The context of the checks. */
export interface CheckContext {
  config: Config;
  schemas: PatternHost;
  notifier: Notifier;
}

/** Time for checking one request, per turn of the event loop; the next check waits for another turn. */
const CHECKING_MS = 5;
/**
 * Reads and checks a request. The result needs no further check.
 * @param body - matches the route's schema
 * @throws ServiceError VALIDATION_FAILED, APPROVALS_NEED_ACTION, RESPONSE_SCHEMA_NOT_OBJECT, VERIFIER_CONFIG_INVALID, VERIFIER_PROVIDER_UNKNOWN
 */
export async function readRequest(ctx: CheckContext, body: CreateTaskBody): Promise<CheckedRequest> {
  const { request, actions } = readRequestForm(body);
  const policy = readPolicy(body);
  const documents = toDocuments(request, actions, policy);
  const facts = request.redact_payload ? null : factsOf(request);
  const listing = readListing(request, { facts, question: questionOf(documents) });
  const { recipients, on_timeout } = await checkRequest(ctx, request, documents, actions, policy);
  const asked = readEscalation(body, recipients?.notify ?? [], ctx.notifier.channels);
  return { body, documents: { ...documents, on_timeout }, recipients, policy, listing, asked };
}

/**
 * Checks what the route's schema cannot express.
 * @returns the people it names, or null; and the answer that counts at the deadline
 */
export async function checkRequest(
  ctx: CheckContext,
  request: FormRequest,
  documents: TaskDocuments,
  actions: Actions | null,
  policy: Policy | null,
): Promise<{ recipients: Recipients | null; on_timeout: JsonText | null }> {
  // Each check of a hostile schema or payload is bounded, but all checks in one turn would add up.
  const started = performance.now();
  const isLong = () => performance.now() - started > CHECKING_MS;
  const described = describedIn(request, actions);
  const schemas: Schema[] = [];
  for (const { schema, path } of described) {
    const text = schema === request.payload_schema ? documents.payload_schema : JSON.stringify(schema);
    schemas.push(requireSchema(text, `${path}_schema`, schema));
    if (isLong()) await nextTurn();
  }
  // Together, the schemas of several actions may be too large.
  if (actions?.isList) requireSchema(documents.payload_schema, "/actions", request.payload_schema);
  const formPath = actions === null ? "/response_schema" : actions.isList ? "/actions" : "/action";
  const responseSchema = requireSchema(documents.response_schema, formPath, request.response_schema);
  requireTakesObjects(responseSchema);
  if (isLong()) await nextTurn();
  const routing = routingOf(request.assign_to ?? null, policy?.from ?? null);
  requireLocale(request.locale);
  const notify = request.notify == null ? [] : readNotify(request.notify, ctx.notifier.channels);
  if (request.verifier_config != null) readVerifierConfig(request.verifier_config, ctx.config.verifier.keyEnvs);
  if (request.callback_url != null) requireCallbackUrl(ctx, request.callback_url);
  else if (request.callback_events != null)
    throw invalid("/callback_events", "There is no `callback_url` that could receive them.");
  for (const [i, { value, path, formats }] of described.entries()) {
    await requireFits(ctx.schemas, schemas[i]!, value, path, formats);
    if (isLong()) await nextTurn();
  }
  const recipients = routing === null && notify.length === 0 ? null : { routing, notify };
  if (request.on_timeout == null) return { recipients, on_timeout: null };
  const { response } = request.on_timeout;
  await requireFits(ctx.schemas, responseSchema, response, "/on_timeout/response", "assert");
  requireMayFallBack(response, documents, policy);
  return { recipients, on_timeout: JSON.stringify(response) };
}

function requireCallbackUrl({ config }: CheckContext, url: string): void {
  if (config.payloadKey === null)
    throw invalid(
      "/callback_url",
      "Callbacks are off on this server: it has no key to sign them with (SERVICE_PAYLOAD_KEY).",
    );
  const problem = checkCallbackUrl(url, { allowPrivate: config.callbacks.allowPrivate });
  if (problem !== null) throw invalid("/callback_url", problem);
}
