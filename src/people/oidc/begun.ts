import { stringifySetCookie } from "cookie";
import type { Config } from "../../config.ts";
import { keyringOf, type SecretRoots } from "../../lib/keys.ts";
import { seal, unseal } from "../../lib/seal.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import { readCookie } from "../sessions.ts";
import type { SignInSecrets } from "./provider.ts";

/** A sign-in that was begun must be completed within this time. */
export const BEGUN_MS = 10 * MINUTE;
const COOKIE = "service_oidc";
const PLACE = "oidc/begun";
/** Longer paths do not fit into the cookie. */
const PATH_MAX = 1024;
const START_PAGE = "/inbox";

/** A sign-in that a browser has begun. The browser keeps it, so any process can complete it. */
export interface Begun extends SignInSecrets {
  /** The page of this service to open at the end. */
  returnTo: string;
  /** Epoch milliseconds. */
  at: number;
  /** The session that is being confirmed; null for a sign-in. */
  session: string | null;
}

/** Keeps what was begun in a cookie that only the service can read. */
export interface BegunCookies {
  /** Returns the header value that stores it. */
  keep(begun: Begun): string;
  /** @returns null if the browser has begun nothing */
  open(cookieHeader: string | undefined): Begun | null;
  readonly forget: string;
}

export function createBegunCookies(config: SecretRoots & Pick<Config, "publicUrl">): BegunCookies {
  const keys = keyringOf(config, "oidc");
  const secure = config.publicUrl.startsWith("https:");
  // The browser comes back from another site, so a strict cookie would not be sent.
  const attributes = { httpOnly: true, sameSite: "lax", path: "/api/auth/oidc", secure } as const;
  return {
    keep: (begun) =>
      stringifySetCookie({
        name: COOKIE,
        value: seal(keys, PLACE, JSON.stringify(begun)),
        ...attributes,
        maxAge: BEGUN_MS / SECOND,
      }),
    open: (cookieHeader) => {
      const value = readCookie(cookieHeader ?? "", COOKIE);
      const text = value === null ? null : unseal(keys, PLACE, value);
      return text === null ? null : (JSON.parse(text) as Begun);
    },
    forget: stringifySetCookie({ name: COOKIE, value: "", ...attributes, maxAge: 0 }),
  };
}

/** Returns a page of this service to go to. Everything else, such as an address of another site, becomes the start page. */
export function returnPath(given: string | null, publicUrl: string): string {
  if (given === null || given.length > PATH_MAX || !/^\/[\x21-\x7e]*$/.test(given)) return START_PAGE;
  const { origin } = new URL(publicUrl);
  const url = URL.canParse(given, origin) ? new URL(given, origin) : null;
  // After parsing, since `/.//host` becomes `//host`, which is another site to a browser.
  if (url === null || url.origin !== origin || /^\/(\/|api(\/|$))/.test(url.pathname)) return START_PAGE;
  return `${url.pathname}${url.search}${url.hash}`;
}
