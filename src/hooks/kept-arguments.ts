import { isJsonObject, type JsonObject } from "../lib/json.ts";

const DEPTH_MAX = 5;
const MEMBERS_MAX = 30;
const TEXT_CHARACTERS_MAX = 300;
/** All arguments as JSON. */
const CHARACTERS_MAX = 4000;

/** In place of what is not kept. */
export const HIDDEN = "[hidden]";

const SECRET_NAME = /pass(?:word|phrase|wd)?$|secret|token|api.?key|authorization|cookie|credential|private/i;
/** Each keeps what stands before the secret. */
const SECRETS: readonly RegExp[] = [
  /\b((?:bearer|basic)\s+)[^\s"']+/giu,
  /((?:pass(?:word|phrase|wd)?|secret|token|api[_-]?key)["']?\s*[=:]\s*["']?)[^\s"']+/giu,
  /(--?(?:password|pass|secret|token|api-key)\s+)[^\s"']+/giu,
  /(:\/\/)[^\s/@"']+(?=@)/gu,
  /()\b(?:sk-|ghp_|gho_|github_pat_|glpat-|xox[abprs]-|AKIA|hts_agent_|eyJ)[\w.-]{8,}/gu,
];

/**
 * Returns what is kept of the arguments of a call, so that rules can be tried on it: no long texts, and nothing that looks like a
 * secret. It cannot recognize every secret.
 *
 * @returns `isCut`: a part is missing, so that a rule may fit the call and not what was kept
 */
export function keptArguments(input: JsonObject): { args: JsonObject; isCut: boolean } {
  let isCut = false;
  const kept = keep(input, 0) as JsonObject;
  if (JSON.stringify(kept).length > CHARACTERS_MAX) return { args: {}, isCut: true };
  return { args: kept, isCut };

  function hide(): string {
    isCut = true;
    return HIDDEN;
  }

  function keep(value: unknown, depth: number): unknown {
    if (typeof value === "string") return keepText(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth === DEPTH_MAX) return hide();
    if (Array.isArray(value)) return cut(value).map((item) => keep(item, depth + 1));
    if (!isJsonObject(value)) return hide();
    return Object.fromEntries(
      cut(Object.entries(value)).map(([name, member]) => [
        name.slice(0, TEXT_CHARACTERS_MAX),
        SECRET_NAME.test(name) ? hide() : keep(member, depth + 1),
      ]),
    );
  }

  function cut<T>(items: readonly T[]): readonly T[] {
    if (items.length > MEMBERS_MAX) isCut = true;
    return items.slice(0, MEMBERS_MAX);
  }

  function keepText(text: string): string {
    if (text.length > TEXT_CHARACTERS_MAX) isCut = true;
    // A secret that is cut would not be recognized.
    let left = text.slice(0, 2 * TEXT_CHARACTERS_MAX);
    for (const secret of SECRETS) left = left.replaceAll(secret, `$1${HIDDEN}`);
    if (left !== text.slice(0, 2 * TEXT_CHARACTERS_MAX)) isCut = true;
    return left.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();
  }
}
