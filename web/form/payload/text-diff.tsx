import { diffWordsWithSpace } from "diff";
import type { ChangeObject } from "diff";
import type { ReactElement } from "react";
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
