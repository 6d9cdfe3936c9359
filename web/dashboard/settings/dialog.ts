import { useEffect, useRef, useState } from "react";

/** What is asked in a dialog, which is there as long as something is. */
interface Dialog<T> {
  readonly asked: T | null;
  readonly ask: (about: T) => void;
  readonly close: () => void;
}

/** Once the dialog is closed, the focus is where it was before; where that is gone, on the page. */
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
