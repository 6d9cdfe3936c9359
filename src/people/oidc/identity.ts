import type { OidcConfig } from "../../config/sign-in.ts";
import { isEmailAddress, isStorableText, toStorableText } from "../../lib/text.ts";
import { issuerKey } from "./links.ts";
import { ProviderFailure } from "./provider-failure.ts";
import type { Claims, Redeemed } from "./provider.ts";

/** The longest subject that the standard allows. */
const SUBJECT_MAX = 255;
const NAME_MAX = 200;

/** A person as the provider describes them. */
export interface Identity {
  /** In the spelling of the database. */
  issuer: string;
  subject: string;
  /** null unless the provider calls it verified. */
  email: string | null;
  /** Also if it is not verified: for the log only. */
  claimedEmail: string | null;
  name: string | null;
  groups: readonly string[];
  /** The provider left the groups out, because there are too many. Then `groups` is empty. */
  hasTooManyGroups: boolean;
  /** When the person last proved to the provider who they are, epoch milliseconds; null if it does not say. */
  authenticatedAt: number | null;
}

/** @throws ProviderFailure if the subject cannot be stored */
export function readIdentity({ idToken, userInfo }: Redeemed, { issuer, groupsClaim }: OidcConfig): Identity {
  const subject = idToken["sub"];
  if (typeof subject !== "string" || subject === "" || subject.length > SUBJECT_MAX || !isStorableText(subject))
    throw new ProviderFailure("OIDC_TOKEN_INVALID", "The subject of the ID token is empty or too long.");
  const claims = { ...userInfo, ...idToken };
  // Email and verification must come from one place.
  const address = emailOf([idToken, userInfo ?? {}].find(saysIfVerified) ?? claims);
  const authTime = idToken["auth_time"];
  return {
    issuer: issuerKey(issuer),
    subject,
    ...address,
    name: textOf(claims["name"]),
    groups: groupsOf(claims[groupsClaim]),
    hasTooManyGroups: claims[groupsClaim] === undefined && isLeftOut(claims, groupsClaim),
    authenticatedAt: typeof authTime === "number" ? authTime * 1000 : null,
  };
}

/** Returns whether claims tell if their email is verified. */
export function saysIfVerified(claims: Claims): boolean {
  return claims["email_verified"] !== undefined || claims["xms_edov"] !== undefined;
}

function emailOf(claims: Claims): Pick<Identity, "email" | "claimedEmail"> {
  const email = claims["email"];
  if (typeof email !== "string" || !isEmailAddress(email)) return { email: null, claimedEmail: null };
  return { email: isVerified(claims) ? email : null, claimedEmail: email };
}

/**
 * Only `true` counts. Microsoft Entra ID has a claim of its own instead: it says whether the owner of the domain has proved
 * that the domain is theirs.
 */
function isVerified(claims: Claims): boolean {
  if (claims["email_verified"] !== undefined) return claims["email_verified"] === true;
  return claims["xms_edov"] === true || claims["xms_edov"] === 1;
}

function textOf(value: unknown): string | null {
  const text = typeof value === "string" ? toStorableText(value.trim(), NAME_MAX) : "";
  return text === "" ? null : text;
}

/** A single group may be a text. */
function groupsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** Says where a claim is instead of its value. (OpenID Connect Core, 5.6.2) */
function isLeftOut(claims: Claims, name: string): boolean {
  const elsewhere = claims["_claim_names"];
  return typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, name);
}
