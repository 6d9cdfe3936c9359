/** What a token says, before anybody has verified it: enough to know whom to talk to, and nothing that is acted upon. */
export interface Claims {
  readonly sub: string;
  /** The one origin that hears of what happens here. */
  readonly origin: string;
  /** How long the token counts, from when it was made. */
  readonly seconds: number;
  /** The page around is not one that the token is for. */
  readonly isElsewhere: boolean;
}

interface Said {
  readonly sub: string;
  readonly parent_origin: string;
  readonly iat: number;
  readonly exp: number;
}

/** null: nobody can be told anything, since nothing says who. */
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

/** Whose page is around this one. Where the browser does not say, nobody else hears anything either. */
function parentOrigin(unknown: string): string {
  const [known] = (location as Partial<Location>).ancestorOrigins ?? [];
  return known ?? (document.referrer ? new URL(document.referrer).origin : unknown);
}

/** Tells the page around this one, if it is one that the token is for. (spec: Embedded form messages) */
export function tell(claims: Claims | null, type: string, payload: object): void {
  if (claims && parent !== self && !claims.isElsewhere)
    parent.postMessage({ source: "service", type, payload }, claims.origin);
}
