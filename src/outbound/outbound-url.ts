import { isIP } from "node:net";
import { addressRefusal, type AddressPolicy } from "./addresses.ts";
import { readUrlForm } from "./url-form.ts";

export interface Target {
  url: URL;
  /** The host to resolve, which a certificate must name. It has no brackets and no dot of the root. */
  hostname: string;
  /** The address, if the host is one in any spelling (`[::1]`, `0x7f.1`). Null for a name. */
  address: string | null;
}

export type Reading =
  | { ok: true; target: Target }
  | { ok: false; error: "bad_url" | "refused_address"; message: string };

/**
 * Parses an untrusted URL, and checks all that needs no DNS: form, length, address literals and the names of this
 * machine. Never throws for any input.
 */
export function readOutboundUrl(text: unknown, policy: AddressPolicy): Reading {
  const form = readUrlForm(text);
  if (!form.ok) return { ok: false, error: "bad_url", message: form.message };
  const { url, hostname } = form;
  const address = isIP(hostname) === 0 ? null : hostname;
  const message = address === null ? nameRefusal(hostname, policy) : addressRefusal(address, policy);
  if (message !== null) return { ok: false, error: "refused_address", message };

  return { ok: true, target: { url, hostname, address } };
}

/**
 * Returns why `text` cannot be a `callback_url`, as a sentence, or null when it can. The addresses of a name are checked
 * at each connection, because they can change at any time.
 */
export function checkCallbackUrl(text: string, policy: AddressPolicy): string | null {
  const reading = readOutboundUrl(text, policy);
  return reading.ok ? null : reading.message;
}

/** Returns scheme, host and port of a stored URL. All URLs that cannot be parsed have one origin, `unusable`. */
export function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : "unusable";
}

function nameRefusal(hostname: string, policy: AddressPolicy): string | null {
  if (policy.allowPrivate || !(hostname === "localhost" || hostname.endsWith(".localhost"))) return null;
  return `${hostname.slice(-64)} is this machine, and private receivers are not allowed.`;
}
