import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LANGUAGE_TAGS, LANGUAGES } from "../../languages/languages.ts";
import type { Catalogue } from "../../languages/text.ts";
import { PARTS, textsFor, usesIn, type Part } from "./sources.ts";
import { ENGLISH_ONLY, WITHOUT_TEXTS } from "./english-only.ts";

const parts = Object.keys(PARTS) as Part[];
const uses = new Map(parts.map((part) => [part, usesIn(part)]));

function read(language: string, part: Part): Catalogue {
  return JSON.parse(
    readFileSync(new URL(`../../languages/${language}/${part}.json`, import.meta.url), "utf8"),
  ) as Catalogue;
}

void test("every text that people read goes through the catalogues", () => {
  const files = parts.flatMap((part) => PARTS[part]).filter((file) => !WITHOUT_TEXTS.some((one) => one.test(file)));
  assert.ok(files.length > 300, `${files.length} files`);
  const found = files.flatMap((file) => textsFor(file).bare);
  const isAllowed = ({ file, text }: (typeof found)[number]) =>
    ENGLISH_ONLY.some((one) => one.file === file && one.texts.some((start) => text.startsWith(start)));
  assert.deepEqual(
    found.filter((one) => !isAllowed(one)).map(({ file, line, text }) => `${file}:${line} ${text}`),
    [],
  );
  // Each exception is still needed.
  assert.deepEqual(
    ENGLISH_ONLY.flatMap(({ file, texts }) =>
      texts
        .filter((start) => !found.some((one) => one.file === file && one.text.startsWith(start)))
        .map((start) => `${file} ${start}`),
    ),
    [],
  );
});

void test("every text is written out, so that it can be found", () => {
  const files = parts.flatMap((part) => PARTS[part]).filter((file) => file !== "src/http/rich-html.ts");
  const computed = files.flatMap((file) => textsFor(file).computed);
  assert.deepEqual(
    computed.map(({ file, line }) => `${file}:${line}`),
    [],
  );
});

for (const language of LANGUAGE_TAGS.filter((tag) => tag !== "en")) {
  const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories;

  void test(`${LANGUAGES[language]} has every text, and no other`, () => {
    for (const part of parts) {
      const known = Object.keys(read(language, part));
      assert.deepEqual(
        known,
        [...uses.get(part)!.keys()].toSorted(),
        `${language}/${part}.json: run node tools/texts.ts`,
      );
    }
  });

  void test(`${LANGUAGES[language]} keeps the values of each text, and has a form for each count`, () => {
    for (const part of parts)
      for (const [key, translated] of Object.entries(read(language, part))) {
        const use = uses.get(part)!.get(key)!;
        assert.equal(typeof translated === "object", use.isPlural, key);
        if (typeof translated === "object")
          for (const category of plurals)
            // Millions of French and Spanish: "un million de ...".
            assert.ok(category === "many" || translated[category], `${key}: ${category}`);
        for (const [category, text] of typeof translated === "string"
          ? [["other", translated] as const]
          : Object.entries(translated)) {
          assert.ok(text.trim() !== "", key);
          // "a task" instead of "1 task" needs no number.
          const values = valuesIn(key).filter((name) => !(category === "one" && name === "n"));
          const found = valuesIn(text).filter((name) => !(category === "one" && name === "n"));
          assert.deepEqual(found, values, `${key}: ${text}`);
          assert.equal(/^\s/.test(text), /^\s/.test(key), `${key}: blanks`);
        }
      }
  });
}

void test("finds texts in JSX, attributes, literals and templates, and not what is code or is translated", () => {
  const { uses, bare, computed } = textsFor(
    "a.tsx",
    `
    import { as, plural, t } from "../languages/text.ts";
    import { rich } from "../web/rich.tsx";
    const a = cond ? t("Yes") : plural(n, "{n} task", "{n} tasks");
    const b = as("verb", "Open"), c = rich("Press {key}", { key: <kbd>Enter key</kbd> });
    const d = <p title="Given name" className="Some class">It was sent <code>Not text</code></p>;
    const e = \`Sent to \${a}\`;
    if (key === "Escape") throw new Error("Not for people");
    t(name);
  `,
  );
  assert.deepEqual(
    uses.map(({ key, isPlural }) => [key, isPlural]),
    [
      ["Yes", false],
      ["{n} tasks", true],
      ["Open (verb)", false],
      ["Press {key}", false],
    ],
  );
  assert.deepEqual(
    bare.map(({ text }) => text),
    ["Given name", "It was sent", "Sent to {}"],
  );
  assert.equal(computed.length, 1);
});

const valuesIn = (text: string) => Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name!).toSorted();
