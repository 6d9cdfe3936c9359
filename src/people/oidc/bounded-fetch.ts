import { isLoopback } from "../../config/hosts.ts";

/** Larger answers are rejected. The largest that providers send are key sets and tokens with many groups. */
const BYTES_MAX = 1024 * 1024;
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** What openid-client passes to a fetch function. The signal ends the request at its time limit. */
interface Options {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  redirect: "manual";
  signal?: AbortSignal | undefined;
}

/** Returns whether requests, and browsers, may be sent to an address that a provider with this issuer names. */
export function isAllowedAddress(issuer: string, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return true;
  return protocol === "http:" && isLoopback(hostname) && new URL(issuer).protocol === "http:";
}

/**
 * Returns a function that requests addresses of a provider. It follows no redirect, reads an answer of bounded size as a
 * whole, and refuses addresses that are not encrypted.
 */
export function createBoundedFetch(issuer: string): (url: string, options: Options) => Promise<Response> {
  return async (url, options) => {
    if (!isAllowedAddress(issuer, url)) throw new Error("the provider names an address that is not https");
    const response = await fetch(url, options as RequestInit);
    const body = NULL_BODY_STATUSES.has(response.status) ? null : await readBody(response);
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > BYTES_MAX) throw new Error(`the answer is larger than ${BYTES_MAX / 1024} KiB`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
