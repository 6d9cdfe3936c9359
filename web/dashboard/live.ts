import { useEffect, useState } from "react";
import { SIGNED_IN } from "./api.ts";
import { queryClient } from "./queries.ts";

const KINDS = ["reset", "task", "created"];
/** Changes within this time cause one refresh of the lists. */
const GATHER_MS = 100;
/** After this time without a stream, the page says "Reconnecting". */
const PATIENCE_MS = 5_000;
const POLL_MS = 15_000;

/** Keeps the page up to date with the stream of changes. @returns false while it is disconnected and the page polls */
export function useLive(): boolean {
  const [isLive, setIsLive] = useState(true);
  useEffect(() => {
    return keepLive(setIsLive);
  }, []);
  return isLive;
}

/** @returns a function that ends it */
function keepLive(setIsLive: (isLive: boolean) => void): () => void {
  let stream: EventSource;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const refresh = (): void => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void queryClient.invalidateQueries({ queryKey: ["tasks"] });
    }, GATHER_MS);
  };
  const open = (): void => {
    // The person has too many pages open. This one polls until they look at it, or until the browser connects much later.
    let isReplaced = false;
    stream = new EventSource("/api/events");
    for (const kind of KINDS) stream.addEventListener(kind, refresh);
    stream.addEventListener("created", () => markTab(document.hidden));
    stream.addEventListener("replaced", () => {
      isReplaced = true;
    });
    stream.addEventListener("open", () => {
      clearTimeout(waiting);
      waiting = undefined;
      setIsLive(true);
    });
    stream.addEventListener("error", () => {
      // The browser does not try again. If the session has ended, the next call shows it.
      if (stream.readyState === EventSource.CLOSED) refresh();
      if (!isReplaced) waiting ??= setTimeout(() => setIsLive(false), PATIENCE_MS);
      isReplaced = false;
    });
  };
  const reopen = (): void => {
    if (stream.readyState === EventSource.OPEN) return;
    stream.close();
    open();
  };
  const polling = setInterval(() => {
    if (stream.readyState === EventSource.OPEN) return;
    refresh();
    // The browser has given up after an answer that is no stream, such as that of a proxy during a restart.
    if (stream.readyState === EventSource.CLOSED) open();
  }, POLL_MS);
  const unmark = (): void => markTab(false);
  document.addEventListener("visibilitychange", unmark);
  addEventListener("focus", reopen);
  addEventListener(SIGNED_IN, reopen);
  open();
  return () => {
    stream.close();
    clearTimeout(gathering);
    clearTimeout(waiting);
    clearInterval(polling);
    document.removeEventListener("visibilitychange", unmark);
    removeEventListener("focus", reopen);
    removeEventListener(SIGNED_IN, reopen);
  };
}

const DOT = "%3Ccircle cx='12' cy='4' r='4' fill='%23F04438'/%3E";
const END = "%3C/svg%3E";

/** Shows on the icon of a tab that a task came while it was not looked at. */
function markTab(isMarked: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")!;
  const plain = icon.href.replace(DOT, "");
  icon.href = isMarked ? plain.replace(END, DOT + END) : plain;
}
