import type { Config } from "../config.ts";
import type { Tx } from "../db/database.ts";
import type { PasskeyRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { issuerKey, listLinks } from "./oidc/links.ts";
import { usableOf } from "./passkeys/requirement.ts";
import { passkeysOfAll } from "./passkeys/store.ts";
import { isPasswordAllowed } from "./password-sign-in.ts";
import type { User } from "./store.ts";

/** The settings that say who can sign in. */
export type SignInSettings = Pick<Config, "signIn" | "publicUrl">;

interface Change {
  /** The operators before the change, locked. */
  operators: readonly User[];
  /** One person after the change. */
  after: User;
  /** Whether the change removes their accounts at sign-in providers. */
  isUnlinked?: boolean;
  /** Passkeys of theirs that the change removes. */
  removedPasskeys?: readonly PasskeyRow[];
}

/** Requires that an operator who can sign in is left. @throws ServiceError LAST_OPERATOR */
export async function requireOperatorLeft(
  tx: Tx,
  settings: SignInSettings,
  { operators, after, isUnlinked = false, removedPasskeys = [] }: Change,
): Promise<void> {
  const left = [...operators.filter(({ id }) => id !== after.id), after].filter(
    ({ active, is_operator }) => active && is_operator,
  );
  if (operators.length > 0 && left.length === 0) throw new ServiceError("LAST_OPERATOR");
  const ids = [...new Set([...operators, after].map(({ id }) => id))];
  const linked = await linkedAmong(tx, settings, ids);
  const passkeys = usableOf(settings, await passkeysOfAll(tx, ids));
  const removed = new Set(removedPasskeys.map(({ id }) => id));
  const kept = passkeys.filter(({ id }) => !removed.has(id));
  const isAbleNow = (user: User) => hasWayIn(settings, user, passkeys) || linked.has(user.id);
  const isAbleLater = (user: User) =>
    hasWayIn(settings, user, kept) || (linked.has(user.id) && !(isUnlinked && user.id === after.id));
  if (operators.some(isAbleNow) && !left.some(isAbleLater)) throw new ServiceError("LAST_OPERATOR");
}

/** Whether an operator can use their password, or a passkey in its place. */
function hasWayIn({ signIn }: SignInSettings, user: User, passkeys: readonly PasskeyRow[]): boolean {
  if (user.password_hash === null) return false;
  const hasPasskey = passkeys.some(({ user_id }) => user_id === user.id);
  return hasPasskey || (user.email !== null && isPasswordAllowed(signIn, user));
}

async function linkedAmong(
  tx: Tx,
  { signIn: { oidc } }: SignInSettings,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (oidc === null) return new Set();
  const issuer = issuerKey(oidc.issuer);
  const links = await listLinks(tx, ids);
  return new Set(links.filter((link) => link.issuer === issuer).map(({ user_id }) => user_id));
}
