import type { Configuration, CustomFetch, ServerMetadata } from "openid-client";
import type { OidcConfig } from "../../config/sign-in.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import { createBoundedFetch, isAllowedAddress } from "./bounded-fetch.ts";
import { saysIfVerified } from "./identity.ts";
import { issuerKey } from "./links.ts";
import { ProviderFailure, toProviderFailure } from "./provider-failure.ts";

/** Time limit of each request to the provider. */
const TIMEOUT_MS = 10 * SECOND;
/** What the provider says of itself is read again after this time. */
const DISCOVERED_MS = 10 * MINUTE;
export const CALLBACK_PATH = "/api/auth/oidc/callback";

/** Algorithms whose signatures the provider's public keys verify. `none` and those with the client secret are rejected. */
const ALGORITHMS: ReadonlySet<string> = new Set(
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" "),
);

export type Claims = Readonly<Record<string, unknown>>;

/** The secrets of one sign-in, which tie the provider's answer to the browser that began it. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  /** For PKCE. */
  codeVerifier: string;
}

/** What the provider says of a person. The checks of the ID token are done. */
export interface Redeemed {
  idToken: Claims;
  /** null if the ID token has everything that is needed. */
  userInfo: Claims | null;
}

/** The sign-in provider. All functions throw `ProviderFailure`. */
export interface Provider {
  newSecrets(): Promise<SignInSecrets>;
  /**
   * Returns where to send the browser.
   * @param isConfirmation - the provider must ask the person to sign in, even if they are signed in there
   */
  authorizationUrl(secrets: SignInSecrets, isConfirmation: boolean): Promise<string>;
  /** Checks the provider's answer, and exchanges its code. @param query - of the callback */
  redeem(query: URLSearchParams, secrets: SignInSecrets): Promise<Redeemed>;
  /**
   * Reads the discovery document and the keys, and tries the client's secret.
   * @returns what works and needs attention, as a sentence for operators, or null
   */
  check(): Promise<string | null>;
}

export interface ProviderOptions {
  timeoutMs?: number;
}

/** The library is loaded at the first use. */
const load = () => import("openid-client");

export function createProvider(
  oidc: OidcConfig,
  publicUrl: string,
  { timeoutMs = TIMEOUT_MS }: ProviderOptions = {},
): Provider {
  const redirectUri = `${publicUrl}${CALLBACK_PATH}`;
  const discoverAtTimes = createDiscovery(oidc, timeoutMs);
  const attempt = async <T>(
    run: (library: Library, configuration: Configuration) => Promise<T>,
    find = discoverAtTimes,
  ): Promise<T> => {
    const library = await load();
    try {
      return await run(library, await find());
    } catch (error) {
      throw toProviderFailure(library, error);
    }
  };
  return {
    newSecrets: async () => {
      const { randomState, randomNonce, randomPKCECodeVerifier } = await load();
      return { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    },
    authorizationUrl: ({ state, nonce, codeVerifier }, isConfirmation) =>
      attempt(async (library, configuration) => {
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: oidc.scopes,
          state,
          nonce,
          code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: "S256",
          // The second one makes the provider say when the person signed in.
          ...(isConfirmation && { prompt: "login", max_age: "0" }),
        });
        return url.href;
      }),
    redeem: (query, { state, nonce, codeVerifier }) =>
      attempt(async (library, configuration) => {
        const url = new URL(redirectUri);
        url.search = query.toString();
        const tokens = await library.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const idToken = tokens.claims()!;
        const { userinfo_endpoint } = configuration.serverMetadata();
        const userInfo =
          userinfo_endpoint !== undefined && isIncomplete(idToken, oidc)
            ? await library.fetchUserInfo(configuration, tokens.access_token, idToken.sub)
            : null;
        return { idToken, userInfo };
      }),
    check: () =>
      attempt(
        (library, configuration) => checkClient(library, configuration, oidc, redirectUri),
        () => discover(oidc, timeoutMs),
      ),
  };
}

type Library = Awaited<ReturnType<typeof load>>;

/** Many providers put these claims into the user info only. */
function isIncomplete(idToken: Claims, { operatorGroup, groupsClaim }: OidcConfig): boolean {
  if (idToken["email"] === undefined || !saysIfVerified(idToken)) return true;
  return operatorGroup !== null && idToken[groupsClaim] === undefined;
}

/** Returns what the provider says of itself, read again from time to time. Concurrent calls share one request. */
function createDiscovery(oidc: OidcConfig, timeoutMs: number): () => Promise<Configuration> {
  let known: { found: Promise<Configuration>; at: number } | null = null;
  return async () => {
    if (known === null || performance.now() - known.at > DISCOVERED_MS) {
      const found = discover(oidc, timeoutMs);
      const current = { found, at: performance.now() };
      known = current;
      found.catch(() => {
        if (known === current) known = null;
      });
    }
    return known.found;
  };
}

async function discover(oidc: OidcConfig, timeoutMs: number): Promise<Configuration> {
  const library = await load();
  const boundedFetch = createBoundedFetch(oidc.issuer) as CustomFetch;
  const isHttp = oidc.issuer.startsWith("http:");
  const found = await library.discovery(new URL(oidc.issuer), oidc.clientId, undefined, undefined, {
    timeout: timeoutMs / SECOND,
    [library.customFetch]: boundedFetch,
    ...(isHttp && { execute: [library.allowInsecureRequests] }),
  });
  // Without the parts that the library adds.
  const described = JSON.parse(JSON.stringify(found.serverMetadata())) as ServerMetadata;
  requireUsable(described, oidc.issuer);
  const offered = described.id_token_signing_alg_values_supported;
  const metadata = {
    ...described,
    ...(Array.isArray(offered) && { id_token_signing_alg_values_supported: offered.filter(isAlgorithm) }),
  };
  const configuration = new library.Configuration(
    metadata,
    oidc.clientId,
    undefined,
    authenticationFor(library, metadata, oidc),
  );
  configuration.timeout = timeoutMs / SECOND;
  configuration[library.customFetch] = boundedFetch;
  if (isHttp) library.allowInsecureRequests(configuration);
  // Without this, the library trusts the connection, and does not look at the signature of the ID token.
  library.enableNonRepudiationChecks(configuration);
  return configuration;
}

function isAlgorithm(name: unknown): name is string {
  return typeof name === "string" && ALGORITHMS.has(name);
}

/** The standard's default is the `Authorization` header. */
function authenticationFor(
  { ClientSecretBasic, ClientSecretPost }: Library,
  { token_endpoint_auth_methods_supported: methods }: { token_endpoint_auth_methods_supported?: string[] },
  { clientSecret }: OidcConfig,
) {
  const isPost =
    methods !== undefined && !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
  return isPost ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}

/** @throws ProviderFailure if this is not the issuer that is set, or if it cannot sign people in */
export function requireUsable(metadata: Record<string, unknown> & { issuer: string }, issuer: string): void {
  const broken = (message: string) => new ProviderFailure("OIDC_PROVIDER_ERROR", message);
  // The library accepts other issuers from some vendors, where every customer of theirs could sign in.
  if (issuerKey(metadata.issuer) !== issuerKey(issuer))
    throw broken(
      `The provider calls itself ${metadata.issuer}. Set SERVICE_OIDC_ISSUER to the issuer of your own tenant.`,
    );
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"]) {
    const address = metadata[name];
    if (typeof address !== "string") throw broken(`The discovery document of the provider has no ${name}.`);
    if (!isAllowedAddress(issuer, address)) throw broken(`The ${name} of the provider is not an https address.`);
  }
  const algorithms = metadata["id_token_signing_alg_values_supported"];
  if (Array.isArray(algorithms) && !algorithms.some(isAlgorithm))
    throw broken("The provider signs ID tokens with no algorithm that the service accepts, such as RS256 or ES256.");
}

async function checkClient(
  library: Library,
  configuration: Configuration,
  oidc: OidcConfig,
  redirectUri: string,
): Promise<string | null> {
  const { issuer } = oidc;
  const { jwks_uri = "", scopes_supported } = configuration.serverMetadata();
  await checkKeys(configuration[library.customFetch]!, configuration.timeout!, jwks_uri);
  const probe = new URLSearchParams({ code: "check", redirect_uri: redirectUri, code_verifier: "x".repeat(43) });
  try {
    // No code is valid, so the only question is which error comes: the secret is looked at before the code.
    await library.genericGrantRequest(configuration, "authorization_code", probe);
  } catch (error) {
    const said = error instanceof library.ResponseBodyError ? error.error : null;
    const isRefused = said === "invalid_client" || said === "unauthorized_client";
    if (isRefused || error instanceof library.WWWAuthenticateChallengeError)
      throw new ProviderFailure(
        "OIDC_PROVIDER_ERROR",
        `${issuer} rejects the client. Check SERVICE_OIDC_CLIENT_ID and SERVICE_OIDC_CLIENT_SECRET.`,
      );
  }
  return attentionToGroups(oidc, scopes_supported);
}

/** A provider that has a scope for groups may send them only when it is asked for. Then no one would be an operator. */
function attentionToGroups({ operatorGroup, groupsClaim, scopes }: OidcConfig, offered: unknown): string | null {
  if (operatorGroup === null || !Array.isArray(offered) || !offered.includes(groupsClaim)) return null;
  if (scopes.split(" ").includes(groupsClaim)) return null;
  return `The provider has a scope ${groupsClaim}, which SERVICE_OIDC_SCOPES does not ask for. If no one becomes an operator by their group, set SERVICE_OIDC_SCOPES="${scopes} ${groupsClaim}".`;
}

async function checkKeys(request: CustomFetch, timeoutSeconds: number, jwksUri: string): Promise<void> {
  const response = await request(jwksUri, {
    method: "GET",
    headers: { accept: "application/json" },
    body: undefined,
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutSeconds * SECOND),
  });
  const broken = (what: string) =>
    new ProviderFailure("OIDC_PROVIDER_ERROR", `The keys of the provider cannot be read at ${jwksUri}: ${what}.`);
  if (response.status !== 200) throw broken(`it answers HTTP ${response.status}`);
  const body: unknown = await response.json().catch(() => null);
  const keys = (body as { keys?: unknown } | null)?.keys;
  const isPublic = (key: unknown) => ["RSA", "EC", "OKP"].includes(String((key as { kty?: unknown } | null)?.kty));
  if (!Array.isArray(keys) || !keys.some(isPublic)) throw broken("it has no public key");
}
