/** Longest URL that is stored and called, in characters. */
const MAX_URL_LENGTH = 2_048;

type UrlForm =
  | {
      ok: true;
      url: URL;
      /** Without brackets and without the root's dot. */
      hostname: string;
    }
  | { ok: false; message: string };

/** Parses an untrusted URL and checks its form, not where it leads. Never throws for any input. */
export function readUrlForm(text: unknown): UrlForm {
  if (typeof text !== "string" || text === "") return refused("The URL is missing.");
  if (text.length > MAX_URL_LENGTH) return refused(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  // `URL` removes line breaks and tabs silently, so the stored URL would differ from the called one.
  if (hasControlCharacter(text)) return refused("The URL contains a control character.");
  if (!URL.canParse(text)) return refused("The URL cannot be parsed.");

  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return refused("The URL must begin with http or https.");
  if (url.username !== "" || url.password !== "") return refused("The URL must not contain credentials.");
  if (url.port === "0") return refused("The URL names port 0, where nothing can listen.");

  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (hostname === "") return refused("The URL names no host.");
  return { ok: true, url, hostname };
}

function refused(message: string): UrlForm {
  return { ok: false, message };
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
