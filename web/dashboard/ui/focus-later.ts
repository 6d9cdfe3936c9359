import { useEffect, useRef } from "react";

/** Returns a function that focuses an element after the next change of the page. */
export function useFocusLater(): (selector: string) => void {
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    document.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = null;
  });
  return (selector) => void (wanted.current = selector);
}
