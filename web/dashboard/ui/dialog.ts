import { useEffect, useRef, useState } from "react";

/** The state of a dialog; null while it is closed. */
interface Dialog<T> {
  readonly asked: T | null;
  readonly ask: (about: T) => void;
  readonly close: () => void;
}

/**
 * Holds the state of a dialog. When it closes, the focus returns to the element that opened it, or to the page if that
 * element no longer exists.
 */
export function useDialog<T>(): Dialog<T> {
  const [asked, setAsked] = useState<T | null>(null);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    if (asked !== null || before.current === null) return;
    const place = before.current.isConnected ? before.current : document.getElementById("main");
    if (place instanceof HTMLElement) place.focus();
    before.current = null;
  }, [asked]);
  return {
    asked,
    ask: (about) => {
      before.current = document.activeElement;
      setAsked(about);
    },
    close: () => setAsked(null),
  };
}
