import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGES, SOURCES, textsIn, textsInPage, textsOfPage, textsOfSource, type Text } from "./texts.ts";
import { ALLOWED, GONE, LABELS, WORDS } from "./words.ts";

interface Finding extends Text {
  found: string;
  better: string;
}

void test("every text of the product is in plain English", () => {
  const texts = SOURCES.flatMap(textsOfSource);
  assert.ok(texts.length > 5_000, `${texts.length} texts`);
  assert.deepEqual(reported(texts.flatMap(findingsIn)), []);
});

void test("every page of the documentation is in plain English", () => {
  const texts = PAGES.flatMap(textsOfPage);
  assert.ok(texts.length > 1_000, `${texts.length} paragraphs`);
  assert.deepEqual(reported(texts.flatMap(findingsIn)), []);
});

void test("every exception is still needed", () => {
  const texts = [...SOURCES.flatMap(textsOfSource), ...PAGES.flatMap(textsOfPage)];
  const findings = texts.flatMap(findingsIn);
  assert.deepEqual(
    ALLOWED.filter((one) => !findings.some((finding) => isCovered(finding, one))),
    [],
  );
});

void test("finds words in literals, templates and JSX, and not in comments, types, imports or code of a page", () => {
  const source = `
    // whoever
    import "./nobody.ts";
    type Name = "somebody";
    const a = "Ask whoever sent it.";
    const b = \`Nobody has \${a} yet\`;
    const c = <p title="Given up">It was told
      of it</p>;
    const d = ("anew" as Name) satisfies "whom";
  `;
  const found = (texts: Text[]) => texts.flatMap(findingsIn).map(({ line, found }) => `${line} ${found}`);
  assert.deepEqual(found(textsIn("a.tsx", source)), ["5 whoever", "6 Nobody", "7 Given up", "7 was told of", "9 anew"]);
  const page = ["Ask", "whoever.", "```sh", "echo nobody", "```", "`somebody` and [whom](nobody.md)"].join("\n");
  assert.deepEqual(found(textsInPage("a.md", page)), ["1 whoever", "6 whom"]);
});

function reported(findings: Finding[]): string[] {
  return findings
    .filter((finding) => !ALLOWED.some((one) => isCovered(finding, one)))
    .map(({ file, line, found, better, text }) => `${file}:${line} "${found}" (${better}): ${shortened(text)}`);
}

function isCovered({ file, text }: Finding, allowed: (typeof ALLOWED)[number]): boolean {
  return allowed.file === file && text.includes(allowed.text);
}

function findingsIn(text: Text): Finding[] {
  const plain = text.text.replaceAll(/\s+/g, " ").trim();
  const found: Finding[] = [];
  for (const { word, better } of WORDS) {
    const match = word.exec(plain);
    if (match !== null) found.push({ ...text, text: plain, found: match[0], better });
  }
  for (const phrase of GONE)
    if (plain.includes(phrase)) found.push({ ...text, text: plain, found: phrase, better: "rewrite it" });
  if (text.file.startsWith("web/") && Object.hasOwn(LABELS, plain))
    found.push({ ...text, text: plain, found: plain, better: LABELS[plain]! });
  return found;
}

function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
}
