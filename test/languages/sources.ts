import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

const ROOT = join(import.meta.dirname, "../..");

const filesOf = (pattern: string) =>
  globSync(pattern, {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(node_modules|dist|fixtures)$|\.test\.tsx?$|\.d\.ts$/.test(name),
  }).toSorted();

/** Catalogues, by where their texts are used. The dashboard loads those of `form` as well, and so does the service. */
export const PARTS = {
  /** Forms, and what the pages of everyone who answers draw in the browser. */
  form: filesOf("{form,endings,web/form,web/embed,web/light}/**/*.{ts,tsx}"),
  /** What the service writes: emails, pages that work without scripts, notifications. */
  service: filesOf("src/**/*.ts"),
  dashboard: filesOf("web/dashboard/**/*.{ts,tsx}"),
} as const;

export type Part = keyof typeof PARTS;

/** Returns the texts of a part that are in no other catalogue which is loaded with it, by their keys. */
export function usesIn(part: Part): Map<string, Use> {
  const uses = new Map(PARTS[part].flatMap((file) => textsFor(file).uses).map((use) => [use.key, use]));
  if (part !== "form") for (const key of usesIn("form").keys()) uses.delete(key);
  return uses;
}

export interface Place {
  file: string;
  /** From 1. */
  line: number;
}

/** A text that people read, as the key that it has in the catalogues. */
export interface Use extends Place {
  key: string;
  isPlural: boolean;
}

export interface Found {
  uses: Use[];
  /** Texts that look as if people read them, and are not given to any of the functions that translate. */
  bare: (Place & { text: string })[];
  /** Calls whose text is computed, so that no key can be found. */
  computed: Place[];
}

type Node = Record<string, unknown> & { type: string; start: number };

/** Functions of languages/text.ts, web/rich.tsx and src/http/rich-html.ts, and which argument is the key. */
const TRANSLATES: Readonly<Record<string, number>> = { t: 0, pieces: 0, rich: 0, richHtml: 0, plural: 2, as: 1 };
/** Functions whose texts are not for people. */
const TECHNICAL =
  /^(\w*Error|querySelector(All)?|addEventListener|matchMedia|startsWith|endsWith|includes|indexOf|split|replace(All)?|setAttribute|getAttribute|hasOwn|closest|matches|lazy|header|headers|RegExp|DateTimeFormat|NumberFormat|ListFormat|log|warn|error|debug|info|assert)$/;
/** Attributes that have no text for people. */
const NO_TEXT =
  /^(class(Name)?|id|name|type|role|href|to|src|key|style|value|variant|size|color|dir|lang|autoComplete|inputMode|rel|target|htmlFor|method|encType|accept|pattern|scope|kind|viewBox|d|form|params|search|aria-(live|current|haspopup|controls|labelledby|describedby))$/;

/** Returns the keys and the other texts of a source. */
export function textsFor(file: string, source = readFileSync(join(ROOT, file), "utf8")): Found {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const found: Found = { uses: [], bare: [], computed: [] };
  const imported = new Set(
    Array.from(
      source.matchAll(/import \{([^}]*)\} from "[^"]*(?:languages\/text\.ts|rich\.tsx|rich-html\.ts)"/g),
      ([, names]) => names!.split(",").map((name) => name.trim()),
    ).flat(),
  );
  const placeOf = (node: Node): Place => ({ file, line: source.slice(0, node.start).split("\n").length });
  const add = (node: Node, text: string): void => {
    // Of HTML, what is between its tags. The name of the product is the same in each language.
    const plain = text
      .replaceAll(/<[^>]*>|&\w+;|Human Task Service/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
    if (isForPeople(plain)) found.bare.push({ ...placeOf(node), text: plain });
  };

  /** Adds the keys of a call. Its text may be chosen by a condition. */
  const use = (call: Node, name: string, text: Node): void => {
    if (text.type === "ConditionalExpression") {
      use(call, name, text["consequent"] as Node);
      use(call, name, text["alternate"] as Node);
    } else if (text.type === "Literal" && typeof text["value"] === "string") {
      const meaning = name === "as" ? (call["arguments"] as Node[])[0]!["value"] : null;
      const key = typeof meaning === "string" ? `${text["value"]} (${meaning})` : text["value"];
      found.uses.push({ ...placeOf(text), key, isPlural: name === "plural" });
    } else found.computed.push(placeOf(call));
  };

  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null || !("type" in node)) return;
    const at = node as Node;
    const { type } = at;
    if (/^(Import|ExportAll)/.test(type)) return;
    if (type.startsWith("TS")) return visit(at["expression"]);
    if (type === "Literal") return typeof at["value"] === "string" ? add(at, at["value"]) : undefined;
    if (type === "JSXText") return add(at, at["value"] as string);
    if (type === "TemplateLiteral") {
      add(at, (at["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}"));
      return visit(at["expressions"]);
    }
    if (type === "JSXElement") {
      const { name } = (at["openingElement"] as { name: Node }).name as unknown as { name: unknown };
      visit((at["openingElement"] as Node)["attributes"]);
      // What is typed or is code is the same in each language.
      return /^(code|kbd|pre|samp)$/i.test(String(name)) ? undefined : visit(at["children"]);
    }
    if (type === "JSXAttribute") {
      const { name } = at["name"] as { name: unknown };
      return NO_TEXT.test(String(name)) && (at["value"] as Node | null)?.type === "Literal"
        ? undefined
        : visit(at["value"]);
    }
    if (type === "BinaryExpression" && at["operator"] !== "+") {
      return visit([at["left"], at["right"]].filter((side) => (side as Node).type !== "Literal"));
    }
    if (type === "SwitchCase") return visit(at["consequent"]);
    if (type === "Property" || type === "MethodDefinition")
      return visit([at["computed"] === true ? at["key"] : null, at["value"]]);
    if (type === "CallExpression" || type === "NewExpression") {
      const callee = at["callee"] as Node;
      const name = String(callee.type === "MemberExpression" ? (callee["property"] as Node)["name"] : callee["name"]);
      const given = at["arguments"] as Node[];
      visit(callee);
      if (imported.has(name) && callee.type === "Identifier" && Object.hasOwn(TRANSLATES, name)) {
        const place = TRANSLATES[name]!;
        if (given[place] !== undefined) use(at, name, given[place]);
        return visit(given.slice(place + 1));
      }
      return visit(TECHNICAL.test(name) ? given.filter(({ type }) => !type.endsWith("Literal")) : given);
    }
    for (const [key, child] of Object.entries(at)) if (key !== "type" && typeof child === "object") visit(child);
  };
  visit(program);
  return found;
}

/** Whether a text looks like a word or sentence of English, and not like a name in code. */
function isForPeople(text: string): boolean {
  if (!/[A-Za-z]{2}/.test(text)) return false;
  if (/^[\w.-]*[_/=<>;{}()[\]#\\|@][\w.-]*$/.test(text)) return false;
  // Lists of classes, and other words without a capital or a stop.
  if (/^[a-z][\w-]*( [a-z][\w-]*){0,3}$/.test(text)) return false;
  return /^["“(]?[A-Z][a-z']+([ ,.:;!?…-].*)?$/.test(text) || /[a-z']{2,},? [a-z']{2,}/.test(text);
}
