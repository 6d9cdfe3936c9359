/**
 * Tells how slow the machine is just now. A limit in milliseconds means a quiet machine: where other programs share its
 * cores and caches, or where the machine itself is slow, the same work takes several times as long.
 */

/** What the piece of work takes on a quiet machine, in milliseconds. */
const QUIET_MS = 3.3;
const PIECES = 7;
const TEXTS = Array.from({ length: 3_000 }, (_, index) => `${index} of an ordinary text, ${index % 7}`);

/** Does the kind of work that a service does: it reads and writes JSON, sorts, and searches texts. */
function pieceOfWork(): number {
  const read = JSON.parse(JSON.stringify(TEXTS.map((text, index) => ({ text, index })))) as { text: string }[];
  const sorted = read.map(({ text }) => text).toSorted();
  return sorted.filter((text) => /an (\w+) text, [0-3]$/.test(text)).join(" ").length;
}

function timeOfPiece(): number {
  const begun = performance.now();
  if (pieceOfWork() === 0) throw new Error("the piece of work did nothing");
  return performance.now() - begun;
}

/** Runs the piece of work until it is compiled. */
export function preparePace(): void {
  for (let i = 0; i < 50; i++) pieceOfWork();
}

/**
 * Returns how many times longer than on a quiet machine work takes in this thread, at least 1. It takes about 20 ms.
 * The clock of CPU time is too coarse for that; the median leaves out pieces that were interrupted.
 */
export function paceNow(): number {
  const times = Array.from({ length: PIECES }, timeOfPiece).toSorted((one, other) => one - other);
  return Math.max(1, times[Math.floor(PIECES / 2)]! / QUIET_MS);
}
