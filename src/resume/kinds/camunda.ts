import { Text } from "../../http/schema.ts";
import { DAY } from "../../lib/time.ts";
import { Type } from "../../lib/type.ts";
import type { SendRequest } from "../../outbound/http-sender.ts";
import { AccessTokens, TokenRefused, type ClientCredentials } from "../access-token.ts";
import { fieldOf, memberOf } from "../answer.ts";
import type { Answer, Attempt, Connection, Fields, Http, Resumed, ResumeKind } from "../kind.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";

/**
 * Camunda 8, through its Orchestration Cluster REST API: completes a user task or a job, or publishes a message.
 *
 * Sources: docs.camunda.io, "Orchestration Cluster REST API" and "Messages" (8.9), and `gateway-protocol/src/main/proto/v2`,
 * `MessagePublishProcessor`, `UserTaskCommandPreconditionChecker` and `ErrorMapper` of github.com/camunda/camunda.
 */
export const camunda: ResumeKind = {
  name: "camunda",
  title: "Camunda 8",
  connection: {
    address: Type.Object({
      url: Text({ minLength: 1, maxLength: 2048, description: "The address of the cluster, without `/v2`." }),
      client_id: Type.Optional(
        Text({ minLength: 1, maxLength: 200, description: "With it, `secret` is its client secret." }),
      ),
      token_url: Type.Optional(
        Text({ minLength: 1, maxLength: 2048, description: "Where the client gets its tokens." }),
      ),
      audience: Type.Optional(Text({ minLength: 1, maxLength: 200, description: "Sent to `token_url`." })),
      scope: Type.Optional(Text({ minLength: 1, maxLength: 200, description: "Sent to `token_url`." })),
      username: Type.Optional(
        Text({ minLength: 1, maxLength: 200, description: "With it, `secret` is its password." }),
      ),
      tenant_id: Type.Optional(
        Text({ minLength: 1, maxLength: 200, description: "The tenant that messages are for." }),
      ),
    }),
    secret:
      "The client secret of `client_id`, or the password of `username`. A cluster without authentication has none.",
    isSecretRequired: false,
    checkAddress: ({ client_id, token_url, audience, scope, username }, secret) => {
      if (client_id !== undefined && username !== undefined)
        return { path: "/username", message: "Give either client_id or username." };
      if (client_id !== undefined && token_url === undefined)
        return { path: "/token_url", message: "A client_id needs a token_url." };
      if (client_id === undefined)
        for (const [name, value] of Object.entries({ token_url, audience, scope }))
          if (value !== undefined) return { path: `/${name}`, message: `${name} needs a client_id.` };
      const name = client_id === undefined ? "username" : "client_id";
      if ((client_id ?? username) === undefined) {
        if (secret !== null) return { path: "", message: "A secret needs a client_id or a username." };
      } else if (secret === null) return { path: `/${name}`, message: `A ${name} needs a secret.` };
      return null;
    },
    probe: async (connection, http) => {
      try {
        const { status } = await call(connection, http, { method: "GET", path: "/topology" });
        if (status === 200) return { ok: true, detail: "Camunda answered with its topology." };
        if (status === 401 || status === 403)
          return { ok: false, detail: `Camunda answered ${status}: it does not accept the client or the user.` };
        if (status === 404)
          return { ok: false, detail: "Camunda answered 404: the url is not that of a cluster, without /v2." };
        return { ok: false, detail: `Camunda answered ${status}.` };
      } catch (error) {
        if (error instanceof TokenRefused) return { ok: false, detail: error.message };
        throw error;
      }
    },
  },
  address: Type.Object({
    user_task_key: Type.Optional(Key("Completes this user task.")),
    job_key: Type.Optional(Key("Completes this job.")),
    message_name: Type.Optional(
      Text({ minLength: 1, maxLength: 256, description: "Publishes a message with this name." }),
    ),
    correlation_key: Type.Optional(
      Text({ minLength: 1, maxLength: 256, description: "Of the message. Use each key once." }),
    ),
    variable: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z_][A-Za-z0-9_]{0,199}$",
        description: "The variable that has the outcome. Default: `outcome`.",
      }),
    ),
  }),
  checkAddress: ({ user_task_key, job_key, message_name, correlation_key }) => {
    if ([user_task_key, job_key, message_name].filter((one) => one !== undefined).length !== 1)
      return { path: "", message: "Give one of user_task_key, job_key and message_name." };
    if ((message_name === undefined) !== (correlation_key === undefined))
      return { path: "/correlation_key", message: "A message has a message_name and a correlation_key." };
    return null;
  },
  resume: async (attempt, http) => {
    try {
      return attempt.address["message_name"] === undefined
        ? await complete(attempt, http)
        : await publish(attempt, http);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      const meaning = error.isTemporary ? "later" : "refused";
      const { status } = error.answer;
      return readStatus("The token endpoint", error.answer, attempt.now, {
        [status]: { meaning, message: error.message },
      });
    }
  },
};

function Key(description: string) {
  return Type.String({ pattern: "^[0-9]{1,19}$", description });
}

/**
 * A message is kept for that long, also after it was correlated, and refuses others with its id. No delivery goes on for so long by
 * itself.
 */
const TIME_TO_LIVE_MS = 7 * DAY;

async function publish({ id, address, connection, now, value }: Attempt, http: Http): Promise<Resumed> {
  const { message_name: name, correlation_key: correlationKey } = address;
  const { tenant_id: tenantId } = connection!.address;
  const others = { name, correlationKey, messageId: id, timeToLive: TIME_TO_LIVE_MS, tenantId };
  const body = `${JSON.stringify(others).slice(0, -1)},${variables(address, value)}}`;
  const answer = await call(connection!, http, { method: "POST", path: "/messages/publication", body });
  return readStatus("Camunda", answer, now, {
    404: noSuchPath,
    409:
      fieldOf(answer, "title") === "ALREADY_EXISTS"
        ? { meaning: "done_already", message: "Camunda has this message already." }
        : { meaning: "later", message: "Camunda answered 409: it cannot take the message now." },
  });
}

async function complete(attempt: Attempt, http: Http): Promise<Resumed> {
  const { address, connection, now, value } = attempt;
  const thing = address["job_key"] === undefined ? USER_TASK : JOB;
  const key = address[thing.field] as string;
  const path = `${thing.path}/${encodeURIComponent(key)}/completion`;
  const answer = await call(connection!, http, { method: "POST", path, body: `{${variables(address, value)}}` });
  const isMissing = answer.status === 404 && fieldOf(answer, "title") === "NOT_FOUND";
  const resumed = readStatus("Camunda", answer, now, {
    404: isMissing
      ? { meaning: "gone", message: `Camunda has no ${thing.name} that waits with this key.` }
      : noSuchPath,
    // Also while it is being completed, and while an incident has to be resolved.
    409: { meaning: "later", message: `Camunda answered 409: the ${thing.name} cannot be completed in its state.` },
  });
  if (!isMissing) return resumed;
  const state = await stateOf(thing, key, connection!, http);
  if (state === "COMPLETED")
    return { ...resumed, meaning: "done_already", message: `The ${thing.name} is completed already.` };
  if (state === "CANCELED") return { ...resumed, message: `The ${thing.name} was cancelled.` };
  // What Camunda shows follows what it does after a while.
  if (state !== null)
    return { ...resumed, meaning: "later", message: `${resumed.message} How it ended is not known yet.` };
  return orDoneAlready(resumed, attempt);
}

const noSuchPath = {
  meaning: "later",
  message: "Camunda answered 404: the url of the connection is not that of a cluster.",
} as const;

interface Thing {
  name: string;
  field: string;
  path: string;
  /** The field of its key in searches. */
  key: string;
}

const USER_TASK: Thing = { name: "user task", field: "user_task_key", path: "/user-tasks", key: "userTaskKey" };
const JOB: Thing = { name: "job", field: "job_key", path: "/jobs", key: "jobKey" };

/** Returns the state that Camunda shows; null if it shows none to this client. */
async function stateOf({ path, key }: Thing, value: string, connection: Connection, http: Http): Promise<unknown> {
  const body = JSON.stringify({ filter: { [key]: value } });
  const answer = await call(connection, http, { method: "POST", path: `${path}/search`, body });
  if (answer.status >= 500 || answer.status === 429) return undefined;
  const items = answer.status === 200 ? fieldOf(answer, "items") : [];
  const state = Array.isArray(items) ? memberOf(items[0], "state") : undefined;
  return typeof state === "string" ? state : null;
}

/** Returns a member of the body, as text: numbers stay as the person gave them. */
function variables(address: Fields, value: string): string {
  return `"variables":{${JSON.stringify(address["variable"] ?? "outcome")}:${value}}`;
}

const tokens = new AccessTokens();

/** A request of the API. */
interface Call {
  method: "GET" | "POST";
  /** Below `/v2`. */
  path: string;
  body?: string;
}

/** @throws TokenRefused, NotAnswered */
async function call(connection: Connection, http: Http, { method, path, body }: Call): Promise<Answer> {
  const request = (authorization: string | null): SendRequest => ({
    method,
    url: `${(connection.address["url"] as string).replace(/\/+$/, "")}/v2${path}`,
    headers: {
      Accept: "application/json, application/problem+json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(authorization !== null && { Authorization: authorization }),
    },
    ...(body !== undefined && { body: Buffer.from(body) }),
  });
  const credentials = credentialsOf(connection);
  if (credentials === null) return http(request(basicOf(connection)));
  const token = await tokens.get(credentials, http);
  const answer = await http(request(`Bearer ${token.text}`));
  if (answer.status !== 401 || token.isNew) return answer;
  // The token may have been revoked while it was kept here.
  tokens.forget(credentials);
  return http(request(`Bearer ${(await tokens.get(credentials, http)).text}`));
}

function credentialsOf({ address, secret }: Connection): ClientCredentials | null {
  const { client_id, token_url, audience, scope } = address as Record<string, string | undefined>;
  if (client_id === undefined || token_url === undefined) return null;
  return { client_id, token_url, client_secret: secret ?? "", audience, scope };
}

function basicOf({ address, secret }: Connection): string | null {
  const { username } = address;
  if (username === undefined) return null;
  return `Basic ${Buffer.from(`${username as string}:${secret}`).toString("base64")}`;
}
