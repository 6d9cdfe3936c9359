/** Which addresses of strangers may be followed or loaded. Decided by the platform's URL parser, never by their text. */

export interface SafeLink {
  readonly href: string;
  /** Where it leads, as the browser will understand it (punycode), when the text does not plainly say so. */
  readonly host: string | null;
}

const SCHEMES = new Set(["http:", "https:", "mailto:", "tel:"]);
const MAX_LENGTH = 4_096;

/** null when `address` is no complete http, https, mailto or tel address. */
export function safeLink(address: string, text: string): SafeLink | null {
  const url = parsed(address);
  if (url === null || !SCHEMES.has(url.protocol)) return null;
  if (url.protocol === "mailto:" || url.protocol === "tel:") {
    const target = url.pathname;
    if (target === "") return null;
    const isSaid = text.trim() === target || text.trim() === url.href;
    return { href: url.href, host: isSaid ? null : target };
  }
  return { href: url.href, host: saysHost(text, url) ? null : url.host };
}

/** Does the text begin with the address it stands for, host and all? */
function saysHost(text: string, url: URL): boolean {
  const said = text.trim();
  for (const start of [`${url.protocol}//${url.host}`, url.host])
    if (said.startsWith(start) && /^(?:[/?#]|$)/.test(said.slice(start.length))) return true;
  return false;
}

export interface SafeImage {
  readonly src: string;
  /** null: the picture is in the address itself. */
  readonly host: string | null;
}

/** No SVG: it can hold scripts, and pictures from elsewhere. */
const DATA = /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

export function isImageData(text: string): boolean {
  return text.startsWith("data:image/") && DATA.test(text);
}

/** null when `address` is neither a picture in itself nor a complete http or https address. */
export function safeImage(address: string): SafeImage | null {
  if (isImageData(address)) return { src: address, host: null };
  const url = parsed(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  return { src: url.href, host: url.host };
}

function parsed(address: string): URL | null {
  return address.length <= MAX_LENGTH && URL.canParse(address) ? new URL(address) : null;
}
