import { t } from "../../languages/text.ts";
import { SAID } from "../../form/plan/conversation.ts";

/*
 * The conversation of a page about one task. The server draws it, and this sends what is written and shows what is new, while
 * nothing that was typed on the page changes. It is loaded when somebody needs it.
 */

/** What somebody wrote. */
export interface Said {
  readonly text: string;
  readonly kind: string;
  readonly idempotency_key: string;
}

/** The conversation as HTML, with a mark that changes with it; or why it cannot be had. */
export type Talk = { readonly html: string; readonly mark: string } | { readonly message: string };

/** Sends what was written, if anything, and returns the conversation. If it is the one that was `seen`, there is no answer to read. */
export type Exchange = (said: Said | null, seen: string) => Promise<Talk>;

/** While the page is seen, it looks for news this often. */
const NEWS_MS = 15_000;

/** Follows the conversation of a page behind a personal link, which is drawn already. */
export function followLink(root: HTMLElement): void {
  follow(root, async (said, seen) => {
    const nonce = document.querySelector<HTMLInputElement>('[name="~nonce"]')?.value ?? "";
    const fields = said && {
      "~nonce": nonce,
      [SAID.text]: said.text,
      [SAID.kind]: said.kind,
      [SAID.key]: said.idempotency_key,
    };
    try {
      const response = await fetch(
        `${location.pathname}/conversation?seen=${seen}`,
        fields === null ? {} : { method: "POST", body: new URLSearchParams(fields) },
      );
      return (await response.json()) as Talk;
    } catch {
      return { message: t("No connection. Try again.") };
    }
  });
}

/**
 * Sends what is written in a conversation, and shows what is new.
 * @param root - its element, where it is drawn already
 */
export function follow(root: HTMLElement, exchange: Exchange): void {
  const list = root.querySelector("[data-comments]")!;
  const field = root.querySelector("textarea")!;
  let key = newKey();
  /** Times that the conversation was asked for. */
  let asked = 0;
  let seen = "";

  function show(talk: Talk): void {
    if (!("html" in talk)) return;
    seen = talk.mark;
    const news = drawnFrom(talk.html).querySelector("[data-comments]")!;
    if (news.innerHTML !== list.innerHTML) list.replaceChildren(...news.childNodes);
  }

  async function send(button: HTMLButtonElement): Promise<void> {
    const text = field.value;
    const problem = root.querySelector(".error")!;
    const buttons = root.querySelectorAll("button");
    for (const one of buttons) one.disabled = true;
    const talk = await exchange({ text, kind: button.value, idempotency_key: key }, seen);
    for (const one of buttons) one.disabled = false;
    problem.textContent = "message" in talk ? talk.message : "";
    if ("message" in talk) return;
    // Somebody may have gone on writing.
    if (field.value === text) field.value = "";
    key = newKey();
    if (field.value === "") {
      root.querySelector("details")!.open = false;
      root.querySelector("summary")?.focus();
    }
    asked++;
    show(talk);
  }

  root.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>("button");
    if (button === null) return;
    event.preventDefault();
    void send(button);
  });
  root.addEventListener("input", () => (key = newKey()));
  const look = async () => {
    if (document.visibilityState !== "visible") return;
    const own = ++asked;
    const talk = await exchange(null, seen);
    // A later answer may have come first.
    if (own === asked) show(talk);
  };
  document.addEventListener("visibilitychange", () => void look());
  setInterval(() => void look(), NEWS_MS);
}

/** Returns the elements of HTML from the service, which has escaped everything in it. */
export function drawnFrom(html: string): HTMLElement {
  return new DOMParser().parseFromString(html, "text/html").body;
}

/** The same for each attempt to send one text, so that a lost answer adds nothing twice. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}
