import { diffWordsWithSpace } from "diff";
import type { ChangeObject } from "diff";
import type { ReactElement } from "react";
import { visible } from "./text.tsx";

/** Beyond so many changed words the texts are better read one beside the other. */
const MAX_CHANGES = 1_000;
const MAX_LENGTH = 50_000;

export interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  /** Shown when the texts have too little in common. */
  readonly otherwise: ReactElement;
}

/** What became of a text, word by word. */
export function TextDiff({ before, after, otherwise }: TextDiffProps): ReactElement {
  const parts =
    before.length + after.length > MAX_LENGTH
      ? undefined
      : diffWordsWithSpace(before, after, { maxEditLength: MAX_CHANGES });
  if (parts === undefined) return otherwise;
  return (
    <p className="payload-text payload-reading" dir="auto">
      {stretches(parts).map(({ same, removed, added, place }) => [
        <span key={place}>{visible(same)}</span>,
        removed !== "" && <del key={`removed ${place}`}>{visible(removed)}</del>,
        added !== "" && <ins key={`added ${place}`}>{visible(added)}</ins>,
      ])}
    </p>
  );
}

interface Stretch {
  readonly place: number;
  same: string;
  removed: string;
  added: string;
}

/** What stayed, then what was removed and added there: words that changed in a row are one change, spaces and all. */
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
