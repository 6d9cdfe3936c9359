import { createContext, useCallback, useContext, useMemo, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import { readHints } from "../../../form/plan/hints.ts";
import { valueAt } from "../../../form/plan/plan.ts";
import type { Task } from "../api.ts";

/** Texts from this length on are edited where they are read, in characters. Shorter ones fit into their field. */
const LONG = 160;

/** A text of the payload with which a field of the answer begins. */
export interface Proposal {
  /** JSON Pointer of the text in the payload. */
  readonly from: string;
  readonly text: string;
}

/** Returns the long texts that a task proposes, by the names of the fields that begin with them. */
export function proposalsOf({ form_definition, payload }: Pick<Task, "form_definition" | "payload">) {
  const found = new Map<string, Proposal>();
  const places = new Set<string>();
  for (const [field, from] of readHints(form_definition, new Set(), null).prefill) {
    const text = valueAt(payload, from);
    // One place of the page shows the text of one field.
    if (typeof text !== "string" || !isLong(text) || places.has(from)) continue;
    places.add(from);
    found.set(field, { from, text });
  }
  return found;
}

function isLong(text: string): boolean {
  return text.length > LONG || text.trim().includes("\n");
}

interface Places {
  /** The elements above the proposed texts, by the pointers of the texts. The form draws its fields there. */
  readonly elements: ReadonlyMap<string, HTMLElement>;
  readonly setElement: (from: string, element: HTMLElement | null) => void;
  /** Pointers of the texts in whose place something else is shown. */
  readonly replaced: ReadonlySet<string>;
  readonly setReplaced: (from: string, isReplaced: boolean) => void;
}

const NONE: Places = { elements: new Map(), setElement: () => {}, replaced: new Set(), setReplaced: () => {} };

/** Where the payload of a task shows texts that its form edits. */
export const ProposedPlaces = createContext<Places>(NONE);

/** Returns the state that the payload and the form of a task share. */
export function useProposedPlaces(): Places {
  const [elements, setElements] = useState<Places["elements"]>(NONE.elements);
  const [replaced, setReplaced] = useState<Places["replaced"]>(NONE.replaced);
  const [setters] = useState((): Pick<Places, "setElement" | "setReplaced"> => ({
    setElement: (from, element) =>
      setElements((known) => {
        const others = [...known].filter(([other]) => other !== from);
        return new Map(element === null ? others : [...others, [from, element]]);
      }),
    setReplaced: (from, isReplaced) =>
      setReplaced((known) => {
        const others = [...known].filter((other) => other !== from);
        return known.has(from) === isReplaced ? known : new Set(isReplaced ? [...others, from] : others);
      }),
  }));
  return useMemo(() => ({ elements, replaced, ...setters }), [elements, replaced, setters]);
}

/** A text of the payload, and the place above it for its field. */
export function ProposedText({ from, children }: { from: string; children: ReactNode }): ReactElement {
  const { setElement, replaced } = useContext(ProposedPlaces);
  const place = useCallback((element: HTMLElement | null) => setElement(from, element), [from, setElement]);
  return (
    <>
      <div ref={place} />
      <div hidden={replaced.has(from)}>{children}</div>
    </>
  );
}
