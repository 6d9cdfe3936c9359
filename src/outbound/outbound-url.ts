import { isIP } from "node:net";
import { addressRefusal, type AddressPolicy } from "./addresses.ts";
import { readUrlForm } from "./url-form.ts";

export interface Target {
  url: URL;
  /** What to resolve and what a certificate must name: without brackets and without the root's dot. */
  hostname: string;
  /** The address when the host is one in any spelling (`[::1]`, `0x7f.1`), else null: a name to be resolved. */
  address: string | null;
}

export type Reading =
  | { ok: true; target: Target }
  | { ok: false; error: "bad_url" | "refused_address"; message: string };

/**
 * Reads a URL that a stranger gave us and judges what can be judged without DNS: form, length, address literals and
 * the names of this machine. Never throws, whatever comes in.
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
 * Why `text` cannot be a `callback_url`, as a sentence, or null when it can. Names are judged again, by their
 * addresses, at each attempt: what they resolve to now says nothing about later.
 */
export function checkCallbackUrl(text: string, policy: AddressPolicy): string | null {
  const reading = readOutboundUrl(text, policy);
  return reading.ok ? null : reading.message;
}

/** Scheme, host and port of a stored URL; what cannot be read is a place of its own. */
export function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : "unusable";
}

function nameRefusal(hostname: string, policy: AddressPolicy): string | null {
  if (policy.allowPrivate || !(hostname === "localhost" || hostname.endsWith(".localhost"))) return null;
  return `${hostname.slice(-64)} is this machine, and private receivers are not allowed.`;
}
