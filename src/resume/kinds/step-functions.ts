import { Text } from "../../http/schema.ts";
import { signAwsRequest, type AwsKeys } from "../../lib/aws-signature.ts";
import { Type } from "../../lib/type.ts";
import { bodyOf } from "../answer.ts";
import {
  NotAnswered,
  type Answer,
  type Attempt,
  type Connection,
  type Fields,
  type Http,
  type Meaning,
  type Outcome,
  type Probed,
  type Resumed,
  type ResumeKind,
} from "../kind.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";
import { under } from "../requests.ts";

const TITLE = "AWS Step Functions";
/** Longest output of a task, in bytes. (Step Functions API: SendTaskSuccess) */
const OUTPUT_MAX = 262_144;
/** Longest task token, in characters. */
const TOKEN_MAX = 2048;

/** The error that a state gets if no one has answered. An ASL `Catch` can name it. */
const ERRORS = {
  timed_out: { error: "HumanTask.TimedOut", cause: "No one answered in time." },
  cancelled: { error: "HumanTask.Cancelled", cause: "The task was cancelled." },
  verification_exhausted: { error: "HumanTask.VerificationExhausted", cause: "No answer was accepted." },
  too_large: { error: "HumanTask.OutputTooLarge", cause: "The answer is larger than the output of a state may be." },
} as const;

/**
 * A state of a state machine that waits for its task token. (Step Functions API: SendTaskSuccess, SendTaskFailure; AWS JSON 1.0)
 *
 * Step Functions knows no repetitions: it answers them as it answers a token whose time is over.
 */
export const stepFunctions: ResumeKind = {
  name: "step-functions",
  title: TITLE,
  connection: {
    address: Type.Object({
      region: Type.String({
        minLength: 1,
        maxLength: 50,
        // It becomes part of a host name.
        pattern: "^[a-z]{2,10}(-[a-z]+)+-\\d{1,2}$",
        description: "Region of the state machines, for example `eu-central-1`.",
      }),
      url: Type.Optional(
        Text({
          minLength: 1,
          maxLength: 2048,
          description: "Endpoint, for example of a VPC. Default: the public endpoint of the region.",
        }),
      ),
    }),
    secret:
      "Access key id, secret access key and, for temporary keys, session token, in this order, with a space or a line break between them.",
    isSecretRequired: true,
    checkSecret: (secret) => {
      const keys = readKeys(secret);
      return typeof keys === "string" ? keys : null;
    },
    defaultUrl,
    probe,
  },
  address: Type.Object({
    task_token: Text({
      minLength: 1,
      maxLength: TOKEN_MAX,
      description: "The task token of the state. It permits to resume by itself, and is stored encrypted.",
    }),
  }),
  secretFields: ["task_token"],
  resume: async (attempt, http) => {
    const { action, input } = requestOf(attempt);
    const answer = await call(attempt.connection!, http, action, input, attempt.now);
    const resumed = read(answer, attempt.now, input["error"] ?? null);
    return AFTER_USE.has(typeOf(answer) ?? "") ? orDoneAlready(resumed, attempt) : resumed;
  },
};

type Action = "SendTaskSuccess" | "SendTaskFailure";

/** A decision is a success, whatever was decided; no decision is a failure. */
function requestOf({ address, outcome, value }: Attempt): { action: Action; input: Readonly<Record<string, string>> } {
  const taskToken = address["task_token"] as string;
  const failure = failureOf(outcome, value);
  if (failure === null) return { action: "SendTaskSuccess", input: { taskToken, output: value } };
  const cause = JSON.stringify({ task_id: outcome.task_id, status: outcome.status, message: failure.cause });
  return { action: "SendTaskFailure", input: { taskToken, error: failure.error, cause } };
}

/** A state that gets no output because it is too large should fail, and not wait until its own deadline. */
function failureOf({ status }: Outcome, value: string): { error: string; cause: string } | null {
  if (status !== "completed") return ERRORS[status];
  return Buffer.byteLength(value) > OUTPUT_MAX ? ERRORS.too_large : null;
}

/** Sends a request of the protocol AWS JSON 1.0. @throws NotAnswered */
function call(
  { address, secret }: Connection,
  http: Http,
  action: Action,
  input: Readonly<Record<string, string>>,
  now: number,
): Promise<Answer> {
  const keys = readKeys(secret ?? "");
  if (typeof keys === "string") throw new Error(keys);
  const base = (address["url"] as string | undefined) ?? defaultUrl(address);
  // The signature is over parts of the address, so that it is read before the sender does.
  if (!URL.canParse(base)) throw new NotAnswered("bad_url", "The url of the connection is not an address.");
  const url = under(base);
  const body = Buffer.from(JSON.stringify(input));
  const plain = { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": `AWSStepFunctions.${action}` };
  const headers = signAwsRequest(
    { method: "POST", url, headers: plain, body },
    { keys, region: address["region"] as string, service: "states", now },
  );
  return http({ url, headers, body });
}

function defaultUrl(address: Fields): string {
  const region = address["region"] as string;
  return `https://states.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** Returns the parts of a secret, or what is wrong with it, as a sentence. */
function readKeys(secret: string): AwsKeys | string {
  const [accessKeyId = "", secretAccessKey = "", sessionToken = null, ...more] = secret.trim().split(/\s+/);
  if (secretAccessKey === "" || more.length > 0)
    return "The secret must be the access key id, the secret access key and, for temporary keys, the session token.";
  if (!/^[A-Z0-9]{16,128}$/.test(accessKeyId))
    return "The secret must begin with the access key id: 16 to 128 capital letters and digits.";
  return { accessKeyId, secretAccessKey, sessionToken };
}

const NOT_PERMITTED = "the keys must be permitted states:SendTaskSuccess and states:SendTaskFailure.";
const BAD_KEYS = "it does not accept the keys.";
const BAD_SIGNATURE =
  "it does not accept the signature. Check the secret access key, the region, and the clock of this machine.";
const EXPIRED = "the keys have expired.";

/** What the errors mean, by their types. (Step Functions API: SendTaskSuccess, Common Errors) */
const BY_TYPE: Readonly<Record<string, { meaning: Meaning; message: string }>> = {
  TaskTimedOut: { meaning: "gone", message: "the state was resumed before, or its time is over." },
  TaskDoesNotExist: { meaning: "gone", message: "nothing waits for this task token." },
  InvalidToken: { meaning: "gone", message: "this is not a task token of this region." },
  InvalidOutput: { meaning: "gone", message: "it does not take this output." },
  ValidationException: { meaning: "gone", message: "it does not take this request." },
  ValidationError: { meaning: "gone", message: "it does not take this request." },
  RequestEntityTooLargeException: { meaning: "gone", message: "the request is too large." },
  AccessDeniedException: { meaning: "refused", message: NOT_PERMITTED },
  AccessDenied: { meaning: "refused", message: NOT_PERMITTED },
  NotAuthorized: { meaning: "refused", message: NOT_PERMITTED },
  OptInRequired: { meaning: "refused", message: BAD_KEYS },
  UnrecognizedClientException: { meaning: "refused", message: BAD_KEYS },
  InvalidClientTokenId: { meaning: "refused", message: BAD_KEYS },
  MissingAuthenticationToken: { meaning: "refused", message: BAD_SIGNATURE },
  MissingAuthenticationTokenException: { meaning: "refused", message: BAD_SIGNATURE },
  IncompleteSignature: { meaning: "refused", message: BAD_SIGNATURE },
  IncompleteSignatureException: { meaning: "refused", message: BAD_SIGNATURE },
  InvalidSignatureException: { meaning: "refused", message: BAD_SIGNATURE },
  SignatureDoesNotMatch: { meaning: "refused", message: BAD_SIGNATURE },
  RequestExpired: { meaning: "refused", message: BAD_SIGNATURE },
  ExpiredTokenException: { meaning: "refused", message: EXPIRED },
  ExpiredToken: { meaning: "refused", message: EXPIRED },
  ThrottlingException: { meaning: "later", message: "too many requests." },
  KmsThrottlingException: { meaning: "later", message: "too many requests for the key of the state machine." },
  KmsAccessDeniedException: { meaning: "later", message: "the keys may not use the KMS key of the state machine." },
  KmsInvalidStateException: { meaning: "later", message: "the KMS key of the state machine is disabled or deleted." },
};

/** What Step Functions answers once a token was used. */
const AFTER_USE: ReadonlySet<string> = new Set(["TaskTimedOut", "TaskDoesNotExist"]);

/** @param error - of the failure that was sent; null: a success was */
function read(answer: Answer, now: number, error: string | null): Resumed {
  if (answer.status === 200) {
    const message = `${TITLE} took the ${error === null ? "answer" : `failure ${error}`}.`;
    return { meaning: "done", message, answer };
  }
  const type = typeOf(answer);
  const known = BY_TYPE[type ?? ""];
  const own = known
    ? { meaning: known.meaning, message: `${TITLE} answered ${type}: ${known.message}` }
    : unknownError(answer.status, type);
  // Answers quote what was sent: the task token, and the session token in the text that should have been signed.
  const kept = { ...answer, body: type === null ? "" : JSON.stringify({ __type: type }) };
  return readStatus(TITLE, kept, now, { [answer.status]: own });
}

/** Nothing shows that the state no longer waits, nor that it was Step Functions that answered. */
function unknownError(status: number, type: string | null): { meaning: Meaning; message: string } {
  if (type !== null) return { meaning: "later", message: `${TITLE} answered ${status}, with the error ${type}.` };
  const isRefusal = status === 401 || status === 403;
  return isRefusal
    ? { meaning: "refused", message: `The answer was ${status}: the keys are not accepted.` }
    : { meaning: "later", message: `The answer was ${status}, without an error of ${TITLE}.` };
}

/**
 * Returns the type of an error, without the namespace before `#` and the address after `:`; null if it has none.
 * (Smithy: "AWS JSON 1.0 protocol", Operation error serialization)
 */
function typeOf(answer: Answer): string | null {
  const { __type, code } = bodyOf(answer);
  const text = answer.headers["x-amzn-errortype"] ?? __type ?? code;
  const type = typeof text === "string" ? text.replace(/:.*$/, "").replace(/^.*#/, "") : "";
  return /^\w{1,100}$/.test(type) ? type : null;
}

/**
 * Sends a token that is none with each action: keys are checked first, so that the answer `InvalidToken` shows that they are permitted. No
 * other permission is needed for that, and nothing waits for it.
 */
async function probe(connection: Connection, http: Http, now: number): Promise<Probed> {
  for (const action of ["SendTaskSuccess", "SendTaskFailure"] as const) {
    const input = { taskToken: "probe", ...(action === "SendTaskSuccess" && { output: "{}" }) };
    const answer = await call(connection, http, action, input, now);
    if (typeOf(answer) === "InvalidToken") continue;
    const { message } = read(answer, now, null);
    return {
      ok: false,
      detail: answer.status === 200 ? `The answer is not one of ${TITLE}. Is the url right?` : message,
    };
  }
  return { ok: true, detail: `${TITLE} accepts the keys in ${String(connection.address["region"])}.` };
}
