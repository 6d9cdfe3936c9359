import type { Press } from "../../form/plan/entries.ts";
import { idOf } from "./dom-ids.ts";

/** Ids of the form's messages. */
export const SUMMARY = "form-trouble";
export const BACK = "form-sent-back";
export const CONFIRM = "form-confirm";

const CONTROLS = "input:not([type='hidden']):not([disabled]), select, textarea, button";

/** Focuses the first of these elements that exists, or the first control in it. */
export function focusOn(ids: readonly string[]): void {
  const found = ids.map((id) => document.getElementById(id)).find((element) => element !== null);
  if (found === undefined) return;
  const canFocus = found.tabIndex >= 0 || found.hasAttribute("tabindex");
  const target = (!canFocus && found.querySelector<HTMLElement>(CONTROLS)) || found;
  target.scrollIntoView({ block: "nearest" });
  target.focus();
}

/** Returns where the focus moves: into an added row, or next to a removed one. */
export function afterPress(press: Press, rows: number): readonly string[] {
  const { name } = press;
  switch (press.act) {
    case "add": {
      const row = `${name}/${rows}`;
      return [idOf(`${row}~key`), idOf(row), idOf(`${row}~form`), idOf(row, "set")];
    }
    case "remove":
      return [idOf(name, `remove${Math.min(press.row, rows - 2)}`), idOf(name, "add"), idOf(name, "set")];
    default:
      return [idOf(name), idOf(name, "set")];
  }
}
