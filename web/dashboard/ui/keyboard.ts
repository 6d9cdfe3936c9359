import { useEffect, useRef } from "react";
import { readPreferences } from "./preferences.ts";

/**
 * Handlers by key name of the browser, by two keys in a row, with Ctrl or Cmd, or with Shift: "j", "Enter", "g i", "Mod+a",
 * "Shift+ArrowUp".
 */
type Handlers = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>;

interface Layer {
  readonly handlers: { current: Handlers };
  readonly isInner: boolean;
}

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

/** Returns the first handler of a key. */
function handlerOf(name: string): Handlers[string] {
  return layers.findLast(({ handlers }) => handlers.current[name] !== undefined)?.handlers.current[name];
}

function lookForCover(): void {
  isCovered = document.querySelector("[role='dialog'], [role='menu'], [role='listbox']") !== null;
}

function dispatch(event: KeyboardEvent): void {
  const { key } = event;
  // This shortcut types nothing, so it also works in fields. A key that is held down confirms nothing.
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
    if (event.defaultPrevented || event.repeat || isCovered) return;
    handlerOf("Mod+Enter")?.(event);
    return;
  }
  if (event.defaultPrevented || event.altKey || isElsewhere(event)) return;
  if (event.ctrlKey || event.metaKey) {
    const withMod = handlerOf(`Mod+${key}`);
    if (withMod !== undefined) event.preventDefault();
    withMod?.(event);
    return;
  }
  // People may press letter keys by accident, or dictate them.
  if (key.length === 1 && !readPreferences().singleKeys) return;
  const first = begun !== null && event.timeStamp - begun.at < SEQUENCE_MS ? begun.key : null;
  begun = null;
  const name = first === null ? key : `${first} ${key}`;
  const handler = (event.shiftKey && handlerOf(`Shift+${name}`)) || handlerOf(name);
  if (handler !== undefined) {
    event.preventDefault();
    handler(event);
  } else if (
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
