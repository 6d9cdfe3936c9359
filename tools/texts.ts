/**
 * `node tools/texts.ts`: brings the catalogues in line with the sources. Texts that are used nowhere are removed, and those that a
 * language lacks are printed as JSON, by language and part, to be translated. `--take <file>` adds translations from such a file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LANGUAGE_TAGS } from "../languages/languages.ts";
import type { Catalogue } from "../languages/text.ts";
import { PARTS, usesIn, type Part } from "../test/languages/sources.ts";

const { values } = parseArgs({ options: { take: { type: "string" } } });
const taken = (values.take === undefined ? {} : JSON.parse(readFileSync(values.take, "utf8"))) as Record<
  string,
  Partial<Record<Part, Catalogue>>
>;
const missing: Record<string, Partial<Record<Part, Record<string, unknown>>>> = {};
for (const part of Object.keys(PARTS) as Part[]) {
  const uses = usesIn(part);
  for (const language of LANGUAGE_TAGS.filter((tag) => tag !== "en")) {
    const file = join(import.meta.dirname, `../languages/${language}/${part}.json`);
    const known = { ...(JSON.parse(readFileSync(file, "utf8")) as Catalogue), ...taken[language]?.[part] };
    const kept = Object.entries(known)
      .filter(([key]) => uses.has(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
    for (const [key, { isPlural }] of uses)
      if (!Object.hasOwn(known, key))
        ((missing[language] ??= {})[part] ??= {})[key] = isPlural ? { one: "", other: "" } : "";
  }
}
process.stdout.write(`${JSON.stringify(missing, null, 2)}\n`);
