import { useEffect } from "react";
import { remove } from "./api.ts";
import { idOf } from "./settings/browser-id.ts";

export const BROWSERS = "/api/auth/me/browsers";

/** Returns how this browser is told what waits; null if it is not. */
export async function subscription(): Promise<PushSubscription | null> {
  // Without https there is none of this.
  const registration = await navigator.serviceWorker?.getRegistration("/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** Tells no one in this browser any more. A browser that the service does not know is right already. */
export async function stopNotices(): Promise<void> {
  const known = await subscription();
  if (known === null) return;
  await known.unsubscribe();
  await remove(`${BROWSERS}/${await idOf(known.endpoint)}`).catch(() => {});
}

/** Calls `open` with the path of a notification that the person has clicked. */
export function useOpened(open: (path: string) => void): void {
  useEffect(() => {
    const worker = navigator.serviceWorker;
    const opened = ({ data }: MessageEvent<{ open: string }>): void => open(data.open);
    worker?.addEventListener("message", opened);
    return () => worker?.removeEventListener("message", opened);
  });
}
