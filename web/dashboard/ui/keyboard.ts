import { useEffect, useRef } from "react";
import { readPreferences } from "./preferences.ts";

/**
 * Handlers by key name of the browser, by two keys in a row, with Ctrl or Cmd, or with Shift: "j", "Enter", "g i", "Mod+a",
 * "Shift+ArrowUp".
 */
type Handlers = Readonly<Record<string, ((event: KeyboardEvent) => unknown) | undefined>>;

/** Returned by a handler whose component does not want the key at the moment. The next component gets it. */
export const PASS = Symbol("pass");

/** Names of handlers that no key has. The palette calls them. */
export const BY_MENU = { deadline: "menu deadline", cancel: "menu cancel", delete: "menu delete", raw: "menu raw" };

interface Layer {
  readonly handlers: { current: Handlers };
  readonly isInner: boolean;
}

/** Whether Cmd takes the place of Ctrl. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** How long the first key of two waits for the second, in milliseconds. */
const SEQUENCE_MS = 1_500;

/** The handlers of all components on the page, those of inner components last. The last one comes first. */
const layers: Layer[] = [];
let begun: { key: string; at: number } | null = null;
/** Whether a dialog, a menu or a list of options was open when the key went down: Escape closes it before `dispatch` is called. */
let isCovered = false;

/**
 * Handles keys, except while the person types in a field or uses a dialog or a menu.
 *
 * @param isInner - the keys take precedence over those of the page around the component, which React adds later
 */
export function useKeys(handlers: Handlers, isInner = false): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    if (layers.length === 0) {
      window.addEventListener("keydown", lookForCover, { capture: true });
      document.addEventListener("keydown", dispatch);
    }
    const layer = { handlers: latest, isInner };
    layers.push(layer);
    layers.sort((a, b) => Number(a.isInner) - Number(b.isInner));
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length > 0) return;
      window.removeEventListener("keydown", lookForCover, { capture: true });
      document.removeEventListener("keydown", dispatch);
    };
  }, [isInner]);
}

/** Calls the first handler of a key that wants it. @returns false if there is none */
function handle(name: string, event: KeyboardEvent): boolean {
  return layers.toReversed().some(({ handlers }) => {
    const handler = handlers.current[name];
    return handler !== undefined && handler(event) !== PASS;
  });
}

/** Returns what calls the handlers that the components of the page have at the moment, by the names of their keys. */
export function possibleKeys(): ReadonlyMap<string, () => void> {
  const names = new Set(
    layers.flatMap(({ handlers: { current } }) => Object.keys(current).filter((name) => current[name] !== undefined)),
  );
  return new Map(
    [...names].map((name) => [name, () => void handle(name, new KeyboardEvent("keydown", { key: name.at(-1)! }))]),
  );
}

function lookForCover(): void {
  isCovered = document.querySelector("[role='dialog'], [role='menu'], [role='listbox']") !== null;
}

function dispatch(event: KeyboardEvent): void {
  const { key } = event;
  // This shortcut types nothing, so it also works in fields. A key that is held down confirms nothing.
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
    if (event.defaultPrevented || event.repeat || isCovered) return;
    handle("Mod+Enter", event);
    return;
  }
  const isPalette = key === "k" && (event.ctrlKey || event.metaKey) && !isCovered;
  if (event.defaultPrevented || event.altKey || (!isPalette && isElsewhere(event))) return;
  if (event.ctrlKey || event.metaKey) {
    if (handle(`Mod+${key}`, event)) event.preventDefault();
    return;
  }
  // People may press letter keys by accident, or dictate them.
  if (key.length === 1 && !readPreferences().singleKeys) return;
  const first = begun !== null && event.timeStamp - begun.at < SEQUENCE_MS ? begun.key : null;
  begun = null;
  const name = first === null ? key : `${first} ${key}`;
  if ((event.shiftKey && handle(`Shift+${name}`, event)) || handle(name, event)) event.preventDefault();
  else if (
    first === null &&
    layers.some(({ handlers: { current } }) => Object.keys(current).some((one) => one.startsWith(`${key} `)))
  )
    begun = { key, at: event.timeStamp };
}

/** Returns whether the key is for the focused element, or for something over the page. */
function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (isCovered) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  const isControl = target.matches("a, button, summary, [role='tab']");
  if (target instanceof HTMLInputElement) {
    const isChoice = target.type === "radio" || target.type === "checkbox";
    return !isChoice || key.startsWith("Arrow") || key === " " || key === "Enter";
  }
  return isControl && (key === "Enter" || key === " ");
}
