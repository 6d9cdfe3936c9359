import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { RefObject } from "react";
import { PASS, useKeys } from "../ui/keyboard.ts";
import type { Scope } from "../queries.ts";
import { isBesideList } from "./reading.ts";
import { extended, NOTHING, replaced, select, toggled } from "./selection.ts";
import type { Selection } from "./selection.ts";

/** Returns the rows of the list that can have the focus, from top to bottom. */
export function rowsIn(section: RefObject<HTMLElement | null>): HTMLElement[] {
  return [...(section.current?.querySelectorAll<HTMLElement>("[data-task]") ?? [])];
}

/** Returns the index of the row with the focus, or else of the open row; -1 if there is neither. */
export function currentRow(rows: readonly HTMLElement[]): number {
  const focused = rows.findIndex((row) => row.parentElement?.contains(document.activeElement));
  return focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent !== null);
}

/** Selects a row by its checkbox, or with Shift all rows from the one that was selected before. */
export function tick(view: string, id: string, isRange: boolean): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-task]:has(+ .tick)")];
  const order = rows.map((row) => row.dataset["task"]!);
  select(view, (now) => (isRange ? extended(now, order, id, id) : toggled(now, id)));
}

interface RowSelection {
  section: RefObject<HTMLElement | null>;
  view: string;
  search: Scope;
  /** The ids of all rows that can be selected, from top to bottom. */
  order: readonly string[];
  selected: readonly string[];
  selection: Selection;
}

/** Selects rows with X, Shift and arrows, Ctrl and A, and with clicks that hold Shift or Ctrl. */
export function useRowSelection(props: RowSelection): void {
  const { section, view, search, order, selected, selection } = props;
  const navigate = useNavigate();
  const canSelect = order.length > 0;
  const hasSelected = selected.length > 0;
  const toggleRow = () => {
    const rows = rowsIn(section);
    const row = rows[Math.max(currentRow(rows), 0)];
    const id = row?.dataset["task"];
    if (row === undefined || id === undefined || !order.includes(id)) return;
    row.focus();
    select(view, (now) => toggled(now, id));
  };
  const extend = (by: number) => () => {
    const rows = rowsIn(section);
    const at = currentRow(rows);
    const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (next === undefined) return;
    next.focus();
    const to = next.dataset["task"]!;
    const from = rows[at]?.dataset["task"] ?? to;
    select(view, (now) => extended(now, order, from, to));
  };
  const decide = (event: KeyboardEvent) => {
    // With Ctrl, Enter on a link also clicks it.
    event.preventDefault();
    void navigate({ to: "/batch", search });
  };
  const inList = (handler: (event: KeyboardEvent) => void) => (event: KeyboardEvent) =>
    isBesideList() ? PASS : handler(event);
  useKeys({
    x: canSelect ? toggleRow : undefined,
    J: canSelect ? extend(1) : undefined,
    K: canSelect ? extend(-1) : undefined,
    "Shift+ArrowDown": canSelect ? inList(extend(1)) : undefined,
    "Shift+ArrowUp": canSelect ? inList(extend(-1)) : undefined,
    "Mod+a": canSelect ? inList(() => select(view, (now) => replaced(now, order))) : undefined,
    d: hasSelected ? decide : undefined,
  });
  // They are for the selected rows, and not for the task beside the list, unless the person has gone into it.
  useKeys(
    {
      "Mod+Enter": hasSelected ? inList(decide) : undefined,
      Escape: hasSelected || selection.byTouch ? inList(() => select(view, () => NOTHING)) : undefined,
    },
    true,
  );

  const now = useRef({ view, order, byTouch: selection.byTouch });
  useEffect(() => {
    now.current = { view, order, byTouch: selection.byTouch };
  });
  useEffect(() => {
    const list = section.current!;
    const click = (event: MouseEvent) => {
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-task]") : null;
      const id = row?.dataset["task"];
      const { view, order, byTouch } = now.current;
      const isWanted = event.shiftKey || event.ctrlKey || event.metaKey || byTouch;
      if (row === null || id === undefined || !isWanted || !order.includes(id)) return;
      // Not to be opened, here or in another tab.
      event.preventDefault();
      event.stopPropagation();
      row.focus();
      const change = event.shiftKey
        ? (selection: Selection) => extended(selection, order, id, id)
        : (selection: Selection) => toggled(selection, id);
      select(view, change);
    };
    // It would also select the text from the row that has the focus.
    const press = (event: MouseEvent) => {
      if (event.shiftKey && event.target instanceof Element && event.target.closest("[data-task]") !== null)
        event.preventDefault();
    };
    list.addEventListener("click", click);
    list.addEventListener("mousedown", press);
    return () => {
      list.removeEventListener("click", click);
      list.removeEventListener("mousedown", press);
    };
  }, [section]);
}
