/** Returns the host of a URL. Of something else that the service shows as a receiver, returns all of it. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url;
}

/** Returns the path of a URL, with its query; "" without one. */
export function pathOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const { pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? "" : `${pathname}${search}`;
}

/** Returns the origin of a URL; null if it has none. */
export function originOf(url: string): string | null {
  const origin = URL.canParse(url) ? new URL(url).origin : "null";
  return origin === "null" ? null : origin;
}
