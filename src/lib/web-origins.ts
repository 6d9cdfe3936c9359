/*
 * Which web pages are allowed. An entry names one origin (scheme, host and port), or with `https://*.<domain>` those of
 * all direct subdomains. A valid entry can also be used in the `frame-ancestors` of a policy without changes.
 */

/** An origin as browsers write it; `*` can replace the first label of its host. */
export type OriginPattern = string & { readonly isOriginPattern: true };

/** Hosts of this machine, which need no certificate. */
const HTTP_HOSTS = new Set(["localhost", "127.0.0.1"]);
/** A name or an IPv4 address that is valid in a policy. */
const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;
/** One label of a name, as browsers write it in an origin. */
const LABEL = /^[a-z0-9-]+$/;
/** Replaces the wildcard while the rest is parsed as a URL. */
const ANY_LABEL = "any-label";

/**
 * Reads one entry of a list. `problem` says what is wrong with it, as text behind the entry itself. (spec:
 * Authentication, origin allowlist rules)
 */
export function parseOriginPattern(text: string): { pattern: OriginPattern } | { problem: string } {
  const wildcards = text.split("*").length - 1;
  if (wildcards > 1) return { problem: "has more than one wildcard" };
  const [, scheme = "", host = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  if (scheme === "") return { problem: "has no scheme; write it as https://app.example.com" };
  if (text.endsWith("/")) return { problem: "ends in a slash; an origin has no path" };
  if (/[/?#@\\]/.test(host)) return { problem: "is more than an origin; write scheme, host and port only" };
  if (wildcards === 1 && !/^\*\.[^.:]+\.[^.:]/.test(host))
    return {
      problem: "has its wildcard in another place than as the first label of a domain, as in https://*.example.com",
    };
  const address = text.replace("*", ANY_LABEL);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !HOST.test(url.hostname)) return { problem: "has no host name that browsers would understand" };
  if (url.protocol !== "https:" && url.protocol !== "http:") return { problem: "is neither https nor http" };
  if (url.protocol === "http:" && !HTTP_HOSTS.has(url.hostname))
    return { problem: "is http, which is for localhost and 127.0.0.1 only; everything else takes https" };
  return { pattern: url.origin.replace(ANY_LABEL, "*") as OriginPattern };
}

/**
 * Returns whether a page of `origin` is allowed. Scheme, host and port must match exactly, as browsers write them; a
 * wildcard is exactly one label.
 */
export function isAllowedOrigin(patterns: readonly OriginPattern[], origin: string): boolean {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) return false;
  return patterns.some((pattern) => {
    const [start, end] = pattern.split("*");
    if (end === undefined) return pattern === origin;
    if (!origin.startsWith(start!) || !origin.endsWith(end)) return false;
    return LABEL.test(origin.slice(start!.length, -end.length));
  });
}
