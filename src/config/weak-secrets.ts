import type { Environment } from "./environment.ts";

const TOKEN_CHARACTERS_MIN = 16;
/** A random token or key has many more. */
const DISTINCT_CHARACTERS_MIN = 6;
const DISTINCT_BYTES_MIN = 8;
/** Characters that a token must have besides words of the kind that examples are made of. */
const OWN_CHARACTERS_MIN = 8;
const SAMPLE_WORDS =
  /changeme|change|replace|please|this|with|your|admin|api|token|key|secret|password|passwd|here|example|sample|placeholder|test|default|insert|long|random|string|service|human|task|value|some|super|demo|todo|qwerty|letmein/g;

/**
 * Notes secrets of the environment that others can guess: short ones, values copied from an example, keys of a few bytes.
 * They stop the start, unless only this machine reaches the service: then they are warned about. Previous values have
 * the same rules: a guessed one is accepted too.
 */
export function checkSecrets(env: Environment, isLocal: boolean): void {
  const notes = isLocal ? env.warnings : env.problems;
  for (const name of ["SERVICE_ADMIN_API_TOKEN", "SERVICE_ADMIN_API_TOKEN_PREVIOUS"]) {
    const token = env.get(name);
    if (token !== undefined) checkToken(name, token, notes);
  }
  for (const [name, encoding] of [
    ["SERVICE_SECRET_KEY", "base64"],
    ["SERVICE_SECRET_KEY_PREVIOUS", "base64"],
    ["SERVICE_PAYLOAD_KEY", "base64"],
    ["SERVICE_PAYLOAD_KEY_PREVIOUS", "base64"],
    ["SERVICE_EMBED_SIGNING_SECRET", "hex"],
  ] as const) {
    const key = Buffer.from(env.get(name) ?? "", encoding);
    // Keys of a wrong length are noted where they are read.
    if (key.length >= 32 && isWeakKey(key))
      notes.push(
        `${name} can be guessed: it has few different bytes, or looks like an example. ${remedyFor(name, encoding)}`,
      );
  }
}

function checkToken(name: string, token: string, notes: string[]): void {
  const remedy = remedyFor(name, "hex");
  // Characters that are not allowed are noted where the token is read.
  if (/[^\x21-\x7e]/.test(token)) return;
  if (token.length < TOKEN_CHARACTERS_MIN)
    notes.push(`${name} is shorter than ${TOKEN_CHARACTERS_MIN} characters and can be guessed. ${remedy}`);
  else if (isSampleText(token)) notes.push(`${name} looks like an example. ${remedy}`);
}

function remedyFor(name: string, encoding: "hex" | "base64"): string {
  const command = `\`openssl rand -${encoding} 32\``;
  return name.endsWith("_PREVIOUS")
    ? `It is accepted too. Remove it, or if it is to be the next value, create that with ${command}.`
    : `Create one with ${command}.`;
}

function isSampleText(text: string): boolean {
  if (/^<.*>$|^\[.*\]$|^\{.*\}$|^\$\{.*\}$|^\$[A-Z_]+$|^\.+$/.test(text)) return true;
  if (new Set(text).size < DISTINCT_CHARACTERS_MIN) return true;
  const own = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replaceAll(SAMPLE_WORDS, "");
  return own.length < OWN_CHARACTERS_MIN;
}

function isWeakKey(key: Buffer): boolean {
  if (new Set(key).size < DISTINCT_BYTES_MIN) return true;
  const step = key[1]! - key[0]!;
  if (key.every((byte, i) => i === 0 || byte === ((key[i - 1]! + step) & 255))) return true;
  // Random bytes are not all printable, so somebody typed this key.
  return key.every((byte) => byte >= 0x20 && byte < 0x7f) && isSampleText(key.toString("latin1"));
}
