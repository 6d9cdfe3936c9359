import { useSyncExternalStore } from "react";

/** The tasks that one batch may have. More than this is no longer looked at by a person. */
export const BATCH_MAX = 200;

/** The rows that a person has selected in a list, to decide them together. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Where a range begins: the row that was selected last by itself. */
  readonly anchor: string | null;
  /** What was selected before the range, which a range in the other direction leaves selected. */
  readonly before: ReadonlySet<string>;
  /** Whether a touch selects a row instead of opening it. */
  readonly byTouch: boolean;
}

export const NOTHING: Selection = { ids: new Set(), anchor: null, before: new Set(), byTouch: false };

/** Selects a row, or no longer selects it. */
export function toggled(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids);
  if (!ids.delete(id)) ids.add(id);
  const limited = atMost(ids);
  return { ...selection, ids: limited, anchor: id, before: limited };
}

/**
 * Selects the rows from the anchor to `id`, and no others of an earlier range from the same anchor.
 * @param order - the ids of all rows that can be selected, from top to bottom
 * @param from - the anchor, unless an earlier step has set one
 */
export function extended(selection: Selection, order: readonly string[], from: string, id: string): Selection {
  const anchor = selection.anchor !== null && order.includes(selection.anchor) ? selection.anchor : from;
  const [a, b] = [order.indexOf(anchor), order.indexOf(id)];
  if (a === -1 || b === -1) return selection;
  const range = order.slice(Math.min(a, b), Math.max(a, b) + 1);
  return { ...selection, anchor, ids: atMost(new Set([...selection.before, ...range])) };
}

/** Selects exactly these rows. */
export function replaced(selection: Selection, ids: readonly string[]): Selection {
  const limited = atMost(new Set(ids));
  return { ...selection, ids: limited, anchor: null, before: limited };
}

/** No longer selects these rows. */
export function without(selection: Selection, ids: ReadonlySet<string>): Selection {
  return { ...NOTHING, ids: selection.ids.difference(ids), before: selection.before.difference(ids) };
}

function atMost(ids: ReadonlySet<string>): ReadonlySet<string> {
  return ids.size <= BATCH_MAX ? ids : new Set([...ids].slice(0, BATCH_MAX));
}

/** The list of one person with its filters. A selection belongs to the list in which it was made. */
let view = "";
let current = NOTHING;
const listeners = new Set<() => void>();

/** @param of - identifies the person, and the list with its filters */
export function useSelection(of: string): Selection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (view === of ? current : NOTHING),
  );
}

/** Changes the selection of a list. It replaces that of any other list. */
export function select(of: string, change: (selection: Selection) => Selection): void {
  current = change(view === of ? current : NOTHING);
  view = of;
  for (const listener of listeners) listener();
}
