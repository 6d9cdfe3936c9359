/**
 * Decides which untrusted addresses may be followed or loaded. It uses the platform's URL parser, never the text alone.
 */

export interface SafeLink {
  readonly href: string;
  /** The host as the browser will read it (punycode). null if the text already shows it. */
  readonly host: string | null;
}

const SCHEMES = new Set(["http:", "https:", "mailto:", "tel:"]);
const MAX_LENGTH = 4_096;

/** Returns null if `address` is not a complete http, https, mailto or tel address. */
export function safeLink(address: string, text: string): SafeLink | null {
  const url = readAddress(address);
  if (url === null || !SCHEMES.has(url.protocol)) return null;
  if (url.protocol === "mailto:" || url.protocol === "tel:") {
    const target = url.pathname;
    if (target === "") return null;
    const isSaid = text.trim() === target || text.trim() === url.href;
    return { href: url.href, host: isSaid ? null : target };
  }
  return { href: url.href, host: saysHost(text, url) ? null : url.host };
}

/** Returns whether the text begins with its address, including the host. */
function saysHost(text: string, url: URL): boolean {
  const said = text.trim();
  for (const start of [`${url.protocol}//${url.host}`, url.host])
    if (said.startsWith(start) && /^(?:[/?#]|$)/.test(said.slice(start.length))) return true;
  return false;
}

export interface SafeImage {
  readonly src: string;
  /** null if the address itself contains the picture. */
  readonly host: string | null;
}

/** SVG is excluded, because it can contain scripts and pictures from elsewhere. */
const DATA = /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

export function isImageData(text: string): boolean {
  return text.startsWith("data:image/") && DATA.test(text);
}

/** Returns null if `address` neither contains a picture nor is a complete http or https address. */
export function safeImage(address: string): SafeImage | null {
  if (isImageData(address)) return { src: address, host: null };
  const url = readAddress(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  return { src: url.href, host: url.host };
}

/** Returns null if it is too long, or not a complete address. */
export function readAddress(address: string): URL | null {
  return address.length <= MAX_LENGTH && URL.canParse(address) ? new URL(address) : null;
}
