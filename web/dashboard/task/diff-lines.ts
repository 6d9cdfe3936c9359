/** A line of a hunk. Numbers are those of the file before and after; null on the side that does not have the line. */
export interface DiffLine {
  /** The number of the line in the text. */
  readonly place: number;
  readonly kind: "same" | "added" | "removed" | "note";
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

export interface Hunk {
  readonly place: number;
  /** What the diff says after the numbers, usually the function around the lines. */
  readonly around: string;
  readonly start: { readonly before: number; readonly after: number };
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  readonly place: number;
  readonly before: string | null;
  readonly after: string | null;
  /** Further lines of its head, such as a renaming or a mode. */
  readonly head: readonly string[];
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)$/;

interface OpenHunk extends Hunk {
  readonly lines: DiffLine[];
}

interface OpenFile {
  place: number;
  before: string | null;
  after: string | null;
  head: string[];
  hunks: OpenHunk[];
}

/**
 * Returns the files of a unified diff. Every line of the text is in the result. Programs that write a diff by themselves count
 * its lines wrong, so a hunk goes on until something else begins.
 */
export function readDiff(text: string): readonly DiffFile[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  const files: OpenFile[] = [];
  const begin = (place: number): OpenFile => {
    const file: OpenFile = { place, before: null, after: null, head: [], hunks: [] };
    files.push(file);
    return file;
  };
  let file = begin(-1);
  let hunk: OpenHunk | null = null;
  let [before, after, beforeLeft, afterLeft] = [0, 0, 0, 0];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const found = HUNK.exec(line);
    // Inside a hunk, such lines are content: a removed line of SQL begins with three dashes.
    const isOver = beforeLeft <= 0 && afterLeft <= 0;
    const isHead = line.startsWith("--- ") && lines[i + 1]?.startsWith("+++ ") === true;
    if (found !== null) {
      [before, after] = [Number(found[1]), Number(found[3])];
      [beforeLeft, afterLeft] = [Number(found[2] ?? 1), Number(found[4] ?? 1)];
      hunk = { place: i, around: (found[5] ?? "").trim(), start: { before, after }, lines: [] };
      file.hunks.push(hunk);
    } else if (/^(?:diff --git |Index: )/.test(line)) {
      if (file.hunks.length > 0 || file.head.length > 0 || file.after !== null) file = begin(i);
      hunk = null;
      file.head.push(line);
    } else if (isHead && (hunk === null || isOver)) {
      if (file.hunks.length > 0 || file.after !== null) file = begin(i);
      hunk = null;
      file.before = pathIn(line);
      file.after = pathIn(lines[i + 1]!);
      i += 1;
    } else if (hunk === null) file.head.push(line);
    else if (line.startsWith("+")) {
      hunk.lines.push({ place: i, kind: "added", before: null, after: after++, text: line.slice(1) });
      afterLeft -= 1;
    } else if (line.startsWith("-")) {
      hunk.lines.push({ place: i, kind: "removed", before: before++, after: null, text: line.slice(1) });
      beforeLeft -= 1;
    } else if (line.startsWith("\\"))
      hunk.lines.push({ place: i, kind: "note", before: null, after: null, text: line.slice(1).trim() });
    else {
      const text = line.startsWith(" ") ? line.slice(1) : line;
      hunk.lines.push({ place: i, kind: "same", before: before++, after: after++, text });
      beforeLeft -= 1;
      afterLeft -= 1;
    }
  }
  return files.flatMap((one) => {
    const isEmpty = one.hunks.length === 0 && one.after === null && one.head.every((line) => line.trim() === "");
    const all = one.hunks.flatMap((each) => each.lines);
    const count = (kind: DiffLine["kind"]) => all.filter((each) => each.kind === kind).length;
    return isEmpty ? [] : [{ ...one, added: count("added"), removed: count("removed") }];
  });
}

/** Returns the path of a line such as "--- a/src/app.ts"; null for a file that does not exist on this side. */
function pathIn(line: string): string | null {
  const path = line.slice(4).split("\t")[0]!.trim();
  return path === "/dev/null" ? null : path.replace(/^[ab]\//, "");
}
