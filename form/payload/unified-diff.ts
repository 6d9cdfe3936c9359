/** How far into a text it is looked whether the text is a diff, in characters. */
const LOOKED_AT = 20_000;

const HUNK = /^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@/m;

/** Returns whether a text is a unified diff, as `diff -u` and `git diff` write it: the head of a file, and a hunk. */
export function isUnifiedDiff(text: string): boolean {
  if (!/^\s{0,9}(?:diff --git |Index: |--- )/.test(text)) return false;
  const start = text.slice(0, LOOKED_AT);
  return HUNK.test(start) && /^\+\+\+ /m.test(start);
}
