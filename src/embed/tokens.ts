import { randomUUID } from "node:crypto";
import type { Db } from "../db/database.ts";
import type { EmbedConfig } from "../config/embed.ts";
import { ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";
import { SECOND } from "../lib/time.ts";
import { isAllowedOrigin } from "../lib/web-origins.ts";
import type { EmbedGrant, RecipientCaller } from "../people/caller.ts";
import type { AgentFinder } from "../people/agent-caller.ts";
import { mayStillEmbed } from "../people/identify.ts";

const ALGORITHM = "HS256";
const ISSUER = "service";
const AUDIENCE = "embed";
/** The clocks of replicas may differ by this much. */
const LEEWAY_SECONDS = 5;
/** (spec: Limits, embed) */
export const TTL_SECONDS_MAX = 3600;

/** The claims of a token. */
export interface Claims extends Omit<EmbedGrant, "kind" | "expires_at"> {
  /** The origin that may embed the form and that receives its events. */
  parent_origin: string;
}

/** A person who answers in a form that a product embeds. */
export type EmbedCaller = RecipientCaller<EmbedGrant>;

/**
 * Creates a token for one task. (spec: Embed token result)
 * @returns `expires_at`: epoch milliseconds, of a whole second
 */
export async function signToken(
  { signingSecret }: Pick<EmbedConfig, "signingSecret">,
  { task_id, sub, parent_origin, key_id }: Claims,
  ttlSeconds: number,
  now: number,
): Promise<{ token: string; expires_at: number }> {
  const { SignJWT } = await import("jose");
  const issued = Math.floor(now / SECOND);
  const expires = issued + ttlSeconds;
  const token = await new SignJWT({ task_id, parent_origin })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: key_id })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(sub)
    .setJti(randomUUID())
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .sign(signingSecret);
  return { token, expires_at: expires * SECOND };
}

/**
 * Returns the caller that a token identifies, if the token is valid and its embed key is active.
 *
 * @param token - null if the request has none
 * @throws ServiceError INVALID_EMBED_TOKEN; EMBED_ORIGIN_NOT_ALLOWED where the list has changed since
 */
export async function openToken(
  ctx: { db: Db; agents: AgentFinder },
  { signingSecret, parentOrigins }: EmbedConfig,
  token: string | null,
): Promise<EmbedCaller> {
  const granted = token === null ? null : await readToken(signingSecret, token, ctx.db.now());
  if (granted === null || !(await mayStillEmbed(ctx, granted.key_id))) throw new ServiceError("INVALID_EMBED_TOKEN");
  const { task_id, sub, key_id, parent_origin, expires_at } = granted;
  if (!isAllowedOrigin(parentOrigins, parent_origin)) throw new ServiceError("EMBED_ORIGIN_NOT_ALLOWED");
  const grant = { kind: "embed", task_id, sub, key_id, expires_at } as const;
  return { kind: "recipient", channel: "embed", person: null, email: null, account: null, grant };
}

/** Returns what a token grants, or null if it is invalid for any reason. No claim is read before the signature is verified. */
async function readToken(
  signingSecret: Uint8Array,
  token: string,
  now: number,
): Promise<(Claims & { expires_at: number }) | null> {
  const { errors, jwtVerify } = await import("jose");
  try {
    const { payload, protectedHeader } = await jwtVerify(token, signingSecret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      clockTolerance: LEEWAY_SECONDS,
      // Also rejects tokens from the future.
      maxTokenAge: TTL_SECONDS_MAX,
      requiredClaims: ["jti", "iat", "exp"],
      currentDate: new Date(now),
    });
    const { sub, task_id, parent_origin, exp = 0 } = payload;
    const { kid } = protectedHeader;
    if (
      typeof sub !== "string" ||
      typeof task_id !== "string" ||
      !isId("tsk", task_id) ||
      typeof parent_origin !== "string" ||
      typeof kid !== "string" ||
      !(isId("key", kid) || isId("atk", kid))
    )
      return null;
    return { task_id, sub, parent_origin, key_id: kid, expires_at: exp * SECOND };
  } catch (error) {
    // The library has many errors for an invalid token. The caller gets the same one for all.
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
