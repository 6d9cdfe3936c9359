import type { SignInConfig } from "../config/sign-in.ts";
import type { User } from "./store.ts";

/** Returns whether a person may use their password. (SERVICE_PASSWORD_SIGN_IN) */
export function isPasswordAllowed({ passwords }: SignInConfig, { is_operator }: Pick<User, "is_operator">): boolean {
  return passwords === "everyone" || (passwords === "operators" && is_operator);
}
