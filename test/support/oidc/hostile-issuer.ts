/** A sign-in provider that lies: what it answers is what the test says. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";

export const SECRET = "the secret of the client, 32 bytes long";
export const CLIENT_ID = "tasks";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HostileIssuer {
  issuer: string;
  /** Settings of a service that uses it. */
  env: Record<string, string>;
  /** Answers of paths, in place of the usual ones. */
  handlers: Map<string, Handler>;
  /** Changes the discovery document. */
  metadata: Record<string, unknown>;
  /** Claims of the next ID tokens, besides those that make one valid; undefined leaves a claim out. */
  claims: Record<string, unknown>;
  /** Signs the ID token; null: as a good provider does. */
  sign: ((claims: object) => Promise<string>) | null;
  /** Signs with the published key. */
  signWell(claims: object): Promise<string>;
  /** A key that is not published. */
  otherKey: CryptoKey;
  /** How often each path was requested. */
  requests: Map<string, number>;
  /** What the service gave the browser for it. Set by the test from the authorization URL. */
  nonce: string;
  stop(): Promise<void>;
}

let keys: Promise<{ privateKey: CryptoKey; jwk: JWK; otherKey: CryptoKey }> | undefined;

async function makeKeys() {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const { privateKey: otherKey } = await generateKeyPair("RS256");
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }, otherKey };
}

export async function startHostileIssuer(): Promise<HostileIssuer> {
  const { privateKey, jwk, otherKey } = await (keys ??= makeKeys());
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signWell = (claims: object) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(privateKey);
  const it: HostileIssuer = {
    issuer,
    env: {
      SERVICE_PUBLIC_URL: "http://tasks.test",
      SERVICE_OIDC_ISSUER: issuer,
      SERVICE_OIDC_CLIENT_ID: CLIENT_ID,
      SERVICE_OIDC_CLIENT_SECRET: SECRET,
    },
    handlers: new Map(),
    metadata: {},
    claims: {},
    sign: null,
    signWell,
    otherKey,
    requests: new Map(),
    nonce: "",
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  const usual: Record<string, () => Promise<object> | object> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
      ...it.metadata,
    }),
    "/jwks": () => ({ keys: [jwk] }),
    "/token": async () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        aud: CLIENT_ID,
        sub: "dana-1",
        nonce: it.nonce,
        iat: now,
        exp: now + 300,
        ...it.claims,
      };
      return { access_token: "at", token_type: "Bearer", id_token: await (it.sign ?? signWell)(claims) };
    },
  };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url!, issuer).pathname;
    it.requests.set(path, (it.requests.get(path) ?? 0) + 1);
    const own = it.handlers.get(path);
    if (own !== undefined) return own(request, response);
    const answer = usual[path];
    if (answer === undefined) return void response.writeHead(404).end();
    void Promise.resolve(answer()).then((body) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(body)),
    );
  });
  return it;
}
