import { drawnFrom, follow, type Exchange, type Said, type Talk } from "../light/talk.ts";
import type { Refusal } from "./service.ts";

/**
 * Shows the conversation in place of the button that opens it. The first file of the form loads this one.
 * @param look - the query of all calls
 * @param ask - calls the service, and sends something, if given
 */
export async function talk(
  root: HTMLElement,
  look: string,
  ask: (path: string, said?: Said) => Promise<Talk | Refusal>,
): Promise<void> {
  const exchange: Exchange = async (said, seen) => ask(`/comments${look}&seen=${seen}`, said ?? undefined);
  if (root.querySelector("[data-comments]") !== null) return;
  const first = await exchange(null, "");
  // It was opened twice.
  if (root.querySelector("[data-comments]") !== null) return;
  if ("message" in first) {
    root.querySelector(".error")!.textContent = first.message;
    return;
  }
  root.replaceChildren(...drawnFrom(first.html).childNodes);
  follow(root, exchange);
  if (root.querySelector("article") !== null) return;
  root.querySelector("details")!.open = true;
  root.querySelector("textarea")!.focus();
}
