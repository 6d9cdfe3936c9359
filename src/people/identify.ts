import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";
import { secretCheck } from "../lib/keys.ts";
import { HOUR } from "../lib/time.ts";
import { AGENT_TOKEN_START, type AgentFinder } from "./agent-caller.ts";
import type { Caller } from "./caller.ts";
import { isLimited } from "./passkeys/requirement.ts";
import { callerWithPersonalToken, refreshPersonalToken } from "./personal-tokens/find.ts";
import { PERSONAL_TOKEN_START } from "./personal-tokens/token.ts";
import { callerWithKey, isServiceKey, SERVICE_KEY_START } from "./service-keys.ts";
import { toPerson } from "./sign-in.ts";
import { findUser, findUserByEmail } from "./store.ts";
import { createTokenGuesses } from "./token-guesses.ts";
import { COOKIE_NAME, findSession, readCookie, type Cookies } from "./sessions.ts";

/**
 * Identifies the caller of each request once, from its credentials. A bearer token takes precedence over a cookie: a request
 * with an invalid token is unauthenticated even if its cookie is valid.
 *
 * @returns a promise only if the database has to be queried
 * @throws ServiceError RATE_LIMITED after too many invalid tokens
 */
export function createIdentify(ctx: {
  config: Config;
  db: Db;
  cookies: Cookies;
  agents: AgentFinder;
  log: Logger;
}): (request: FastifyRequest) => Caller | null | Promise<Caller | null> {
  const isAdminToken = createAdminTokenCheck(ctx);
  const guesses = createTokenGuesses(ctx.db);
  const counted = (ip: string, caller: Caller | null) => {
    if (caller === null) guesses.addInvalid(ip);
    else guesses.addValid(ip);
    return caller;
  };
  return (request) => {
    const { headers, ip } = request;
    if (headers.authorization !== undefined) {
      const token = bearerOf(headers);
      if (token === null) return null;
      guesses.requireFew(ip);
      if (isAdminToken(token, request)) return counted(ip, { kind: "admin" });
      if (token.startsWith(AGENT_TOKEN_START)) {
        const found = ctx.agents.find(token);
        return found instanceof Promise ? found.then((caller) => counted(ip, caller)) : counted(ip, found);
      }
      if (token.startsWith(PERSONAL_TOKEN_START))
        return callerWithPersonalToken(ctx.db, token).then((caller) => counted(ip, caller));
      if (!token.startsWith(SERVICE_KEY_START)) return counted(ip, null);
      return callerWithKey(ctx.db, token).then((caller) => counted(ip, caller));
    }
    // Most requests carry no cookie, and parsing one costs.
    const cookie = headers.cookie?.includes(COOKIE_NAME) ? readCookie(headers.cookie) : null;
    const session = cookie === null ? null : ctx.cookies.open(cookie);
    return session === null ? null : callerWithSession(ctx, session);
  };
}

/**
 * Returns the check of the admin token. During a rotation, the previous one is accepted too, and each process logs once an
 * hour that it is still in use. Both are compared, so that the time tells nothing.
 */
function createAdminTokenCheck({
  config: { adminToken, previous },
  db,
  log,
}: {
  config: Config;
  db: Db;
  log: Logger;
}): (token: string, request: FastifyRequest) => boolean {
  let quietUntil = Number.NEGATIVE_INFINITY;
  const isCurrentToken = secretCheck(adminToken);
  const isPreviousToken = previous.adminToken === null ? () => false : secretCheck(previous.adminToken);
  return (token, request) => {
    const isCurrent = isCurrentToken(token);
    const isPrevious = isPreviousToken(token);
    if (isPrevious && db.now() >= quietUntil) {
      quietUntil = db.now() + HOUR;
      log.warn({ ip: request.ip }, "The previous admin token is still in use (SERVICE_ADMIN_API_TOKEN_PREVIOUS)");
    }
    return isCurrent || isPrevious;
  };
}

async function callerWithSession({ db, config }: { db: Db; config: Config }, session: string): Promise<Caller | null> {
  const live = await findSession(db, session);
  return live && { kind: "user", ...live, session, isLimited: isLimited(config, live.user, live.method) };
}

/**
 * Checks again that the credentials of a caller are valid, some time after they were first checked.
 * @returns the caller now: the scopes of an agent, and the projects of a person, may have changed
 * @throws ServiceError UNAUTHENTICATED when the session or the personal token has ended, FORBIDDEN when the person was deactivated,
 *   INVALID_EMBED_TOKEN when what created the embed token was revoked, AGENT_TOKEN_REVOKED or AGENT_DISABLED for an agent
 */
export async function requireStillValid(ctx: { db: Db; agents: AgentFinder }, caller: Caller): Promise<Caller> {
  if (caller.kind === "agent") return ctx.agents.refresh(caller);
  if (caller.kind === "user") {
    const live = await findSession(ctx.db, caller.session);
    if (live === null) throw new ServiceError("UNAUTHENTICATED");
    return { ...caller, user: live.user };
  }
  if (caller.kind === "personal_token") {
    const live = await refreshPersonalToken(ctx.db, caller.token_id);
    if (live === null) throw new ServiceError("UNAUTHENTICATED");
    return live;
  }
  if (caller.kind !== "recipient") return caller;
  const { grant, person, email } = caller;
  switch (grant.kind) {
    case "link": {
      const known = person === null ? await findUserByEmail(ctx.db, email ?? "") : await findUser(ctx.db, person.id);
      if (known?.active === false) throw new ServiceError("FORBIDDEN");
      return person === null || known === null ? caller : { ...caller, person: toPerson(known) };
    }
    case "member": {
      if (person === null) return caller;
      const known = await findUser(ctx.db, person.id);
      if (!known?.active) throw new ServiceError("FORBIDDEN");
      return { ...caller, person: toPerson(known) };
    }
    case "embed":
      if (!(await mayStillEmbed(ctx, grant.key_id))) throw new ServiceError("INVALID_EMBED_TOKEN");
      return caller;
  }
}

/** Whether the embed key, or the token of an agent, that created an embed token is still valid. */
export async function mayStillEmbed({ db, agents }: { db: Db; agents: AgentFinder }, id: string): Promise<boolean> {
  return isId("atk", id) ? agents.mayEmbed(id) : isServiceKey(db, id);
}

/** The token that a request carries, of whatever kind. */
export function bearerOf({ authorization = "" }: { authorization?: string | undefined }): string | null {
  const match = /^bearer +(\S+) *$/i.exec(authorization);
  return match?.[1] ?? null;
}
