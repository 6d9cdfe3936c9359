import { canHavePasskeys } from "../../config/server.ts";
import type { Config } from "../../config.ts";
import { ServiceError } from "../../errors.ts";

/** What passkeys of this service are bound to. */
export interface Site {
  /** The host of the public URL. A browser offers a passkey only on the host that it was made for. (WebAuthn: RP ID) */
  rpId: string;
  /** Scheme, host and port of the public URL. Answers from pages of another origin are rejected. */
  origin: string;
}

type PublicUrl = Pick<Config, "publicUrl">;

/** Returns null if browsers allow no passkeys at the public URL. */
export function siteOf({ publicUrl }: PublicUrl): Site | null {
  if (!canHavePasskeys(publicUrl)) return null;
  const { hostname, origin } = new URL(publicUrl);
  return { rpId: hostname, origin };
}

/** @throws ServiceError PASSKEYS_UNAVAILABLE */
export function requireSite(config: PublicUrl): Site {
  const site = siteOf(config);
  if (site === null) throw new ServiceError("PASSKEYS_UNAVAILABLE");
  return site;
}
