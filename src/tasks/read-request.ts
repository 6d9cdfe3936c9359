import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../config.ts";
import type { PatternHost } from "../../json-schema/pattern-worker-host.ts";
import { toStored, type Actions } from "../actions/request.ts";
import { invalid } from "../errors.ts";
import { checkCallbackUrl } from "../outbound/outbound-url.ts";
import { readVerifierConfig } from "../verifier/config.ts";
import { requireFits, requireSchema, requireTakesObjects } from "./client-schemas.ts";
import { parseAssignTo, type Routing } from "./assign-to.ts";
import { toDocuments } from "./new-task.ts";
import type { Notifier } from "./notices.ts";
import { readNotify, type Destination } from "./notify.ts";
import { readRequestForm, type FormRequest } from "./request-form.ts";
import type { CreateTaskBody } from "./schema.ts";
import type { TaskDocuments } from "./store.ts";

/** A checked request to create a task. */
export interface CheckedRequest {
  body: CreateTaskBody;
  /** The parts that are stored as JSON. */
  documents: TaskDocuments;
  recipients: Recipients | null;
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
 * @throws ServiceError VALIDATION_FAILED, RESPONSE_SCHEMA_NOT_OBJECT, VERIFIER_CONFIG_INVALID, VERIFIER_PROVIDER_UNKNOWN
 */
export async function readRequest(ctx: CheckContext, body: CreateTaskBody): Promise<CheckedRequest> {
  const { request, actions } = readRequestForm(body);
  const documents = toDocuments(request, actions && toStored(actions));
  return { body, documents, recipients: await checkRequest(ctx, request, documents, actions) };
}

/** Checks what the route's schema cannot express. @returns the people it names, or null */
async function checkRequest(
  ctx: CheckContext,
  request: FormRequest,
  documents: TaskDocuments,
  actions: Actions | null,
): Promise<Recipients | null> {
  // Each check of a hostile schema or payload is bounded, but all checks in one turn would add up.
  const started = performance.now();
  const isLong = () => performance.now() - started > CHECKING_MS;
  if (actions !== null) await checkActions(ctx, actions, isLong);
  const at = (name: string) => (actions === null ? `/${name}` : actions.isList ? "/actions" : "/action");
  const payloadSchema = requireSchema(documents.payload_schema, at("payload_schema"), request.payload_schema);
  if (isLong()) await nextTurn();
  requireTakesObjects(requireSchema(documents.response_schema, at("response_schema"), request.response_schema));
  if (isLong()) await nextTurn();
  const routing = request.assign_to == null ? null : parseAssignTo(request.assign_to);
  const notify = request.notify == null ? [] : readNotify(request.notify, ctx.notifier.channels);
  if (request.verifier_config != null) readVerifierConfig(request.verifier_config, ctx.config.verifier.keyEnvs);
  if (request.callback_url != null) requireCallbackUrl(ctx, request.callback_url);
  if (actions === null) await requireFits(ctx.schemas, payloadSchema, request.payload, "/payload");
  return routing === null && notify.length === 0 ? null : { routing, notify };
}

/** Each action is checked by itself, so that an error names its place in the request. */
async function checkActions(ctx: CheckContext, { all, isList }: Actions, isLong: () => boolean): Promise<void> {
  for (const [i, { args, args_schema, allowed }] of all.entries()) {
    const path = isList ? `/actions/${i}` : "/action";
    const schema = requireSchema(JSON.stringify(args_schema), `${path}/args_schema`, args_schema);
    // A person sends the arguments of an edit back, and formats of answers are checked.
    const formats = allowed.includes("edit") ? "assert" : "annotate";
    await requireFits(ctx.schemas, schema, args, `${path}/args`, formats);
    if (isLong()) await nextTurn();
  }
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
