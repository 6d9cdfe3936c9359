import type { Environment } from "./environment.ts";
import { isLoopback } from "./hosts.ts";

const PASSWORD_SIGN_IN = ["everyone", "operators", "off"] as const;
/** Who may sign in with a password. */
export type PasswordSignIn = (typeof PASSWORD_SIGN_IN)[number];

/** The provider that people sign in with, and the client that the service is there. (OpenID Connect) */
export interface OidcConfig {
  /** As the provider's own discovery document spells it. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces; `openid` is one of them. */
  scopes: string;
  /** The claim that lists a person's groups. */
  groupsClaim: string;
  /** Members of this group are operators, and others are not. null: groups change nothing. */
  operatorGroup: string | null;
  /** Whether a person who is not in the directory is added at their first sign-in. */
  autoCreate: boolean;
}

export interface SignInConfig {
  passwords: PasswordSignIn;
  /** null: people sign in without a provider. */
  oidc: OidcConfig | null;
}

const NEEDED = ["SERVICE_OIDC_ISSUER", "SERVICE_OIDC_CLIENT_ID", "SERVICE_OIDC_CLIENT_SECRET"] as const;
const OPTIONAL = [
  "SERVICE_OIDC_SCOPES",
  "SERVICE_OIDC_GROUPS_CLAIM",
  "SERVICE_OIDC_OPERATOR_GROUP",
  "SERVICE_OIDC_AUTO_CREATE",
] as const;

export const SIGN_IN_VARIABLES: readonly string[] = [...NEEDED, ...OPTIONAL, "SERVICE_PASSWORD_SIGN_IN"];

export function readSignIn(env: Environment): SignInConfig {
  const passwords = readPasswordSignIn(env);
  const oidc = readOidc(env);
  const isOn = NEEDED.some((name) => env.get(name) !== undefined);
  if (passwords !== "everyone" && !isOn)
    env.warnings.push(
      `SERVICE_PASSWORD_SIGN_IN is "${passwords}", and no sign-in provider is set up. Only people who have a passkey can then sign in. Set SERVICE_OIDC_ISSUER, or leave SERVICE_PASSWORD_SIGN_IN unset.`,
    );
  return { passwords, oidc };
}

function readPasswordSignIn(env: Environment): PasswordSignIn {
  const text = env.get("SERVICE_PASSWORD_SIGN_IN") ?? "everyone";
  const known = PASSWORD_SIGN_IN.find((one) => one === text);
  if (known === undefined)
    env.problems.push(`SERVICE_PASSWORD_SIGN_IN is "${text}"; it must be one of ${PASSWORD_SIGN_IN.join(", ")}.`);
  return known ?? "everyone";
}

function readOidc(env: Environment): OidcConfig | null {
  const [issuer, clientId, clientSecret] = NEEDED.map((name) => env.get(name));
  const scopes = readScopes(env);
  const groupsClaim = env.get("SERVICE_OIDC_GROUPS_CLAIM") ?? "groups";
  const operatorGroup = env.get("SERVICE_OIDC_OPERATOR_GROUP") ?? null;
  const autoCreate = readSwitch(env, "SERVICE_OIDC_AUTO_CREATE");
  const given = [...NEEDED, ...OPTIONAL].filter((name) => env.get(name) !== undefined);
  if (given.length === 0) return null;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const missing = NEEDED.filter((name) => env.get(name) === undefined);
    env.problems.push(
      `${missing.join(" and ")} must be set with ${given[0]}. Sign-in with a provider needs all three.`,
    );
    return null;
  }
  const problem = problemOfIssuer(issuer);
  if (problem !== null) env.problems.push(`SERVICE_OIDC_ISSUER is not valid: ${problem}.`);
  return { issuer, clientId, clientSecret, scopes, groupsClaim, operatorGroup, autoCreate };
}

function problemOfIssuer(text: string): string | null {
  if (!URL.canParse(text)) return "it must be an address such as https://login.example.com";
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol === "http:" && !isLoopback(hostname)) return "it must be https, unless the provider is on this machine";
  if (protocol !== "https:" && protocol !== "http:") return "it must be an address such as https://login.example.com";
  if (/[?#]/.test(text) || username !== "" || password !== "") return "it must have no query, fragment or password";
  if (text.includes("/.well-known/"))
    return "it must be the issuer itself, which is the part of the address before /.well-known/";
  return null;
}

function readScopes(env: Environment): string {
  const scopes = (env.get("SERVICE_OIDC_SCOPES") ?? "openid email profile").split(/\s+/);
  if (!scopes.includes("openid")) env.problems.push("SERVICE_OIDC_SCOPES must contain openid.");
  return scopes.join(" ");
}

function readSwitch(env: Environment, name: string): boolean {
  const text = env.get(name) ?? "0";
  if (text !== "0" && text !== "1") env.problems.push(`${name} is "${text}"; it must be 1 or 0.`);
  return text === "1";
}
