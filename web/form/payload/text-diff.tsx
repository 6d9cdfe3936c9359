import { diffWordsWithSpace } from "diff";
import type { ChangeObject } from "diff";
import type { ReactElement } from "react";
import { plural } from "../../../languages/text.ts";
import { visible } from "./text.tsx";

/** If more words changed, the texts are easier to read side by side. */
const MAX_CHANGES = 1_000;
const MAX_LENGTH = 50_000;

export interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  /** Shown if the texts have too little in common. */
  readonly otherwise: ReactElement;
}

/** The changes of a text, word by word. */
export function TextDiff({ before, after, otherwise }: TextDiffProps): ReactElement {
  const parts =
    before.length + after.length > MAX_LENGTH
      ? undefined
      : diffWordsWithSpace(before, after, { maxEditLength: MAX_CHANGES });
  if (parts === undefined) return otherwise;
  const all = stretches(parts).filter(({ same, removed, added }) => same + removed + added !== "");
  return (
    <div className="payload-text payload-reading" dir="auto">
      {all.map(({ same, removed, added, place }, index) => [
        <Same
          key={place}
          text={same}
          isFirst={index === 0}
          isLast={index === all.length - 1 && removed + added === ""}
        />,
        removed !== "" && <del key={`removed ${place}`}>{visible(removed)}</del>,
        added !== "" && <ins key={`added ${place}`}>{visible(added)}</ins>,
      ])}
    </div>
  );
}

/** Unchanged text up to this length is shown beside a change, in characters. */
const CONTEXT = 160;
/** Less than this is not worth a fold. */
const MIN_FOLDED = 240;

/** Unchanged text. The middle of a long one is folded, and so is what is far from the first and the last change. */
function Same({ text, isFirst, isLast }: { text: string; isFirst: boolean; isLast: boolean }): ReactElement {
  const start = isFirst ? 0 : wholeAt(text, cutAfter(text, CONTEXT));
  const end = isLast ? text.length : wholeAt(text, text.length - cutBefore(text, CONTEXT));
  if ((isFirst && isLast) || end - start < MIN_FOLDED) return <span>{visible(text)}</span>;
  const folded = text.slice(start, end);
  return (
    <>
      <span>{visible(text.slice(0, start))}</span>
      <details className="payload-tree">
        <summary>{sayUnchanged(folded)}</summary>
        {visible(folded.replace(/^\n|\n$/g, ""))}
      </details>
      <span>{visible(text.slice(end))}</span>
    </>
  );
}

/** Returns a length near `length` after which a text can be cut: at the end of a line, or else of a word. */
function cutAfter(text: string, length: number): number {
  const near = text.slice(0, length);
  const line = near.lastIndexOf("\n");
  const word = near.search(/\s\S*$/);
  return line > 0 ? line : word > 0 ? word : Math.min(length, text.length);
}

/** Returns the same, counted from the end of the text. */
function cutBefore(text: string, length: number): number {
  const near = text.slice(-length);
  const line = near.indexOf("\n");
  const word = near.search(/\s/);
  const start = line >= 0 && line < near.length - 1 ? line + 1 : word + 1;
  return near.length - start;
}

/** Returns a place that does not cut a surrogate pair in half. */
function wholeAt(text: string, place: number): number {
  return /^[\uDC00-\uDFFF]/.test(text.slice(place, place + 1)) ? place - 1 : place;
}

function sayUnchanged(text: string): string {
  const lines = text.trim().split("\n").length;
  if (lines > 1) return plural(lines, "{n} line unchanged", "{n} lines unchanged");
  return plural(text.trim().split(/\s+/).length, "{n} word unchanged", "{n} words unchanged");
}

interface Stretch {
  readonly place: number;
  same: string;
  removed: string;
  added: string;
}

/**
 * Returns unchanged text, followed by the text that was removed and added there. Adjacent changed words are one change,
 * including their spaces.
 */
function stretches(parts: readonly ChangeObject<string>[]): readonly Stretch[] {
  let last: Stretch = { place: 0, same: "", removed: "", added: "" };
  const found = [last];
  for (const [index, { value, added, removed }] of parts.entries()) {
    const isChanged = last.removed !== "" || last.added !== "";
    if (removed) last.removed += value;
    else if (added) last.added += value;
    else if (isChanged && /^\s+$/.test(value) && index < parts.length - 1) {
      last.removed += value;
      last.added += value;
    } else {
      last = { place: index + 1, same: value, removed: "", added: "" };
      found.push(last);
    }
  }
  return found;
}
