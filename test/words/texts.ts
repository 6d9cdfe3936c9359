import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** Source files whose texts reach users. Tests, fixtures, built files and type declarations do not. */
export const SOURCES = globSync("{src,web,form,endings,sdk,mcp,adapters}/**/*.{ts,tsx}", {
  cwd: ROOT,
  exclude: (name) => /(^|\/)(node_modules|dist|fixtures|examples)$|\.test\.tsx?$|\.d\.ts$/.test(name),
});

/** The pages of the documentation. */
export const PAGES = globSync(
  [
    "*.md",
    "{docs,examples,sdk,mcp,src,json-schema}/**/*.md",
    "adapters/*.md",
    "adapters/examples/**/*.md",
    "test/**/*.md",
  ],
  { cwd: ROOT, exclude: (name) => /(^|\/)node_modules$/.test(name) },
);

export interface Text {
  file: string;
  /** Where it begins, from 1. */
  line: number;
  text: string;
}

/** Returns the texts of a source file. */
export function textsOfSource(file: string): Text[] {
  return textsIn(file, read(file));
}

/** Returns the string literals, the parts of templates and the JSX texts of a source, without those of imports and types. */
export function textsIn(file: string, source: string): Text[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const texts: Text[] = [];
  const add = (at: number, text: string) => texts.push({ file, line: source.slice(0, at).split("\n").length, text });
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null || !("type" in node)) return;
    const { type, start, value, expression } = node as Record<string, unknown>;
    if (type === "Literal" && typeof value === "string") add(start as number, value);
    else if (type === "JSXText") add(start as number, value as string);
    else if (type === "TemplateElement") add(start as number, (value as { cooked: string }).cooked);
    // Of types, only the value that they belong to is text.
    else if (String(type).startsWith("TS")) visit(expression);
    else
      for (const [key, child] of Object.entries(node)) {
        const isPath = key === "source" && String(type).match(/^(Import|Export)/) !== null;
        if (!isPath && typeof child === "object") visit(child);
      }
  };
  visit(program);
  return texts;
}

export function textsOfPage(file: string): Text[] {
  return textsInPage(file, read(file));
}

/** Returns the paragraphs, list items and table rows of a page, without code and addresses. */
export function textsInPage(file: string, page: string): Text[] {
  const texts: Text[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [index, whole] of page.split("\n").entries()) {
    const isFence = /^ *```/.test(whole);
    if (isFence) isCode = !isCode;
    // The second column of the conformance table has titles of tests.
    const line = file === "test/conformance/README.md" ? whole.replace(/\| `.*/, "") : whole;
    const text = isFence || isCode ? "" : line.replaceAll(/`[^`]*`/g, "`").replaceAll(/\]\([^)]*\)/g, "]");
    const isContinued = isOpen && !/^ *([-|#>]|\d+\.)/.test(text);
    if (text.trim() === "") isOpen = false;
    else if (isContinued) texts.at(-1)!.text += `\n${text}`;
    else {
      texts.push({ file, line: index + 1, text });
      isOpen = true;
    }
  }
  return texts;
}
