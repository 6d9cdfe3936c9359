import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Turn, Waiting } from "./engine.ts";
import { startStandIn, type Call, type Reply, type Resuming } from "./stand-in.ts";

/** One key for all stand-ins of a process: making one takes a tenth of a second. */
const KEYS = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  // As GitHub offers it for download.
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});
export const APP_ID = "Iv23liStandIn";
export const APP_KEY = KEYS.privateKey;
export const WEBHOOK_SECRET = "It's a Secret to Everybody";
export const REPOSITORY = "octo-org/shop";
const INSTALLATION = 4711;
const REPOSITORY_ID = 987_654;

interface Run {
  id: number;
  environment: string;
  status: "waiting" | "in_progress" | "completed";
  isPending: boolean;
  reviews: { state: string; comment: string; environments: { name: string }[] }[];
}

export interface GithubRun extends Waiting {
  entry: { repository: string; run_id: number; environment: string };
  /** Ends the run without a review, as a person does who cancels it. */
  cancel(): void;
  /** A person of the repository lets the deployment go without this rule. */
  bypass(): void;
  /** The comments of its reviews. */
  comments(): string[];
}

export interface GithubEngine extends Omit<Engine, "wait"> {
  wait(environment?: string): Promise<GithubRun>;
  connection: { address: Record<string, unknown>; secret: string };
  /** What becomes of the next requests for a token. */
  tokenScript: Turn[];
  /** The permissions that tokens were asked for. */
  asked: unknown[];
  settings: {
    permissions: Record<string, string>;
    events: string[];
    isSuspended: boolean;
    /** Repositories that the app is installed in. */
    repositories: string[];
    /** How long a token is valid, in milliseconds. */
    tokenMs: number;
  };
  /** A webhook about a run, to be sent to the service as it is. */
  delivery(
    run: GithubRun,
    options?: DeliveryOptions,
  ): { method: "POST"; headers: Record<string, string>; body: string };
}

export interface DeliveryOptions {
  secret?: string;
  event?: string;
  /** Changes the payload before it is signed. */
  change?: (payload: Record<string, unknown>) => void;
}

/**
 * GitHub, as its documentation has it in November 2026 (REST API version 2022-11-28):
 *
 * - "Generating a JSON Web Token (JWT) for a GitHub App": RS256; `iat` in the past, `exp` at most ten minutes ahead, `iss` the app.
 * - "Create an installation access token for an app": 201, 401, 403, 404, 422; the token is for the repositories and permissions that
 *   were asked for, and expires.
 * - "Get a repository installation for the authenticated app": 200, 404.
 * - "Review custom deployment protection rules for a workflow run": 204. The docs name no other status. That a run without a pending
 *   request is answered with 422 and this message is what clients of the API handle.
 * - "Creating custom deployment protection rules": a comment has at most 1024 characters; reading the history needs Actions (read), a
 *   review Deployments (write).
 * - "Get the review history for a workflow run": 200 with the reviews.
 * - "Validating webhook deliveries": `X-Hub-Signature-256`.
 * - "Getting started with the REST API": a request without `User-Agent` is 403.
 */
export async function startGithub(t: TestContext): Promise<GithubEngine> {
  const runs = new Map<number, Run>();
  const tokens = new Map<string, { expires: number; repositories: string[]; permissions: Record<string, string> }>();
  const tokenScript: Turn[] = [];
  const asked: unknown[] = [];
  const settings: GithubEngine["settings"] = {
    permissions: { actions: "read", deployments: "write", metadata: "read" },
    events: ["deployment_protection_rule"],
    isSuspended: false,
    repositories: [REPOSITORY],
    tokenMs: 3_600_000,
  };
  const { url, script, close } = await startStandIn(t, (call) => {
    if (!call.headers["user-agent"])
      return refuse(
        403,
        "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
      );
    const bearer = /^(?:bearer|token) (.+)$/i.exec(call.headers.authorization ?? "")?.[1] ?? "";
    const { parts } = call;
    if (parts[0] !== "app" && parts[0] !== "repos") return refuse(404, "Not Found");
    const isApp = parts[0] === "app" || parts[3] === "installation";
    if (isApp) {
      const wrong = wrongJwt(bearer);
      return wrong === null ? asApp(call) : refuse(401, wrong);
    }
    return asInstallation(call, bearer);
  });

  function asApp({ method, parts, body }: Call): Reply | Resuming {
    const route = `${method} /${parts.join("/")}`;
    if (route === "GET /app")
      return {
        status: 200,
        body: { id: 123, slug: "deploy-desk", permissions: settings.permissions, events: settings.events },
      };
    const suspended_at = settings.isSuspended ? "2026-11-01T00:00:00Z" : null;
    if (route === `GET /app/installations/${INSTALLATION}`)
      return { status: 200, body: { id: INSTALLATION, suspended_at } };
    if (method === "GET" && parts[0] === "repos" && parts.length === 4)
      return settings.repositories.includes(`${parts[1]}/${parts[2]}`)
        ? { status: 200, body: { id: INSTALLATION, suspended_at } }
        : refuse(404, "Not Found");
    if (route !== `POST /app/installations/${INSTALLATION}/access_tokens`) return refuse(404, "Not Found");
    if (settings.isSuspended) return refuse(403, "This installation has been suspended");
    return { act: () => makeToken(JSON.parse(body || "{}")), script: tokenScript };
  }

  function makeToken(wanted: { repositories?: string[]; permissions?: Record<string, string> }): Reply {
    asked.push(wanted);
    const repositories = settings.repositories.filter(
      (one) => wanted.repositories?.includes(one.split("/")[1]!) ?? true,
    );
    if (wanted.repositories !== undefined && repositories.length !== wanted.repositories.length)
      return refuse(
        422,
        "There is at least one repository that does not exist or is not accessible to the parent installation.",
      );
    const permissions = wanted.permissions ?? settings.permissions;
    for (const [name, right] of Object.entries(permissions))
      if (settings.permissions[name] !== right && settings.permissions[name] !== "write")
        return refuse(422, "The permissions requested are not granted to this installation.");
    const token = `ghs_${randomBytes(18).toString("base64url")}`;
    const expires = Date.now() + settings.tokenMs;
    tokens.set(token, { expires, repositories, permissions });
    return { status: 201, body: { token, expires_at: new Date(expires).toISOString(), permissions } };
  }

  function asInstallation({ method, parts, headers, body }: Call, bearer: string): Reply | Resuming {
    const token = tokens.get(bearer);
    if (token === undefined || token.expires <= Date.now()) return refuse(401, "Bad credentials");
    const [repos, owner, name, actions, kind, id, what] = parts;
    const run = runs.get(Number(id));
    const isKnown = repos === "repos" && token.repositories.includes(`${owner}/${name}`);
    if (!isKnown || actions !== "actions" || kind !== "runs") return refuse(404, "Not Found");
    const needs = what === "deployment_protection_rule" ? "deployments" : "actions";
    if (token.permissions[needs] === undefined) return refuse(403, "Resource not accessible by integration");
    if (method === "GET" && what === undefined)
      return run ? { status: 200, body: { id: run.id, status: run.status } } : refuse(404, "Not Found");
    if (method === "GET" && what === "approvals")
      return run ? { status: 200, body: run.reviews } : refuse(404, "Not Found");
    if (method !== "POST" || what !== "deployment_protection_rule") return refuse(404, "Not Found");
    if (!/^application\/json\b/.test(headers["content-type"] ?? "")) return refuse(400, "Problems parsing JSON");
    return { act: () => (run ? review(run, JSON.parse(body)) : refuse(404, "Not Found")) };
  }

  function review(run: Run, sent: Record<string, unknown>): Reply {
    const { environment_name, state, comment } = sent;
    if (typeof environment_name !== "string" || !["approved", "rejected"].includes(state as string))
      return refuse(422, "Invalid request.");
    if (typeof comment === "string" && comment.length > 1024) return refuse(422, "Comment is too long");
    if (!run.isPending || run.environment !== environment_name)
      return refuse(422, `No pending custom deployment requests in workflow run \`${run.id}\` to approve or reject`);
    run.isPending = false;
    run.status = state === "approved" ? "in_progress" : "completed";
    run.reviews.push({ state: state as string, comment: String(comment), environments: [{ name: environment_name }] });
    received.get(run.id)!.push(state);
    return { status: 204 };
  }

  const received = new Map<number, unknown[]>();
  let ids = 30_433_642;
  return {
    connection: { address: { url, app_id: APP_ID }, secret: `${APP_KEY}${WEBHOOK_SECRET}\n` },
    script,
    tokenScript,
    asked,
    settings,
    async wait(environment = "production") {
      const run: Run = { id: ids++, environment, status: "waiting", isPending: true, reviews: [] };
      const states: unknown[] = [];
      runs.set(run.id, run);
      received.set(run.id, states);
      return {
        entry: { repository: REPOSITORY, run_id: run.id, environment },
        received: states,
        cancel: () => Object.assign(run, { isPending: false, status: "completed" }),
        bypass: () => Object.assign(run, { isPending: false, status: "in_progress" }),
        comments: () => run.reviews.map(({ comment }) => comment),
      };
    },
    delivery({ entry }, { secret = WEBHOOK_SECRET, event = "deployment_protection_rule", change } = {}) {
      const payload = payloadOf(url, entry);
      change?.(payload);
      const body = JSON.stringify(payload);
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      return {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-github-event": event,
          "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
          "x-hub-signature-256": `sha256=${signature}`,
        },
        body,
      };
    },
    close,
  };
}

const refuse = (status: number, message: string): Reply => ({
  status,
  body: { message, documentation_url: "https://docs.github.com/rest", status: String(status) },
});

/** What is wrong with a token of an app, in the words of GitHub as clients report them; null: nothing. */
function wrongJwt(jwt: string): string | null {
  const [head = "", claims = "", signature = ""] = jwt.split(".");
  const undecoded = "A JSON web token could not be decoded";
  try {
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
    if (read(head)["alg"] !== "RS256") return undecoded;
    const key = createPublicKey(KEYS.publicKey);
    if (!verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url")))
      return undecoded;
    const { iat, exp, iss } = read(claims);
    const now = Date.now() / 1000;
    if (!Number.isInteger(iat) || (iat as number) > now)
      return "'Issued at' claim ('iat') must be an Integer in the past";
    if (!Number.isInteger(exp) || (exp as number) <= now)
      return "'Expiration time' claim ('exp') must be in the future";
    if ((exp as number) > now + 600) return "'Expiration time' claim ('exp') is too far in the future";
    return iss === APP_ID ? null : undecoded;
  } catch {
    return undecoded;
  }
}

/** The fields of the event that its schema names. (octokit/openapi-webhooks: webhook-deployment-protection-rule-requested) */
function payloadOf(url: string, { repository, run_id, environment }: GithubRun["entry"]): Record<string, unknown> {
  const html_url = `https://github.com/${repository}`;
  return {
    action: "requested",
    environment,
    event: "push",
    deployment_callback_url: `${url}/repos/${repository}/actions/runs/${run_id}/deployment_protection_rule`,
    deployment: {
      id: run_id * 10,
      sha: "c5b97d5ae6c19d5c5df71a34c7fbeeda2479ccbc",
      ref: "main",
      task: "deploy",
      environment,
      production_environment: environment === "production",
      creator: { login: "octocat", id: 1 },
    },
    pull_requests: [{ number: 7, html_url: `${html_url}/pull/7` }],
    repository: { id: REPOSITORY_ID, full_name: repository, html_url, private: true },
    installation: { id: INSTALLATION },
    sender: { login: "octocat", id: 1 },
  };
}
