import { registeredTests, type RegisteredTest } from "./registered-tests.ts";

/** A sentence of the specification, and the tests that hold it. */
export interface Row {
  specification: string;
  /** The second cell: each test as `` `file`: title ``, separated by `<br>`. */
  shown: string;
}

/** Returns the rows of every table of a page. A row must have exactly two cells. */
export function readRows(page: string): Row[] {
  const lines = page.split("\n").filter((line) => line.startsWith("|") && !/^\| (---|Specification) /.test(line));
  return lines.map((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    if (cells.length !== 4) throw new Error(`A row must have two cells: ${line}`);
    return { specification: cells[1]!, shown: cells[2]! };
  });
}

/**
 * Returns what is wrong with the rows, one sentence each: a row that names no test, or one that does not exist, that may be
 * skipped, or whose title the file has twice; and two rows with the same first cell.
 *
 * @param read - returns the text of a file of the project
 */
export function problemsOf(rows: readonly Row[], read: (file: string) => string): string[] {
  const files = new Map<string, RegisteredTest[]>();
  const testsOf = (file: string) => {
    const tests = files.get(file) ?? registeredTests(file, read(file), read);
    files.set(file, tests);
    return tests;
  };
  const seen = new Set<string>();
  return rows.flatMap(({ specification, shown }) => {
    const problems = shown.split("<br>").flatMap((part) => {
      const [, file, title] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(part.trim()) ?? [];
      if (file === undefined || title === undefined) return ["names no test"];
      const named = testsOf(file).filter((test) => test.title === title);
      if (named.length === 0) return [`${file} has no test "${title}"`];
      if (named.length > 1) return [`${file} has ${named.length} tests "${title}"`];
      return named[0]!.alwaysRuns ? [] : [`${file} may skip "${title}"`];
    });
    if (seen.has(specification)) problems.push("stands in two rows");
    seen.add(specification);
    return problems.map((problem) => `${specification}: ${problem}`);
  });
}
