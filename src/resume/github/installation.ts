import type { Answer, Connection, Http, Resumed } from "../kind.ts";
import type { OwnStatuses } from "../statuses.ts";
import { bodyOf } from "../answer.ts";
import { under } from "../requests.ts";
import { callGithub, readGithub } from "./answers.ts";
import { appToken, readSecret } from "./secret.ts";

export const GITHUB_API = "https://api.github.com";

/** What a token for an attempt may do, and nothing else: review deployments, and read runs. */
const PERMISSIONS = { actions: "read", deployments: "write" };

/** A connection in parts. */
export interface App {
  url: string;
  /** Client id or id. */
  app_id: string;
  /** null: it is looked up by repository. */
  installation_id: number | null;
  /** @param now - epoch milliseconds */
  token(now: number): string;
}

/** Returns the app of a connection. Its secret was checked when it was stored. @throws Error without one that can be read */
export function appOf({ address, secret }: Connection): App {
  const parts = readSecret(secret ?? "");
  if (typeof parts === "string") throw new Error(parts);
  const app_id = address["app_id"] as string;
  return {
    url: (address["url"] as string | undefined) ?? GITHUB_API,
    app_id,
    installation_id: (address["installation_id"] as number | undefined) ?? null,
    token: (now) => appToken(parts.privateKey, app_id, now),
  };
}

/** A key that GitHub does not accept; so it answers too when the clocks of both sides differ by minutes. */
export const BAD_KEY: OwnStatuses = {
  401: {
    meaning: "refused",
    message:
      "GitHub answered 401: it does not accept the private key for this app, or the clock of this machine is wrong.",
  },
};

/** A token of an installation, or why there is none. */
export type TokenResult = { token: string } | { failed: Resumed };

/**
 * Asks for a token that can review deployments of one repository for an hour. It is used for this attempt, and never stored.
 * (GitHub REST API: "Create an installation access token for an app")
 * @throws NotAnswered
 */
export async function installationToken(
  app: App,
  [owner, name]: [string, string],
  http: Http,
  now: number,
): Promise<TokenResult> {
  const asApp = app.token(now);
  let id = app.installation_id;
  if (id === null) {
    const found = await callGithub(http, asApp, {
      method: "GET",
      url: under(app.url, "repos", owner, name, "installation"),
    });
    if (found.status !== 200) return { failed: readGithub(found, now, NOT_INSTALLED) };
    const installation = bodyOf(found);
    if (!Number.isSafeInteger(installation["id"])) return notUnderstood(found);
    id = installation["id"] as number;
  }
  const made = await callGithub(http, asApp, {
    url: under(app.url, "app", "installations", String(id), "access_tokens"),
    body: Buffer.from(JSON.stringify({ repositories: [name], permissions: PERMISSIONS })),
  });
  if (made.status !== 201) return { failed: readGithub(made, now, NO_TOKEN) };
  const created = bodyOf(made);
  if (typeof created["token"] !== "string") return notUnderstood(made);
  return { token: created["token"] };
}

/** An operator can still install the app there. */
const NOT_INSTALLED: OwnStatuses = {
  ...BAD_KEY,
  404: { meaning: "later", message: "GitHub answered 404: the app is not installed in this repository." },
};

const NO_TOKEN: OwnStatuses = {
  ...BAD_KEY,
  403: { meaning: "refused", message: "GitHub answered 403: the installation of the app is suspended." },
  404: { meaning: "refused", message: "GitHub answered 404: the app has no such installation." },
  422: {
    meaning: "later",
    message:
      "GitHub answered 422: the installation of the app does not have this repository, or lacks the permissions Actions (read) and Deployments (write).",
  },
};

/** The body may hold a token, so that it is not kept. */
function notUnderstood(answer: Answer): TokenResult {
  const message = `GitHub answered ${answer.status}, with a body that is not as documented. Is the url right?`;
  return { failed: { meaning: "later", message, answer: { ...answer, body: "" } } };
}
