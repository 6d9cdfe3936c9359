/** A real sign-in provider, `oidc-provider`, on this machine. Its accounts are those of the test. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";

/** The claims of an account, besides `sub`. */
export type AccountClaims = Record<string, unknown>;

export interface RealProvider {
  issuer: string;
  /** By what people enter as their name. */
  accounts: Map<string, AccountClaims & { sub: string }>;
  /** Settings of a service that uses it. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

interface Options {
  /** Where the service is. */
  publicUrl: string;
  algorithm?: "RS256" | "ES256";
  /** Puts the claims into the ID token, and not only into the user info. */
  hasFullIdToken?: boolean;
  authentication?: "client_secret_basic" | "client_secret_post";
  host?: "localhost" | "127.0.0.1";
}

/** Keeps what the provider remembers, in memory. */
class Store {
  readonly #rows = new Map<string, Record<string, unknown>>();
  async upsert(id: string, row: Record<string, unknown>): Promise<void> {
    this.#rows.set(id, row);
  }
  async find(id: string): Promise<object | undefined> {
    return this.#rows.get(id);
  }
  async findByUid(uid: string): Promise<object | undefined> {
    return [...this.#rows.values()].find((row) => row["uid"] === uid);
  }
  async consume(id: string): Promise<void> {
    Object.assign(this.#rows.get(id) ?? {}, { consumed: true });
  }
  async destroy(id: string): Promise<void> {
    this.#rows.delete(id);
  }
  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, row] of this.#rows) if (row["grantId"] === grantId) this.#rows.delete(id);
  }
}

const CLIENT = { client_id: "tasks", client_secret: "provider secret/with:signs" };
const KEYS: Record<string, ReturnType<typeof newKey>> = {};

async function newKey(algorithm: string): Promise<object> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: algorithm, use: "sig", kid: algorithm };
}

/** Starts a provider. The caller stops it. */
export async function startRealProvider({
  publicUrl,
  algorithm = "RS256",
  hasFullIdToken = true,
  authentication = "client_secret_basic",
  host = "localhost",
}: Options): Promise<RealProvider> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const accounts: RealProvider["accounts"] = new Map();
  const provider = new Provider(issuer, {
    adapter: Store,
    clients: [
      {
        ...CLIENT,
        redirect_uris: [`${publicUrl}/api/auth/oidc/callback`],
        token_endpoint_auth_method: authentication,
        id_token_signed_response_alg: algorithm,
      },
    ],
    jwks: { keys: [await (KEYS[algorithm] ??= newKey(algorithm))] },
    cookies: { keys: ["a key for the cookies of the provider"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    conformIdTokenClaims: !hasFullIdToken,
    clientAuthMethods: ["client_secret_basic", "client_secret_post"],
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256"] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 3600, Grant: 3600 },
    features: { devInteractions: { enabled: false }, userinfo: { enabled: true } },
    interactions: { url: (_ctx: object, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: object, accountId: string) => {
      const found = [...accounts.values()].find(({ sub }) => sub === accountId);
      return found && { accountId, claims: async () => found };
    },
    // The organization has agreed for its people.
    loadExistingGrant: async ({ oidc }: { oidc: { client: { clientId: string }; session: { accountId: string } } }) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url!.startsWith("/interaction/")) return callback(request, response);
    void interact(provider, accounts, request, response).catch((error: Error) => {
      response.writeHead(500).end(error.message);
    });
  });
  return {
    issuer,
    accounts,
    env: {
      SERVICE_PUBLIC_URL: publicUrl,
      SERVICE_OIDC_ISSUER: issuer,
      SERVICE_OIDC_CLIENT_ID: CLIENT.client_id,
      SERVICE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The page on which people sign in at the provider. */
async function interact(
  provider: Provider,
  accounts: RealProvider["accounts"],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "GET") {
    const { prompt } = await provider.interactionDetails(request, response);
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><html lang="en"><title>Company sign-in</title><main><h1>Company sign-in</h1>
<form method="post"><input type="hidden" name="prompt" value="${prompt.name}">
<label>Account <input name="account"></label>
<button>Continue</button> <button name="cancel" value="1">Cancel</button></form></main></html>`);
    return;
  }
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const given = new URLSearchParams(body);
  const account = accounts.get(given.get("account") ?? "");
  const isCancelled = given.has("cancel") || account === undefined;
  const result = isCancelled
    ? { error: "access_denied", error_description: "The person cancelled." }
    : { login: { accountId: account.sub } };
  await provider.interactionFinished(request, response, result);
}
