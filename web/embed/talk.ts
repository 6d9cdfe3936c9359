import { drawnFrom, follow, type Said, type Talk } from "../light/talk.ts";
import type { Refusal } from "./service.ts";

/**
 * Shows the conversation in place of the button that opens it. The first file of the form loads this one.
 * @param exchange - sends what was written, if anything, and returns the conversation
 */
export async function talk(root: HTMLElement, exchange: (said?: Said) => Promise<Talk | Refusal>): Promise<void> {
  if (root.querySelector("[data-comments]") !== null) return;
  const first = await exchange();
  // It was opened twice.
  if (root.querySelector("[data-comments]") !== null) return;
  if ("message" in first) {
    root.querySelector(".error")!.textContent = first.message;
    return;
  }
  root.replaceChildren(...drawnFrom(first.html).childNodes);
  follow(root, (said) => exchange(said ?? undefined));
  if (root.querySelector("article") !== null) return;
  root.querySelector("details")!.open = true;
  root.querySelector("textarea")!.focus();
}
