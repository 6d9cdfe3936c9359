/*
 * Some calls need a person who proved a short time ago who they are. When the service answers that they must confirm it, the
 * page asks in a dialog and repeats the call. (docs/people.md, Sessions)
 */

/** About half a second. */
const FRAMES_MAX = 30;

/** Asks for the proof. @returns false if the person does not give it */
type Ask = () => Promise<boolean>;

let ask: Ask | null = null;
let asking: Promise<boolean> | null = null;
let cancel: (() => void) | null = null;
/** The last element with the focus, outside of the dialog. */
let lastFocused: Element | null = null;

addEventListener("focusin", ({ target }) => {
  if (asking === null && target instanceof Element) lastFocused = target;
});

// Registered before any dialog is open, so that only this dialog closes and not the one below.
addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || event.isComposing || cancel === null) return;
    event.stopImmediatePropagation();
    cancel();
  },
  { capture: true },
);

/** Says how to ask, while the dialog is on the page. @returns a function that ends this */
export function askWith(how: Ask): () => void {
  ask = how;
  return () => {
    if (ask === how) ask = null;
    cancel?.();
  };
}

/** Says what Escape does while the dialog is open. null: it is closed */
export function cancelWith(how: (() => void) | null): void {
  cancel = how;
}

/** Asks for the proof, once for all calls that wait for it. @returns false if the person does not give it */
async function askOnce(): Promise<boolean> {
  if (ask === null) return false;
  asking ??= ask().finally(() => (asking = null));
  return asking;
}

/**
 * Repeats a call after the person has proved who they are, and gives the focus back.
 * @throws the error of the first call, if they do not
 */
export async function confirmThen<T>(refusal: Error, repeat: () => Promise<T>): Promise<T> {
  const before = lastFocused;
  try {
    if (!(await askOnce())) throw refusal;
    return await repeat();
  } finally {
    requestAnimationFrame(() => giveFocusTo(before, FRAMES_MAX));
  }
}

/** Waits until the page has shown what became of the call. If the page moves the focus itself, that is better. */
function giveFocusTo(element: Element | null, frames: number): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  const isThere = element?.isConnected === true;
  // Buttons are disabled while their call is under way.
  if (isThere && element.matches(":disabled") && frames > 0)
    requestAnimationFrame(() => giveFocusTo(element, frames - 1));
  else {
    const place = isThere ? element : document.getElementById("main");
    if (place instanceof HTMLElement) place.focus();
  }
}
