/** The content of a token that is not verified here. It only decides who gets messages, and no action depends on it. */
export interface Claims {
  readonly sub: string;
  /** The only origin that gets messages. */
  readonly origin: string;
  /** The lifetime of the token in seconds, from its creation. */
  readonly seconds: number;
  /** Whether the surrounding page has another origin than the token's. */
  readonly isElsewhere: boolean;
}

interface Said {
  readonly sub: string;
  readonly parent_origin: string;
  readonly iat: number;
  readonly exp: number;
}

/** Returns null if the token is unreadable. Then messages have no recipient. */
export function readClaims(token: string): Claims | null {
  try {
    const text = atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"));
    const { sub, parent_origin, iat, exp } = JSON.parse(text) as Said;
    const { origin } = new URL(parent_origin);
    return { sub, origin, seconds: exp - iat, isElsewhere: parent !== self && parentOrigin(origin) !== origin };
  } catch {
    return null;
  }
}

/**
 * Returns the origin of the surrounding page. If the browser hides it, it is assumed to be `unknown`, and only that
 * origin gets messages.
 */
function parentOrigin(unknown: string): string {
  const [known] = (location as Partial<Location>).ancestorOrigins ?? [];
  return known ?? (document.referrer ? new URL(document.referrer).origin : unknown);
}

/** Posts a message to the surrounding page if the token is for it. (spec: Embedded form messages) */
export function tell(claims: Claims | null, type: string, payload: object): void {
  if (claims && parent !== self && !claims.isElsewhere)
    parent.postMessage({ source: "service", type, payload }, claims.origin);
}
