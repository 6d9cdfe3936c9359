import { isSame } from "../../../form/plan/same.ts";
import { Text } from "../../http/schema.ts";
import { isJsonObject } from "../../lib/json.ts";
import { Type } from "../../lib/type.ts";
import { bodyOf, parsed } from "../answer.ts";
import type { Answer, Attempt, Connection, Http, Meaning, Probed, Resumed, ResumeKind } from "../kind.ts";
import { orDoneAlready, readStatus, type OwnStatuses } from "../statuses.ts";
import { bearer, partProblem, under } from "../requests.ts";

const TITLE = "Cloudflare";
const API = "https://api.cloudflare.com/client/v4";
/** Largest payload of an event, in bytes. (Cloudflare Workflows: Limits) */
const PAYLOAD_MAX = 1024 * 1024;
/** An instance with its steps. Cloudflare cuts each output after 1,024 characters. */
const INSTANCE_BYTES = 4 * 1024 * 1024;
/** Of names of workflows and types of events. (workers-sdk: workflows-shared, ALLOWED_STRING_ID_PATTERN) */
const NAME = "^[a-zA-Z0-9_][a-zA-Z0-9_-]*$";
const ENDED: ReadonlySet<unknown> = new Set(["complete", "errored", "terminated"]);
/** How much of a payload is looked for in an output that was cut, in characters. */
const BEGINNING = 300;

/**
 * An instance of a Cloudflare Workflow that waits with `step.waitForEvent`. (Cloudflare API: "Send event to instance", "Get logs and status
 * from instance")
 *
 * Cloudflare has no key for repetitions. It queues events by their type, and gives each to one wait. So a repeated event is harmless if no
 * other wait has its type, as with the default: the id of the task.
 */
export const cloudflare: ResumeKind = {
  name: "cloudflare",
  title: "Cloudflare Workflows",
  connection: {
    address: Type.Object({
      account_id: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: "^[a-zA-Z0-9_-]+$",
        description: "Id of the account that has the workflows.",
      }),
      url: Type.Optional(Text({ minLength: 1, maxLength: 2048, description: `The API. Default: \`${API}\`.` })),
    }),
    secret: "A token of Cloudflare with the permission Workers Scripts: Edit in this account.",
    isSecretRequired: true,
    checkSecret: (secret) =>
      /^[\x21-\x7e]+$/.test(secret) ? null : "A token of Cloudflare has no spaces and no line breaks.",
    defaultUrl: () => API,
    probe,
  },
  address: Type.Object({
    workflow: Type.String({ minLength: 1, maxLength: 64, pattern: NAME, description: "Name of the workflow." }),
    instance_id: Text({ minLength: 1, maxLength: 271, description: "Id of the instance." }),
    event_type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: NAME,
        description:
          "The `type` that the instance waits for. Default: the id of the task, which no other wait can have.",
      }),
    ),
  }),
  checkAddress: ({ instance_id }) =>
    partProblem(instance_id as string) !== null
      ? { path: "/instance_id", message: "This is not the id of an instance." }
      : null,
  resume: async (attempt, http) => {
    const isRepeated = await attempt.wasCutOff();
    const looked = await look(attempt, isRepeated, http);
    if ("meaning" in looked) return orDoneAlready(looked, attempt);
    if (Buffer.byteLength(attempt.value) <= PAYLOAD_MAX) return send(attempt, http);
    const message = `${TITLE} takes events of up to 1 MiB, and this one is larger.`;
    return { meaning: "gone", message, answer: looked.waits };
  },
};

function call(
  { address, secret }: Connection,
  http: Http,
  path: string[],
  { query = "", body, keptBytes }: { query?: string; body?: Buffer; keptBytes?: number } = {},
): Promise<Answer> {
  const url = (address["url"] as string | undefined) ?? API;
  return http({
    method: body ? "POST" : "GET",
    url: under(url, "accounts", address["account_id"] as string, ...path) + query,
    headers: { ...bearer(secret), ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body }),
    ...(keptBytes !== undefined && { keptBytes }),
  });
}

function instanceOf({ address }: Attempt): string[] {
  return ["workflows", address["workflow"] as string, "instances", address["instance_id"] as string];
}

function typeOf({ address, task_id }: Attempt): string {
  return (address["event_type"] as string | undefined) ?? task_id;
}

/**
 * Looks at the instance first, because Cloudflare accepts events for instances that have ended.
 * @param isRepeated - whether its steps may have the event of an earlier attempt
 * @returns what it means, or the answer that shows that the event should be sent
 */
async function look(attempt: Attempt, isRepeated: boolean, http: Http): Promise<Resumed | { waits: Answer }> {
  const options = isRepeated ? { keptBytes: INSTANCE_BYTES } : { query: "?simple=true" };
  const answer = await call(attempt.connection!, http, instanceOf(attempt), options);
  const body = bodyOf(answer);
  // Cloudflare has answered with the instance and `"success": false`, if it could not read all of its steps.
  const instance = body["result"];
  if (answer.status !== 200 || !isJsonObject(instance) || typeof instance["status"] !== "string")
    return read(answer, attempt.now);

  const status = instance["status"];
  const kept = { ...answer, body: JSON.stringify({ result: { status } }) };
  if (isRepeated && hasGot(instance["steps"], typeOf(attempt), JSON.parse(attempt.value)))
    return { meaning: "done_already", message: "The instance got this event from an earlier attempt.", answer: kept };
  if (ENDED.has(status))
    return { meaning: "gone", message: `The instance no longer waits: it is ${status}.`, answer: kept };
  return { waits: kept };
}

/** Returns whether one of the steps has waited for an event of this type, and got this payload. */
function hasGot(steps: unknown, type: string, payload: unknown): boolean {
  if (!Array.isArray(steps)) return false;
  return steps.some((step) => {
    if (!isJsonObject(step) || step["type"] !== "waitForEvent") return false;
    if (typeof step["event_type"] === "string" && step["event_type"] !== type) return false;
    const output = typeof step["output"] === "string" ? (parsed(step["output"]) ?? step["output"]) : step["output"];
    if (typeof output === "string") return output.includes(JSON.stringify(payload).slice(0, BEGINNING));
    if (!isJsonObject(output) || (typeof output["type"] === "string" && output["type"] !== type)) return false;
    return isSame(output["payload"], payload);
  });
}

async function send(attempt: Attempt, http: Http): Promise<Resumed> {
  const path = [...instanceOf(attempt), "events", typeOf(attempt)];
  const answer = await call(attempt.connection!, http, path, { body: Buffer.from(attempt.value) });
  if (answer.status === 200 && bodyOf(answer)["success"] === true)
    return { meaning: "done", message: `${TITLE} took the event ${typeOf(attempt)}.`, answer };
  return read(answer, attempt.now);
}

/** What the codes of errors mean, whatever the status. */
const BY_CODE: Readonly<Record<number, { meaning: Meaning; message: string }>> = {
  6003: { meaning: "refused", message: "it does not accept the token." },
  6111: { meaning: "refused", message: "it does not accept the token." },
  9109: { meaning: "refused", message: "the token may not use this account." },
  10000: { meaning: "refused", message: "it does not accept the token for this." },
  7000: { meaning: "refused", message: "there is no such address. Is the url right?" },
  7003: { meaning: "refused", message: "there is no such account." },
  10200: { meaning: "gone", message: "there is no such workflow." },
  10400: { meaning: "gone", message: "there is no such instance." },
  // Of `wrangler dev`, for both.
  10501: { meaning: "gone", message: "there is no such instance." },
};

/** Only codes say that nothing waits: a 404 can also come from a wrong address. */
function read(answer: Answer, now: number): Resumed {
  const { status } = answer;
  const code = codeOf(answer);
  const known = code === null ? undefined : BY_CODE[code];
  const said = code === null ? `${TITLE} answered ${status}` : `${TITLE} answered ${status}, with the error ${code}`;
  const own: OwnStatuses = known
    ? { [status]: { meaning: known.meaning, message: `${said}: ${known.message}` } }
    : {
        200: { meaning: "later", message: `${said}, without success.` },
        404: { meaning: "later", message: `${said}. Is the url right?` },
      };
  return readStatus(TITLE, answer, now, own);
}

function codeOf(answer: Answer): number | null {
  const errors = bodyOf(answer)["errors"];
  const first: unknown = Array.isArray(errors) ? errors[0] : null;
  return isJsonObject(first) && Number.isSafeInteger(first["code"]) ? (first["code"] as number) : null;
}

/** Lists one workflow. That the token may also send events is shown by the first event only. */
async function probe(connection: Connection, http: Http, now: number): Promise<Probed> {
  const answer = await call(connection, http, ["workflows"], { query: "?per_page=1", keptBytes: INSTANCE_BYTES });
  const body = bodyOf(answer);
  if (answer.status === 200 && body["success"] === true && Array.isArray(body["result"]))
    return { ok: true, detail: `${TITLE} accepts the token for the workflows of this account.` };
  return { ok: false, detail: read(answer, now).message };
}
