/** Returns the host of a URL. Of something else that the service shows as a receiver, returns all of it. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url;
}

/** Returns the path of a URL; "" without one. The query is left out, because it may have a secret of the receiver. */
export function pathOf(url: string): string {
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: "/" };
  return pathname === "/" ? "" : pathname;
}

/** Returns the origin of a URL; null if it has none. */
export function originOf(url: string): string | null {
  const origin = URL.canParse(url) ? new URL(url).origin : "null";
  return origin === "null" ? null : origin;
}
