import { hash } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { OidcConfig } from "../../config/sign-in.ts";
import type { Db, Tx } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import { isSameSecret } from "../../lib/keys.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Browser } from "../browser.ts";
import type { Caller } from "../caller.ts";
import { confirmSession } from "../confirmation.ts";
import { beginSession } from "../sign-in.ts";
import type { Cookies } from "../sessions.ts";
import { lockOperators } from "../store.ts";
import { BEGUN_MS, createBegunCookies, returnPath, type Begun } from "./begun.ts";
import { readIdentity, type Identity } from "./identity.ts";
import { completeOnce, findLink } from "./links.ts";
import { applyOperatorGroup } from "./operator-group.ts";
import { personOfIdentity } from "./person.ts";
import { ProviderFailure } from "./provider-failure.ts";
import type { Provider } from "./provider.ts";

export interface OidcContext {
  config: Config;
  db: Db;
  log: Logger;
  cookies: Cookies;
  /** null: it is not set up. */
  provider: Provider | null;
}

/** Where to send the browser, and what it keeps. */
export interface Step {
  location: string;
  setCookies: string[];
}

/** Callbacks that wait for the provider at a time, so that a provider that hangs does not fill the memory. */
const WAITING_MAX = 200;
/** Clocks of provider and service may differ by this much. */
const CLOCKS_DIFFER_MS = 1 * MINUTE;

/**
 * Begins a sign-in, or the confirmation of a session.
 *
 * @throws ServiceError OIDC_NOT_CONFIGURED, OIDC_PROVIDER_ERROR, OIDC_PROVIDER_UNAVAILABLE
 */
export async function beginOidc(
  ctx: OidcContext,
  caller: Caller | null,
  { returnTo, isConfirmation }: { returnTo: string | null; isConfirmation: boolean },
): Promise<Step> {
  const { provider } = requireConfigured(ctx);
  // Without a session there is nothing to confirm. Signing in does the same for the person.
  const session = isConfirmation && caller?.kind === "user" ? caller.session : null;
  const secrets = await provider.newSecrets();
  const location = await asking(() => provider.authorizationUrl(secrets, session !== null));
  const begun = { ...secrets, returnTo: returnPath(returnTo, ctx.config.publicUrl), at: ctx.db.now(), session };
  return { location, setCookies: [createBegunCookies(ctx.config).keep(begun)] };
}

/** What is known of a sign-in that failed. */
export interface Attempt {
  /** What the browser had begun; null if nothing. */
  begun: Begun | null;
  /** The person, as far as the provider said who they are. */
  identity: Identity | null;
}

/**
 * Completes what the browser began.
 *
 * @param attempt - is filled in on the way, for the page that tells of a failure
 * @throws ServiceError with a code of `OIDC_...`, OVERLOADED
 */
export async function completeOidc(
  ctx: OidcContext,
  caller: Caller | null,
  browser: Browser,
  query: URLSearchParams,
  attempt: Attempt,
): Promise<Step> {
  const { provider, oidc } = requireConfigured(ctx);
  const begun = createBegunCookies(ctx.config).open(browser.cookie);
  attempt.begun = begun;
  const isOwn = begun !== null && isSameSecret(query.get("state") ?? "", begun.state);
  if (!isOwn || ctx.db.now() - begun.at >= BEGUN_MS) throw new ServiceError("OIDC_SIGN_IN_EXPIRED");
  const identity = await withRoom(ctx, () =>
    asking(async () => readIdentity(await provider.redeem(query, begun), oidc)),
  );
  attempt.identity = identity;
  const completed = { begun, identity, browser };
  return begun.session === null ? signInAs(ctx, oidc, completed) : confirmAs(ctx, caller, completed);
}

interface Completed {
  begun: Begun;
  identity: Identity;
  browser: Browser;
}

async function signInAs(ctx: OidcContext, oidc: OidcConfig, { begun, identity, browser }: Completed): Promise<Step> {
  const cookie = ctx.cookies.make();
  await ctx.db.write(async (tx) => {
    await spend(tx, begun);
    // Operators first: see `changeUser`.
    const operators = oidc.operatorGroup === null ? [] : await lockOperators(tx);
    const found = await personOfIdentity(tx, oidc, identity);
    const user = await applyOperatorGroup(ctx, tx, { operators, user: found, identity });
    await beginSession(tx, browser, user, {
      hash: cookie.hash,
      method: "oidc",
      // A provider where the person is signed in does not ask again. Then they proved who they are at an earlier time.
      confirmedAt: Math.min(identity.authenticatedAt ?? 0, tx.now()),
      details: { issuer: identity.issuer },
    });
  });
  return stepTo(ctx, begun, cookie.setCookie);
}

/** Confirms the session that began this, if its own person signed in at the provider since. */
async function confirmAs(ctx: OidcContext, caller: Caller | null, { begun, identity }: Completed): Promise<Step> {
  if (caller?.kind !== "user" || caller.session !== begun.session)
    throw new ServiceError("OIDC_CONFIRMATION_FAILED", {
      message: "Your session has ended or changed since you began to confirm. Go back and try again.",
    });
  const { id } = caller.user;
  if ((await findLink(ctx.db, identity))?.user_id !== id) throw new ServiceError("OIDC_CONFIRMATION_FAILED");
  const { authenticatedAt } = identity;
  if (authenticatedAt === null || authenticatedAt < begun.at - CLOCKS_DIFFER_MS)
    throw new ServiceError("OIDC_CONFIRMATION_FAILED", {
      message: "Your company's sign-in did not ask you to sign in again, so you are not confirmed.",
    });
  const cookie = ctx.cookies.make();
  const settle = async (tx: Tx) => {
    await spend(tx, begun);
    return null;
  };
  await ctx.db.write((tx) => confirmSession(tx, caller, cookie.hash, { method: "oidc", settle }));
  return stepTo(ctx, { ...begun, returnTo: withConfirmed(begun.returnTo) }, cookie.setCookie);
}

/** Tells the page that the person is confirmed: it says so, and that nothing else has happened yet. */
function withConfirmed(path: string): string {
  return path.replace(/#.*$|$/, (fragment) => `${path.includes("?") ? "&" : "?"}confirmed=1${fragment}`);
}

function stepTo({ config }: OidcContext, { returnTo }: Begun, sessionCookie: string): Step {
  return { location: returnTo, setCookies: [sessionCookie, createBegunCookies(config).forget] };
}

/** A state is used once, on every process. Only a hash is stored. @throws ServiceError OIDC_SIGN_IN_EXPIRED */
async function spend(tx: Tx, { state, at }: Begun): Promise<void> {
  const row = { state_hash: hash("sha256", state), ends_at: at + BEGUN_MS };
  if (!(await completeOnce(tx, row))) throw new ServiceError("OIDC_SIGN_IN_EXPIRED");
}

export function requireConfigured({ config, provider }: Pick<OidcContext, "config" | "provider">) {
  const { oidc } = config.signIn;
  if (provider === null || oidc === null) throw new ServiceError("OIDC_NOT_CONFIGURED");
  return { provider, oidc };
}

/** Turns failures of the provider into errors for people. Operators find the reason in the log. */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof ProviderFailure ? new ServiceError(error.code, { cause: error }) : error;
  }
}

const waiting = new WeakMap<Provider, number>();

/** @throws ServiceError OVERLOADED */
async function withRoom<T>({ provider }: Pick<OidcContext, "provider">, run: () => Promise<T>): Promise<T> {
  const count = waiting.get(provider!) ?? 0;
  if (count >= WAITING_MAX) throw new ServiceError("OVERLOADED");
  waiting.set(provider!, count + 1);
  try {
    return await run();
  } finally {
    waiting.set(provider!, waiting.get(provider!)! - 1);
  }
}
