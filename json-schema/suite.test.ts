import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseSchema } from "./parse-schema.ts";
import type { ParseOptions } from "./parse-schema.ts";
import { validate } from "./validate.ts";
import type { ValidateOptions } from "./validate.ts";

/**
 * The official JSON-Schema-Test-Suite (suite/README.md tells which). Every required case of both drafts must pass but
 * those listed here; a listed one that begins to pass fails this test as well, so that the list stays true.
 */

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const SUITE = join(import.meta.dirname, "suite");

const OWN_META_SCHEMA =
  "The schema names a meta-schema of its own in $schema; parseSchema refuses every dialect but the two it knows.";
const IDNA = "Names that begin with xn-- are not decoded: that would take the Punycode and IDNA tables.";

const EXPECTED_FAILURES: ReadonlyMap<string, string> = new Map([
  ...[
    "ignore unrecognized optional vocabulary | number value",
    "ignore unrecognized optional vocabulary | string value",
    "schema that uses custom metaschema with with no validation vocabulary | applicator vocabulary still works",
    "schema that uses custom metaschema with with no validation vocabulary | no validation: invalid number, but it still validates",
    "schema that uses custom metaschema with with no validation vocabulary | no validation: valid number",
  ].map((name): [string, string] => [`draft2020-12/vocabulary.json | ${name}`, OWN_META_SCHEMA]),
  ...[
    "Arabic-Indic digits mixed with Extended Arabic-Indic digits",
    "Begins with a Nonspacing Mark",
    "Begins with a Spacing Combining Mark",
    "Begins with an Enclosing Mark",
    "Exceptions that are DISALLOWED, left-to-right chars",
    "Exceptions that are DISALLOWED, right-to-left chars",
    "Greek KERAIA not followed by Greek",
    "Greek KERAIA not followed by anything",
    "Hebrew GERESH not preceded by Hebrew",
    "Hebrew GERESH not preceded by anything",
    "Hebrew GERSHAYIM not preceded by Hebrew",
    "Hebrew GERSHAYIM not preceded by anything",
    "KATAKANA MIDDLE DOT with no Hiragana, Katakana, or Han",
    "KATAKANA MIDDLE DOT with no other characters",
    "MIDDLE DOT with no following 'l'",
    "MIDDLE DOT with no preceding 'l'",
    "MIDDLE DOT with nothing following",
    "MIDDLE DOT with nothing preceding",
    "ZERO WIDTH JOINER not preceded by Virama",
    "ZERO WIDTH JOINER not preceded by anything",
    'contains "--" in the 3rd and 4th position',
    "contains illegal char U+302E Hangul single dot tone mark",
    "invalid Punycode",
  ].flatMap((name): [string, string][] =>
    ["draft7", "draft2020-12"].map((draft) => [
      `${draft}/optional/format/hostname.json | validation of A-label (punycode) host names | ${name}`,
      IDNA,
    ]),
  ),
]);

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readGroups(path: string): Group[] {
  return JSON.parse(readFileSync(path, "utf8"));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

/** What the suite serves at localhost:1234, given to the interpreter as documents: it never fetches. */
function remotes(): Record<string, unknown> {
  const folder = join(SUITE, "remotes");
  return Object.fromEntries(
    filesBelow(folder).map((path) => [`http://localhost:1234/${path.slice(folder.length + 1)}`, read(path)]),
  );
}

/** The names of the cases that fail, and how many there are in all. */
function runCases(
  draft: "draft7" | "draft2020-12",
  files: readonly string[],
  parsing: ParseOptions,
  options: ValidateOptions,
): { failed: string[]; count: number } {
  const failed: string[] = [];
  let count = 0;
  for (const file of files) {
    for (const group of readGroups(join(SUITE, "tests", draft, file))) {
      // The suite leaves the dialect of draft-07 to the folder; ours is 2020-12 unless the schema says otherwise.
      const schema =
        draft === "draft7" && typeof group.schema === "object" && group.schema !== null
          ? { $schema: "http://json-schema.org/draft-07/schema#", ...group.schema }
          : group.schema;
      const parsed = parseSchema(schema, parsing);
      for (const each of group.tests) {
        count++;
        const status = parsed.ok ? validate(parsed.schema, each.data, options).status : "no schema";
        if (status !== (each.valid ? "valid" : "invalid"))
          failed.push(`${draft}/${file} | ${group.description} | ${each.description}`);
      }
    }
  }
  return { failed, count };
}

for (const draft of ["draft7", "draft2020-12"] as const) {
  test(`the official suite, ${draft}: every required case but the listed ones`, (t) => {
    const files = readdirSync(join(SUITE, "tests", draft)).filter((name) => name.endsWith(".json"));
    const { failed, count } = runCases(draft, files, { documents: remotes() }, {});
    t.diagnostic(`${draft}: ${count - failed.length} of ${count} required cases pass`);
    const expected = [...EXPECTED_FAILURES.keys()].filter(
      (name) => name.startsWith(`${draft}/`) && !name.includes("/optional/"),
    );
    assert.deepEqual(failed.toSorted(), expected.toSorted());
  });
}

for (const draft of ["draft7", "draft2020-12"] as const) {
  test(`the official suite, ${draft}: formats, numbers and patterns from its optional part`, (t) => {
    const files = filesBelow(join(SUITE, "tests", draft, "optional")).map((path) =>
      path.slice(join(SUITE, "tests", draft).length + 1),
    );
    const { failed, count } = runCases(draft, files, {}, { formats: "assert" });
    t.diagnostic(`${draft}: ${count - failed.length} of ${count} optional cases pass`);
    const expected = [...EXPECTED_FAILURES.keys()].filter((name) => name.startsWith(`${draft}/optional/`));
    assert.deepEqual(failed.toSorted(), expected.toSorted());
  });
}
