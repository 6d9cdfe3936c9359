/** Checks whether a text is a valid pattern. The platform's own engine parses it and never runs it. */

/** The same patterns come again with each schema of a tool, so results are kept. */
const MAX_KEPT = 500;
const MAX_KEPT_CHARACTERS = 2_048;
const valid = new Set<string>();

/** Returns the engine's message about an ECMA-262 pattern (flag `u`), or null if the pattern is valid. */
export function patternProblem(source: string): string | null {
  if (valid.has(source)) return null;
  try {
    void new RegExp(withSmallSets(source), "u");
    if (valid.size >= MAX_KEPT) valid.clear();
    if (source.length <= MAX_KEPT_CHARACTERS) valid.add(source);
    return null;
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    return sentence.slice(sentence.lastIndexOf(": ") + 2);
  }
}

/**
 * Returns the pattern with every set (`\w`, `\P{Letter}`) replaced by the smallest set, `\d`. This does not change its
 * validity, but the engine needs tens of milliseconds to parse thousands of large sets. Each property is looked up
 * once, separately.
 * @throws SyntaxError when a property does not exist
 */
function withSmallSets(source: string): string {
  let result = "";
  let done = 0;
  for (let at = source.indexOf("\\"); at >= 0; at = source.indexOf("\\", Math.max(at + 2, done))) {
    const char = source[at + 1] ?? "";
    let end = at + 2;
    if ((char === "p" || char === "P") && source[end] === "{") {
      end = source.indexOf("}", end) + 1;
      if (end === 0) break;
      checkProperty(source.slice(at + 3, end - 1));
    } else if (!/[DwWsS]/.test(char)) continue;
    result += `${source.slice(done, at)}\\d`;
    done = end;
  }
  return done === 0 ? source : result + source.slice(done);
}

const knownProperties = new Set<string>();

/** @throws SyntaxError */
function checkProperty(name: string): void {
  if (knownProperties.has(name)) return;
  void new RegExp(`\\p{${name}}`, "u");
  knownProperties.add(name);
}

/** Returns how many distinct Unicode properties a pattern names. Each lookup is expensive. */
export function countProperties(source: string): number {
  return source.includes("\\p") || source.includes("\\P") ? new Set(source.match(/\\[pP]\{[^{}]*\}/g)).size : 0;
}
