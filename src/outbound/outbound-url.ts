import { isIP } from "node:net";
import { addressRefusal, type AddressPolicy } from "./addresses.ts";

/** Longest URL that is stored and called, in characters. */
const MAX_URL_LENGTH = 2_048;

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
  if (typeof text !== "string" || text === "") return badUrl("The URL is missing.");
  if (text.length > MAX_URL_LENGTH) return badUrl(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  // `URL` drops line breaks and tabs in silence: what is stored would not be what is called.
  if (hasControlCharacter(text)) return badUrl("The URL contains a control character.");
  if (!URL.canParse(text)) return badUrl("The URL cannot be parsed.");

  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return badUrl("The URL must begin with http or https.");
  if (url.username !== "" || url.password !== "") return badUrl("The URL must not contain credentials.");
  if (url.port === "0") return badUrl("The URL names port 0, where nothing can listen.");

  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (hostname === "") return badUrl("The URL names no host.");

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

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function badUrl(message: string): Reading {
  return { ok: false, error: "bad_url", message };
}
