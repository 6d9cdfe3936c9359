import { pieces } from "../../languages/text.ts";
import { escapeHtml } from "./page.ts";

/** Returns a text in the current language as HTML, with HTML in place of each `{name}`. */
export function richHtml(text: string, parts: Readonly<Record<string, string>>): string {
  return pieces(text)
    .map((piece, place) => (place % 2 === 1 ? (parts[piece] ?? "") : escapeHtml(piece)))
    .join("");
}
