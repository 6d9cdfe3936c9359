/**
 * Prints what makes the code hard to read: long functions, long files, and knowledge that leaks out of its folder. Run
 * with `npm run counts`.
 */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseSync } from "oxc-parser";

const ROOT = resolve(import.meta.dirname, "..");
const LONG_FUNCTION = 60;
const WALL = 100;
const LONG_FILE = 400;

interface LongFunction {
  lines: number;
  name: string;
  file: string;
}

const product = globSync("{src,web,form,sdk,json-schema,mcp,threads}/**/*.{ts,tsx}", { cwd: ROOT })
  .filter(
    (file) =>
      !/\.test\.tsx?$|\.d\.ts$|\/(fixtures|node_modules|dist)\/|^sdk\/(api|testing\/request-shapes)\.ts$/.test(file),
  )
  .toSorted();
const sources = new Map(product.map((file) => [file, readFileSync(resolve(ROOT, file), "utf8")]));

const functions = [...sources].flatMap(([file, source]) => longFunctionsOf(file, source));
functions.sort((a, b) => b.lines - a.lines);
const walls = functions.filter(({ lines }) => lines > WALL);
const longFiles = [...sources]
  .map(([file, source]) => ({ file, lines: source.split("\n").length }))
  .filter(({ lines }) => lines > LONG_FILE)
  .toSorted((a, b) => b.lines - a.lines);
const branches = inService((file, source) => !file.startsWith("src/db/") && /dialect\b[^\n]*===/.test(source));
const knowsSlack = inService((file, source) => !/^src\/(channels\/slack|db)\//.test(file) && /slack/i.test(source));

print(`${product.length} files of product code`, []);
print(`${functions.length} functions over ${LONG_FUNCTION} lines, ${walls.length} over ${WALL}`, walls.map(describe));
print(
  `${longFiles.length} files over ${LONG_FILE} lines`,
  longFiles.map(({ file, lines }) => `${lines} ${file}`),
);
print(`${branches.length} files of src/ outside of db/ ask for the dialect`, branches);
print(`${knowsSlack.length} files of src/ outside of channels/slack/ and db/ name Slack`, knowsSlack);

function print(title: string, rows: readonly string[]): void {
  process.stdout.write(`${[title, ...rows.map((row) => `  ${row}`)].join("\n")}\n`);
}

function describe({ lines, name, file }: LongFunction): string {
  return `${lines} ${name} (${file})`;
}

function inService(test: (file: string, source: string) => boolean): string[] {
  return [...sources].filter(([file, source]) => file.startsWith("src/") && test(file, source)).map(([file]) => file);
}

function longFunctionsOf(file: string, source: string): LongFunction[] {
  const found: LongFunction[] = [];
  const linesOf = ({ start, end }: Node): number => source.slice(start, end).split("\n").length;
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) return value.forEach((item) => visit(item, name));
    if (!isNode(value)) return;
    const own = nameOf(value) ?? name;
    if (/Function/.test(value.type) && linesOf(value) > LONG_FUNCTION)
      found.push({ lines: linesOf(value), name: own, file });
    for (const child of Object.values(value)) visit(child, own);
  };
  visit(parseSync(file, source).program, "(no name)");
  return found;
}

interface Node {
  type: string;
  start: number;
  end: number;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function nameOf(node: Node): string | null {
  const { id, key } = node as { id?: { name?: string }; key?: { name?: string } };
  return id?.name ?? key?.name ?? null;
}
