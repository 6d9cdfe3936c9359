import type { Root } from "mdast";
import { useMemo } from "react";
import type { ReactElement } from "react";
import type { PayloadParts } from "./drawing.ts";
import { Document, isTame, treeOf } from "./markdown.tsx";
import { visible } from "./text.tsx";

/**
 * Parsing a malicious text takes up to 90 ms for a piece of this length, and 20 times as long for ten times the length.
 */
const PIECE_MAX = 4_000;
/** The limit of all parsing within a second, in milliseconds. A piece that was begun is finished. */
const BUDGET_MS = 200;
const BUDGET_RENEWED_MS = 1_000;
const DEFINITIONS_MAX = 1_000;

/**
 * Untrusted Markdown on a page while a person waits. A long text is parsed in pieces, and the rest after the time limit
 * is shown unformatted. A text that fits into one piece is parsed as a whole.
 */
export function MarkdownInPieces({ text, Code }: { text: string; Code: PayloadParts["Code"] }): ReactElement {
  const { pieces, rest } = useMemo(() => readPieces(text), [text]);
  return (
    <>
      {pieces.map(({ text: piece, tree, start }) => (
        <Document key={start} text={piece} tree={tree} Code={Code} />
      ))}
      {rest !== "" && (
        <p className="payload-text" dir="auto">
          {visible(rest)}
        </p>
      )}
    </>
  );
}

interface Piece {
  readonly start: number;
  readonly text: string;
  readonly tree: Root;
}

let spent = 0;
let lastRead = 0;

/** @param clock - milliseconds */
export function readPieces(
  text: string,
  clock = (): number => performance.now(),
): { pieces: readonly Piece[]; rest: string } {
  if (!isTame(text)) return { pieces: [], rest: text };
  const begun = clock();
  if (begun - lastRead > BUDGET_RENEWED_MS) spent = 0;
  const pieces: Piece[] = [];
  const definitions = text.length > PIECE_MAX ? definitionsIn(text) : "";
  let start = 0;
  while (start < text.length && spent < BUDGET_MS) {
    const end = endOfPiece(text, start);
    if (end === null) break;
    const piece = text.slice(start, end) + definitions;
    const before = clock();
    pieces.push({ start, text: piece, tree: treeOf(piece) });
    lastRead = clock();
    spent += lastRead - before;
    start = end;
  }
  return { pieces, rest: text.slice(start) };
}

/** Returns the last empty line within the length of a piece that is not in a block of code; null if there is none. */
function endOfPiece(text: string, start: number): number | null {
  if (text.length - start <= PIECE_MAX) return text.length;
  let end: number | null = null;
  let fence: string | null = null;
  let at = start;
  for (const line of text.slice(start, start + PIECE_MAX).split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === null) fence = mark;
    else if (mark !== undefined && fence !== null && mark.startsWith(fence)) fence = null;
    at += line.length + 1;
    if (fence === null && line.trim() === "" && at <= start + PIECE_MAX) end = at;
  }
  return end;
}

/** Returns the definitions that links of any piece may use, such as `[1]: https://example.com`. */
function definitionsIn(text: string): string {
  const lines = [...text.matchAll(/^ {0,3}\[[^\]^\n][^\]\n]{0,100}\]:[^\n]{1,300}$/gm)].map(([line]) => line);
  return `\n\n${lines.join("\n").slice(0, DEFINITIONS_MAX)}`;
}
