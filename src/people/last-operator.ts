import type { SignInConfig } from "../config/sign-in.ts";
import type { Tx } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { issuerKey, listLinks } from "./oidc/links.ts";
import type { User } from "./store.ts";

interface Change {
  /** The operators before the change, locked. */
  operators: readonly User[];
  /** One person after the change. */
  after: User;
  /** Whether the change removes their accounts at sign-in providers. */
  isUnlinked?: boolean;
}

/** Requires that an operator who can sign in is left. @throws ServiceError LAST_OPERATOR */
export async function requireOperatorLeft(
  tx: Tx,
  signIn: SignInConfig,
  { operators, after, isUnlinked = false }: Change,
): Promise<void> {
  const left = [...operators.filter(({ id }) => id !== after.id), after].filter(
    ({ active, is_operator }) => active && is_operator,
  );
  if (operators.length > 0 && left.length === 0) throw new ServiceError("LAST_OPERATOR");
  const linked = await linkedAmong(tx, signIn, [...operators, after]);
  const isAbleNow = (user: User) => canUsePassword(signIn, user) || linked.has(user.id);
  const isAbleLater = (user: User) =>
    canUsePassword(signIn, user) || (linked.has(user.id) && !(isUnlinked && user.id === after.id));
  if (operators.some(isAbleNow) && !left.some(isAbleLater)) throw new ServiceError("LAST_OPERATOR");
}

/** Whether an operator has a password that counts. */
function canUsePassword({ passwords }: SignInConfig, { password_hash, email }: User): boolean {
  return passwords !== "off" && password_hash !== null && email !== null;
}

async function linkedAmong(tx: Tx, { oidc }: SignInConfig, users: readonly User[]): Promise<ReadonlySet<string>> {
  if (oidc === null) return new Set();
  const issuer = issuerKey(oidc.issuer);
  const links = await listLinks(tx, [...new Set(users.map(({ id }) => id))]);
  return new Set(links.filter((link) => link.issuer === issuer).map(({ user_id }) => user_id));
}
