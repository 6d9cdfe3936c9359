import { SERVICE_COMMAND } from "./lib/command.ts";

/**
 * Every error this service answers with. Codes are stable across versions, sentences are not. (spec: Errors)
 *
 * `message` is what the caller reads; `help` says why it happens and what to do about it, and becomes the entry of the
 * troubleshooting page that the `docs` link of an error body points to.
 */
export const ERRORS = {
  MALFORMED_REQUEST: {
    status: 400,
    message: "The request is not what this route takes.",
    help: "The body is not JSON, a field is missing or a field has the wrong type. `details` names each place with a JSON Pointer. Send `Content-Type: application/json`, UTF-8, and nest no deeper than 64 levels; `__proto__` is not accepted as a key.",
  },
  UNAUTHENTICATED: {
    status: 401,
    message: "Send `Authorization: Bearer <token>` with a valid token, or sign in.",
    help: "No credentials came with the request, or they are not known here. Agents send the admin API token; on the embedded database it stands in `secrets.json` in the data directory unless `SERVICE_ADMIN_API_TOKEN` is set.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: "The e-mail address or the password is wrong.",
    help: `The answer is the same whether the address is unknown, the password is wrong, no password is set, or the person is deactivated. An operator can set a new password: \`${SERVICE_COMMAND} users set-password --email <address>\`.`,
  },
  INVALID_SLACK_SIGNATURE: {
    status: 401,
    message: "This does not come from Slack, or not just now.",
    help: "Slack signs what it sends with the signing secret of its app, and a request that is older than five minutes is refused. Check `SERVICE_SLACK_SIGNING_SECRET`, and the clock of the server.",
  },
  SERVICE_KEY_NOT_FOUND: {
    status: 401,
    message: "The service key is unknown or was revoked.",
    help: `Embed tokens are made with a service key, \`Authorization: Bearer hsk_...\`, and with nothing else: the admin token does not make them. An operator makes keys under Settings, Service keys, or with \`${SERVICE_COMMAND} keys create\`.`,
  },
  INVALID_EMBED_TOKEN: {
    status: 401,
    message: "The embed token is missing, expired or not one of this service.",
    help: "A token opens the form of one task for five minutes, or as long as `ttl_seconds` said when it was made, up to an hour. It ends early when the service key that made it is revoked. Make a new one with `POST /api/embed/tokens` and give the frame its `embed_url`; what was entered stays.",
  },
  EMBED_ORIGIN_NOT_ALLOWED: {
    status: 400,
    message: "Pages of this origin may not embed the form.",
    help: "`parent_origin` is the origin of the page that holds the frame, as browsers write it: scheme, host and port, without a slash at the end, such as `https://app.example.com`. It must stand in `SERVICE_EMBED_PARENT_ORIGINS`, exactly or under `https://*.<domain>`, which means one label.",
  },
  FORBIDDEN: {
    status: 403,
    message: "You are known here, but you may not do this.",
    help: "The credentials are valid and do not allow this call. Creating, cancelling and deleting tasks and reading an audit trail are for operators and the admin token; answering is also for the person a task is assigned to.",
  },
  INVALID_SETUP_TOKEN: {
    status: 403,
    message: "The set-up token is missing or wrong. Open the link that the service printed when it started.",
    help: "The first operator is made with the token of the set-up link, which the service prints at every start until it was used. Only on the machine itself, without a proxy, is it not asked for.",
  },
  CLAIM_NEEDS_A_PERSON: {
    status: 400,
    message: "Only people in the directory can claim a task. Others can answer it without a claim.",
    help: "A claim says who is working on a task. Call with the session of a user. An agent, or somebody known only to Slack, answers without one.",
  },
  NOT_FOUND: {
    status: 404,
    message: "There is nothing at this address.",
    help: "The path is not one of this service's. The list of routes stands in `/api/docs`.",
  },
  EMBED_NOT_CONFIGURED: {
    status: 404,
    message: "Forms cannot be embedded here.",
    help: "The operator sets `SERVICE_EMBED_SIGNING_SECRET` (`openssl rand -hex 32` makes one) and `SERVICE_EMBED_PARENT_ORIGINS`, and starts the service again.",
  },
  TASK_NOT_FOUND: {
    status: 404,
    message: "No task has this id.",
    help: "The id was mistyped, belongs to another service, or the task was deleted. A task can also be found by its idempotency key: `GET /api/tasks?key_prefix=<key>`.",
  },
  USER_NOT_FOUND: {
    status: 404,
    message: "No user has this id.",
    help: "The id was mistyped. Users are never deleted, only deactivated: `GET /api/users?active=false` lists those.",
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    message: "No webhook delivery has this id.",
    help: "The id was mistyped, or the task it belongs to was deleted, and its deliveries with it. `GET /api/admin/webhook-deliveries` lists what there is.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "This address does not take this method.",
    help: "The header `Allow` of the answer lists the methods that it takes.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: "The request took too long to arrive.",
    help: "The head or the body of the request did not arrive in time. Send it again; if it is large, look at the connection.",
  },
  TASK_ALREADY_TERMINAL: {
    status: 409,
    message: "The task has already ended.",
    help: "Somebody answered it, it was cancelled, its time ran out, or its verification attempts are used up. Nothing was written. Read the task to see how it ended. An answer that arrives at or after `timeout_at` is refused like this as well.",
  },
  TASK_CHANGED: {
    status: 409,
    message: "The task changed while this answer was being checked.",
    help: "Another answer to the same task was judged first. Nothing of this one was written. Read the task and submit again if it is still open.",
  },
  TASK_ALREADY_CLAIMED: {
    status: 409,
    message: "Somebody else is working on this task.",
    help: 'A claim lasts ten minutes and is renewed by whoever holds it. Wait for it to lapse or to be released; an operator takes it over with `{"force": true}`.',
  },
  USER_ALREADY_EXISTS: {
    status: 409,
    message: "A user with this e-mail address or Slack id exists already, active or not.",
    help: 'Addresses are compared without regard to case, and those of deactivated users stay taken: reactivate that user with `PATCH /api/users/{id}` and `{"active": true}`.',
  },
  LAST_OPERATOR: {
    status: 409,
    message: "This is the last operator who can sign in; make another one first.",
    help: "The service must not lock everybody out. Give somebody else `is_operator` and a password, then try again.",
  },
  SETUP_ALREADY_COMPLETED: {
    status: 409,
    message: "The service has its first operator already. Sign in.",
    help: `Set-up happens once. Operators add others under Users; with access to the machine, \`${SERVICE_COMMAND} create-operator\` makes one.`,
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: "The request body is too large.",
    help: "A body may have 1 MiB by default (`SERVICE_BODY_LIMIT_BYTES`). Put large material where the reviewer can open it and send a link.",
  },
  VALIDATION_FAILED: {
    status: 422,
    message: "The request is well-formed, but a value in it cannot be accepted.",
    help: "`details` names each value with a JSON Pointer and says what is wrong: out of range, too long, not a valid JSON Schema, a payload or response that does not fit its schema, or a destination that cannot work.",
  },
  RESPONSE_SCHEMA_NOT_OBJECT: {
    status: 422,
    message: "No object fits `response_schema`, and an answer is an object.",
    help: 'A form has named fields, so an answer is an object such as `{"approved": true}`. For one value, put its schema under a name: `{"type": "object", "properties": {"value": {"type": "boolean"}}, "required": ["value"]}`. The client, the MCP tools and the commands do this for you, and give you the value itself. Also refused is an object schema that contradicts itself, such as one that requires a property it does not allow.',
  },
  USER_NO_ADDRESS: {
    status: 422,
    message: "A user needs an e-mail address, or a Slack team and user id.",
    help: "Without an address nobody can be reached or recognised. Both Slack ids count as one address.",
  },
  VERIFIER_CONFIG_INVALID: {
    status: 422,
    message: "`verifier_config` is not valid.",
    help: "It takes `provider`, `instructions`, and optionally `model`, `max_attempts` (1 to 10), `api_key_env` and `metadata`. `api_key_env` may name a provider's standard variable or one that the operator listed in `SERVICE_VERIFIER_KEY_ENVS`.",
  },
  VERIFIER_PROVIDER_UNKNOWN: {
    status: 422,
    message: "The verifier's provider is not known.",
    help: "Providers are `anthropic` (also `claude`), `openai`, `google` (also `gemini`) and `azure` (also `azure_openai`).",
  },
  RATE_LIMITED: {
    status: 429,
    message: "Too many tries. Wait as long as `Retry-After` says.",
    help: "Signing in takes 10 tries in 5 minutes from one address and 20 for one e-mail address; set-up takes 30 from one address. Tries that are refused do not make the wait longer.",
  },
  REQUEST_HEADERS_TOO_LARGE: {
    status: 431,
    message: "The header of the request is too large.",
    help: "The address and all headers together may have 16 KiB.",
  },
  INTERNAL: {
    status: 500,
    message: "Something went wrong on our side. The request id finds it in the log.",
    help: "The service met something it did not expect; the operator finds the cause in the log under the request id. Nothing was half-written: a change is stored whole or not at all.",
  },
  VERIFIER_API_KEY_MISSING: {
    status: 500,
    message: "The verifier's API key is not set on the server.",
    help: "The operator sets the variable that `api_key_env` names, or the provider's standard one. The answer was not judged and no attempt was used.",
  },
  VERIFIER_PROVIDER_UNAVAILABLE: {
    status: 500,
    message: "The verifier's provider package is not installed on the server.",
    help: "The operator installs the package of this provider. The answer was not judged and no attempt was used.",
  },
  VERIFIER_PROVIDER_ERROR: {
    status: 502,
    message: "The verifier's vendor returned an error.",
    help: "The vendor was down, refused the call, took longer than 30 seconds, or answered with something that is not a verdict. The answer was not judged and no attempt was used: submit it again.",
  },
  SLACK_UNAVAILABLE: {
    status: 502,
    message: "Slack did not answer.",
    help: "Slack could not be reached, had trouble of its own, or wants fewer calls. Nothing was changed; try again in a moment.",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    message: "The database did not take the request. Nothing was written; try again.",
    help: "The database is down, out of space or too slow. The request changed nothing.",
  },
  COMMIT_UNKNOWN: {
    status: 503,
    message: "The connection to the database was lost at the moment of the commit. Try again.",
    help: "The change may or may not have been stored. Repeating the request is safe: a creation is found again by its idempotency key, and a task ends only once.",
  },
  SLACK_NOT_CONFIGURED: {
    status: 503,
    message: "Slack is not set up on this server.",
    help: "The operator sets `SERVICE_SLACK_SIGNING_SECRET` or `SERVICE_SLACK_APP_TOKEN`, and a bot token or a client id and secret, and starts the service again. The guide to Slack says where they are found.",
  },
  OVERLOADED: {
    status: 503,
    message: "The service has too much to do at the moment. Try again.",
    help: "A bounded queue is full. Wait as long as `Retry-After` says and send the request again.",
  },
} as const satisfies Record<string, { status: number; message: string; help: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One thing that is wrong with a request: `path` is a JSON Pointer into the body, or `/query/<name>`. */
export interface ErrorDetail {
  path: string;
  message: string;
  keyword?: string;
}

/** An error that a caller is meant to see; everything else that is thrown becomes 500 `INTERNAL`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** Seconds after which another try may succeed. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    options: { message?: string; details?: ErrorDetail[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** A value that is well-formed and cannot be accepted, named by its JSON Pointer. */
export function invalid(path: string, message: string, keyword?: string): ServiceError {
  return new ServiceError("VALIDATION_FAILED", { details: [{ path, message, ...(keyword ? { keyword } : {}) }] });
}
