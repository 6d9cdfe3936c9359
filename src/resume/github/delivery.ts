import { createHmac, hash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { isSameSecret } from "../../lib/keys.ts";
import { isJsonObject, type JsonObject } from "../../lib/json.ts";
import { isStorableText, toStorableText } from "../../lib/text.ts";
import { DAY, SECOND } from "../../lib/time.ts";
import type { Connection } from "../kind.ts";
import { github } from "../kinds/github.ts";
import { appOf } from "./installation.ts";
import { readSecret } from "./secret.ts";

/** GitHub sends up to 25 MB. This event has the repository and its pull requests, some 20 kB each. */
export const DELIVERY_MAX_BYTES = 2 * 1024 * 1024;
const EVENT = "deployment_protection_rule";
/** GitHub lets a job fail that waits for 30 days. The rejection after the deadline must arrive before that. */
const TIMEOUT_MS = 29 * DAY;
const PULL_REQUESTS_MAX = 10;
/** `production_environment` is true for the name `production` only, unless a workflow says otherwise. */
const PRODUCTION = /(^|[^a-z])(prod|production|live)([^a-z]|$)/i;

/** A webhook as it arrived. */
export interface DeliveryRequest {
  headers: IncomingHttpHeaders;
  /** Unchanged: its signature is over these bytes. */
  body: Buffer;
}

/**
 * What a webhook of a GitHub App asks for.
 *
 * - `task`: this task. Its `idempotency_key` is the same in each delivery of the same request.
 * - `ignored`: nothing. It is an event of another kind, which GitHub should not send again.
 * - `unauthenticated`: it is not shown that GitHub sent it.
 * - `invalid`: GitHub sent it, and it cannot become a task.
 */
export type TaskOfDelivery =
  | { result: "task"; request: DeploymentTask }
  | { result: "ignored"; message: string }
  | { result: "unauthenticated"; message: string }
  | { result: "invalid"; message: string };

/** The request for a task about one deployment: a body of `POST /api/tasks`. */
export interface DeploymentTask {
  task: string;
  action: {
    name: "deploy";
    description: string;
    args: JsonObject;
    args_schema: JsonObject;
    allowed: ("approve" | "reject")[];
    risk: "normal" | "high";
  };
  timeout_seconds: number;
  idempotency_key: string;
  resume: [{ connection: string; repository: string; run_id: number; environment: string }];
}

/**
 * Returns the task that a webhook asks for. Nothing of the body is read before its signature has been checked.
 * (GitHub: "Validating webhook deliveries", "Webhook events and payloads": deployment_protection_rule)
 *
 * @param id - of the connection. It is in the entry of `resume`, and in the idempotency key
 */
export function taskOfDelivery(id: string, connection: Connection, { headers, body }: DeliveryRequest): TaskOfDelivery {
  const parts = readSecret(connection.secret ?? "");
  if (typeof parts === "string" || parts.webhookSecret === null)
    return { result: "unauthenticated", message: "The connection has no webhook secret." };
  if (body.length > DELIVERY_MAX_BYTES) return { result: "invalid", message: "The body is too large." };
  if (!isSigned(parts.webhookSecret, headers["x-hub-signature-256"], body))
    return { result: "unauthenticated", message: "X-Hub-Signature-256 is not the signature of this body." };

  const event = headers["x-github-event"];
  if (event !== EVENT) return { result: "ignored", message: `This event is not ${EVENT}.` };
  const payload = parse(body);
  if (payload === null) return { result: "invalid", message: "The body is not a JSON object. Send application/json." };
  if (payload["action"] !== "requested") return { result: "ignored", message: "This action is not `requested`." };
  try {
    return { result: "task", request: requestOf(id, appOf(connection).url, payload, body) };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { result: "invalid", message: error.message };
  }
}

function isSigned(secret: string, signature: unknown, body: Buffer): boolean {
  if (typeof signature !== "string") return false;
  return isSameSecret(signature, `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

function parse(body: Buffer): JsonObject | null {
  if (!isUtf8(body)) return null;
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A field is missing, or is not what GitHub documents. */
class Unfit extends Error {}

/** @throws Unfit */
function requestOf(id: string, url: string, payload: JsonObject, body: Buffer): DeploymentTask {
  const repository = objectIn(payload, "repository");
  const full_name = textIn(repository, "full_name", 201);
  const environment = textIn(payload, "environment", 255);
  const run_id = runOf(textIn(payload, "deployment_callback_url", 2048), url, full_name);
  const deployment = isJsonObject(payload["deployment"]) ? payload["deployment"] : null;
  const entry = { connection: id, repository: full_name, run_id, environment };
  const wrong = github.checkAddress!(entry);
  if (wrong !== null) throw new Unfit(`repository.full_name: ${wrong.message}`);

  const startedBy = textIn(objectIn(payload, "sender"), "login", 100);
  const ref = optionalText(payload["ref"] ?? deployment?.["ref"]);
  const args = {
    repository: full_name,
    environment,
    ...(ref !== null && { ref: ref.replace(/^refs\/(heads|tags)\//, "") }),
    ...optional("commit", optionalText(payload["sha"] ?? deployment?.["sha"])),
    started_by: startedBy,
    ...optional("event", optionalText(payload["event"])),
    run: `${webAddress(repository)}/actions/runs/${run_id}`,
    ...pullRequests(payload["pull_requests"]),
  };
  const isProduction = deployment?.["production_environment"] === true || PRODUCTION.test(environment);
  return {
    task: `Deploy ${full_name} to ${environment}?`,
    action: {
      name: "deploy",
      description: `A workflow run of ${full_name} waits to deploy to ${environment}. ${startedBy} started it.`,
      args,
      args_schema: ARGS_SCHEMA,
      allowed: ["approve", "reject"],
      // What has reached the users of a product cannot be taken back by a second answer.
      risk: isProduction ? "high" : "normal",
    },
    timeout_seconds: TIMEOUT_MS / SECOND,
    idempotency_key: keyOf([id, full_name, run_id, environment, turnOf(deployment, body)]),
    resume: [entry],
  };
}

const textField = (title: string) => ({ type: "string", title });
const linkField = (title: string) => ({ type: "string", format: "uri", title });
const ARGS_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    repository: textField("Repository"),
    environment: textField("Environment"),
    ref: textField("Branch or tag"),
    commit: textField("Commit"),
    started_by: textField("Started by"),
    event: textField("Event"),
    run: linkField("Workflow run"),
    pull_requests: { type: "array", title: "Pull requests", items: linkField("Pull request") },
  },
  required: ["repository", "environment", "started_by", "run"],
};

/**
 * Returns the id of the run. Reviews are sent to the connection's own address, so that a delivery cannot send a token elsewhere; the address
 * in it only has to be the same one.
 * @throws Unfit
 */
function runOf(callback: string, url: string, full_name: string): number {
  const before = `${url.replace(/\/+$/, "")}/repos/${full_name}/actions/runs/`;
  const after = "/deployment_protection_rule";
  const run = callback.slice(before.length, -after.length);
  // Host and repository are the same in any case.
  const isHere = callback.toLowerCase().startsWith(before.toLowerCase()) && callback.endsWith(after);
  if (!isHere || !/^[1-9]\d{0,15}$/.test(run) || !Number.isSafeInteger(Number(run)))
    throw new Unfit(`deployment_callback_url: this must be an address of a run at ${before}`);
  return Number(run);
}

/** When a job runs again, it makes a new deployment, and its request is a new one. A redelivery has the same bytes. */
function turnOf(deployment: JsonObject | null, body: Buffer): number | string {
  return Number.isSafeInteger(deployment?.["id"]) ? (deployment!["id"] as number) : hash("sha256", body);
}

function keyOf(parts: unknown[]): string {
  return `github-${hash("sha256", JSON.stringify(parts))}`;
}

function webAddress(repository: JsonObject): string {
  const text = textIn(repository, "html_url", 1000);
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new Unfit("repository.html_url: this must be an address.");
  return text.replace(/\/+$/, "");
}

function pullRequests(list: unknown): { pull_requests?: string[] } {
  if (!Array.isArray(list)) return {};
  const links = list.map((one) => (isJsonObject(one) ? optionalText(one["html_url"]) : null));
  const fit = links.filter((link) => link !== null && /^https?:\/\//.test(link) && URL.canParse(link)) as string[];
  return fit.length === 0 ? {} : { pull_requests: fit.slice(0, PULL_REQUESTS_MAX) };
}

/** @throws Unfit */
function objectIn(parent: JsonObject, name: string): JsonObject {
  const value = parent[name];
  if (!isJsonObject(value)) throw new Unfit(`${name}: this must be an object.`);
  return value;
}

/** @throws Unfit */
function textIn(parent: JsonObject, name: string, max: number): string {
  const value = parent[name];
  if (typeof value !== "string" || value === "" || value.length > max || !isStorableText(value))
    throw new Unfit(`${name}: this must be text of 1 to ${max} characters.`);
  return value;
}

/** Text that is only shown: it is left out if it is none, and cut if it is long. */
function optionalText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? toStorableText(value, 1000) : null;
}

function optional(name: string, value: string | null): JsonObject {
  return value === null ? {} : { [name]: value };
}
