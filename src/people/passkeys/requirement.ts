import type { FastifyContextConfig } from "fastify";
import type { Config } from "../../config.ts";
import type { PasskeyRow } from "../../db/schema.ts";
import { ServiceError } from "../../errors.ts";
import type { Caller, Person } from "../caller.ts";
import type { SignInMethod } from "../sessions.ts";
import type { User } from "../store.ts";
import { siteOf } from "./site.ts";

/*
 * The only place that decides what SERVICE_REQUIRE_PASSKEY means.
 *
 * A session is limited while its person must use a passkey and has proved who they are only with a password. A limited session
 * can add the first passkey, confirm with one or with a company account, and sign out: nothing else. Each request checks this,
 * so it also holds for sessions that began before the setting, or before the person became an operator.
 */

type Settings = Pick<Config, "requirePasskey" | "publicUrl">;
type Rights = Pick<Person, "is_operator" | "projects">;

/** Ways to sign in after which no passkey is asked for. The second factors of a company account are up to its provider. */
const ENOUGH: ReadonlySet<SignInMethod> = new Set<SignInMethod>(["passkey", "oidc"]);

/** Whether a password alone is not enough for this person: an operator of all projects, or of one. */
export function mustUsePasskey({ requirePasskey }: Settings, person: Rights): boolean {
  if (requirePasskey !== "operators") return false;
  return person.is_operator || Object.values(person.projects).includes("operator");
}

/** Whether a session is limited. @param method - how its person signed in, or last confirmed who they are */
export function isLimited(settings: Settings, person: Rights, method: SignInMethod): boolean {
  return mustUsePasskey(settings, person) && !ENOUGH.has(method);
}

/** @throws ServiceError PASSKEY_REQUIRED unless the route is for limited sessions too, or the session is not limited */
export function requireUnlimited(caller: Caller, { allowsLimitedSession }: FastifyContextConfig): void {
  if (caller.kind === "user" && caller.isLimited && allowsLimitedSession !== true)
    throw new ServiceError("PASSKEY_REQUIRED");
}

/**
 * Requires more than a password of a person who must use a passkey and has one.
 * @throws ServiceError PASSKEY_REQUIRED
 */
export function requirePasswordIsEnough(settings: Settings, person: Rights, passkeys: readonly PasskeyRow[]): void {
  if (!isPasswordEnough(settings, person, passkeys))
    throw new ServiceError("PASSKEY_REQUIRED", {
      message: "Operators sign in with a passkey on this service. Use your passkey instead of your password.",
    });
}

/** Whether the password of a person opens anything. It does not for a person who must use a passkey and has one. */
export function isPasswordEnough(settings: Settings, person: Rights, passkeys: readonly PasskeyRow[]): boolean {
  return !mustUsePasskey(settings, person) || usableOf(settings, passkeys).length === 0;
}

/** A passkey takes the place of a password. @throws ServiceError PASSKEY_NEEDS_PASSWORD */
export function requirePassword({ password_hash }: Pick<User, "password_hash">): void {
  if (password_hash === null) throw new ServiceError("PASSKEY_NEEDS_PASSWORD");
}

/** The passkeys that were made for the host of the service. Browsers do not offer the others here. */
export function usableOf(settings: Pick<Config, "publicUrl">, passkeys: readonly PasskeyRow[]): PasskeyRow[] {
  const site = siteOf(settings);
  return site === null ? [] : passkeys.filter(({ rp_id }) => rp_id === site.rpId);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether a limited session may call this route. */
    allowsLimitedSession?: boolean;
  }
}
