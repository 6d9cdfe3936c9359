import { Text } from "../../http/schema.ts";
import { isJsonObject } from "../../lib/json.ts";
import { Type } from "../../lib/type.ts";
import { bodyOf, jsonOf } from "../answer.ts";
import { callGithub, readGithub } from "../github/answers.ts";
import { appOf, BAD_KEY, GITHUB_API, installationToken } from "../github/installation.ts";
import { reviewOf, taskMark } from "../github/review.ts";
import { readSecret } from "../github/secret.ts";
import type { Answer, Attempt, Connection, Fields, Http, Probed, Resumed, ResumeKind } from "../kind.ts";
import { orDoneAlready } from "../statuses.ts";
import { partProblem, under } from "../requests.ts";

/** Owners have letters, digits, `-`, and `_` in managed accounts; repositories also have dots. */
const REPOSITORY = /^([\w-]{1,100})\/([\w.-]{1,100})$/;

/**
 * A deployment that waits for a custom deployment protection rule of a GitHub App.
 * (GitHub: "Creating custom deployment protection rules", and "Review custom deployment protection rules for a workflow run" of the
 * REST API, version 2022-11-28)
 */
export const github: ResumeKind = {
  name: "github",
  title: "GitHub",
  connection: {
    address: Type.Object({
      url: Type.Optional(
        Text({
          minLength: 1,
          maxLength: 2048,
          description: `The REST API. Default: \`${GITHUB_API}\`. A GitHub Enterprise Server has \`https://<host>/api/v3\`.`,
        }),
      ),
      app_id: Text({ minLength: 1, maxLength: 100, description: "Client id of the GitHub App, or its app id." }),
      installation_id: Type.Optional(
        Type.Integer({ minimum: 1, description: "Installation of the app. Default: the one that has the repository." }),
      ),
    }),
    secret:
      "The private key of the app, as its .pem file has it, then on a line of its own the webhook secret of the app, if deliveries create tasks.",
    isSecretRequired: true,
    hasLongSecret: true,
    checkSecret: (secret) => {
      const parts = readSecret(secret);
      return typeof parts === "string" ? parts : null;
    },
    createsTasks: (secret) => {
      const parts = readSecret(secret);
      if (typeof parts === "string") return parts;
      return parts.webhookSecret === null
        ? "Webhooks create tasks only if the secret has the webhook secret of the app: after the private key, on a line of its own."
        : null;
    },
    defaultUrl: () => GITHUB_API,
    probe,
  },
  address: Type.Object({
    repository: Text({ minLength: 3, maxLength: 201, description: "`owner/name`." }),
    run_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "Id of the workflow run." }),
    environment: Text({ minLength: 1, maxLength: 255, description: "Name of the environment that it deploys to." }),
    approved_when: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          minProperties: 1,
          maxProperties: 10,
          description:
            "Fields and values that a response must have to let the deployment go. Default: `decision` is `approve`, or `approved` is `true`.",
        },
      ),
    ),
  }),
  checkAddress: (address) =>
    partsOf(address) === null
      ? { path: "/repository", message: "This must be the owner and the name of a repository: `owner/name`." }
      : null,
  resume: async (attempt, http) => {
    const { address, connection, outcome, now } = attempt;
    const [owner, name] = partsOf(address)!;
    const app = appOf(connection!);
    const got = await installationToken(app, [owner, name], http, now);
    if ("failed" in got) return got.failed;

    const run = [app.url, "repos", owner, name, "actions", "runs", String(address["run_id"])] as const;
    const { state, comment } = reviewOf(outcome, (address["approved_when"] as Fields | undefined) ?? null);
    const answer = await callGithub(http, got.token, {
      url: under(...run, "deployment_protection_rule"),
      body: Buffer.from(JSON.stringify({ environment_name: address["environment"], state, comment })),
    });
    if (answer.status === 422) return orDoneAlready(await lookWhy(attempt, answer, run, got.token, http), attempt);
    if (answer.status === 204)
      return { meaning: "done", message: `GitHub answered 204: the deployment is ${state}.`, answer };
    return readGithub(answer, now, {
      404: { meaning: "gone", message: "GitHub answered 404: there is no such workflow run." },
    });
  },
};

/** Returns owner and name of a repository; null if the text is not both. */
function partsOf(address: Fields): [string, string] | null {
  const match = REPOSITORY.exec(address["repository"] as string);
  return match === null || partProblem(match[2]!) !== null ? null : [match[1]!, match[2]!];
}

/**
 * Says what it means that no request of this app is pending in the run: GitHub answers so to a repetition, after a run has ended, before
 * the run has come to the environment, and after a person of the repository has bypassed the rule.
 */
async function lookWhy(
  { address, task_id, now }: Attempt,
  answer: Answer,
  run: readonly [string, ...string[]],
  token: string,
  http: Http,
): Promise<Resumed> {
  const reviews = jsonOf(await callGithub(http, token, { method: "GET", url: under(...run, "approvals") }));
  if (Array.isArray(reviews) && reviews.some((review) => isOurs(review, task_id, address["environment"] as string)))
    return { meaning: "done_already", message: "GitHub answered 422: it has this decision already.", answer };

  const found = await callGithub(http, token, { method: "GET", url: under(...run) });
  if (found.status !== 200) return readGithub(found, now, { 404: { meaning: "gone", message: "The run is deleted." } });
  const current = bodyOf(found);
  return current["status"] === "completed"
    ? { meaning: "gone", message: "GitHub answered 422: no deployment waits, and the workflow run has ended.", answer }
    : { meaning: "later", message: "GitHub answered 422: no deployment waits, but the workflow run goes on.", answer };
}

/** Whether a review of the run's history is of this task. (GitHub REST API: "Get the review history for a workflow run") */
function isOurs(review: unknown, task_id: string, environment: string): boolean {
  if (!isJsonObject(review) || typeof review["comment"] !== "string") return false;
  const { environments, state } = review;
  return (
    state !== "pending" &&
    review["comment"].endsWith(taskMark(task_id)) &&
    Array.isArray(environments) &&
    environments.some((one) => isJsonObject(one) && one["name"] === environment)
  );
}

/** Signs in as the app, and looks whether it may do what attempts need. (GitHub REST API: "Get the authenticated app") */
async function probe(connection: Connection, http: Http, now: number): Promise<Probed> {
  const app = appOf(connection);
  const read = (...path: string[]) => callGithub(http, app.token(now), { method: "GET", url: under(app.url, ...path) });
  const answer = await read("app");
  if (answer.status !== 200)
    return {
      ok: false,
      detail: readGithub(answer, now, {
        ...BAD_KEY,
        404: {
          meaning: "refused",
          message: "GitHub answered 404: there is no app with this app_id, or the url is wrong.",
        },
      }).message,
    };
  const found = bodyOf(answer);
  if (!isJsonObject(found["permissions"]))
    return { ok: false, detail: "The answer is not one of GitHub. Is the url right?" };
  const missing = missingRights(found["permissions"], found["events"], readSecret(connection.secret!));
  if (missing !== null) return { ok: false, detail: missing };
  if (app.installation_id !== null) {
    const installation = await read("app", "installations", String(app.installation_id));
    if (installation.status !== 200)
      return { ok: false, detail: `GitHub answered ${installation.status}: the app has no such installation.` };
    const { suspended_at } = bodyOf(installation);
    if (typeof suspended_at === "string") return { ok: false, detail: "The installation of the app is suspended." };
  }
  const name = typeof found["slug"] === "string" ? found["slug"].slice(0, 100) : app.app_id;
  return { ok: true, detail: `GitHub knows the app ${name}.` };
}

/** Returns what the settings of the app lack, as a sentence; null: nothing. */
function missingRights(permissions: Fields, events: unknown, parts: ReturnType<typeof readSecret>): string | null {
  if (permissions["deployments"] !== "write") return "The app lacks the permission Deployments: Read and write.";
  if (permissions["actions"] !== "read" && permissions["actions"] !== "write")
    return "The app lacks the permission Actions: Read-only.";
  const takesWebhooks = typeof parts !== "string" && parts.webhookSecret !== null;
  if (takesWebhooks && !(Array.isArray(events) && events.includes("deployment_protection_rule")))
    return "The app is not subscribed to the event Deployment protection rule.";
  return null;
}
