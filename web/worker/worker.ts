/*
 * Runs in the browser of a person who chose to be told, also while no page of the service is open. A notification has no content:
 * this asks the service what it is about, in the person's session.
 */
import { idOf } from "../dashboard/settings/browser-id.ts";

/** What the service says about a notification, in the language of the person. */
interface News {
  purpose: string | null;
  notice: { title: string; body: string; path: string };
}

/** Where the service says nothing: the person is signed out, or there is no connection. */
const UNKNOWN = { title: "Human Task Service", body: "There is something new for you.", path: "/inbox" };

declare const self: ServiceWorkerGlobalScope;

const BROWSERS = "/api/auth/me/browsers";
/** Pages that show a task without being loaded again. */
const PAGES = /^\/(inbox|tasks)\b/;

self.addEventListener("push", (event) => event.waitUntil(tell()));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open((event.notification.data as { path: string }).path));
});
// The push service has given the browser another address.
self.addEventListener("pushsubscriptionchange", (event) =>
  event.waitUntil(renew(event as PushSubscriptionChangeEvent)),
);

async function tell(): Promise<void> {
  const news = await readNews();
  const windows = await self.clients.matchAll({ type: "window" });
  const isLookedAt = windows.some(({ visibilityState, url }) => visibilityState === "visible" && isPage(url));
  // The page shows it already.
  if (isLookedAt && news !== null && news.purpose !== "test") return;
  const { title, body, path } = news?.notice ?? UNKNOWN;
  // A later notification takes the place of this one.
  await self.registration.showNotification(title, { body, tag: "tasks", icon: "/icon.svg", data: { path } });
}

/** Returns what is new; null if the person is signed out, or the service does not answer. */
async function readNews(): Promise<News | null> {
  try {
    const subscription = await self.registration.pushManager.getSubscription();
    if (subscription === null) return null;
    const response = await fetch(`${BROWSERS}/${await idOf(subscription.endpoint)}/news`);
    return response.ok ? ((await response.json()) as News) : null;
  } catch {
    return null;
  }
}

async function open(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window" });
  const page = windows.find(({ url }) => isPage(url));
  if (page === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  await page.focus();
  page.postMessage({ open: path });
}

function isPage(url: string): boolean {
  return PAGES.test(new URL(url).pathname);
}

interface PushSubscriptionChangeEvent extends ExtendableEvent {
  oldSubscription: PushSubscription | null;
}

async function renew({ oldSubscription }: PushSubscriptionChangeEvent): Promise<void> {
  if (oldSubscription === null) return;
  const { endpoint } = await self.registration.pushManager.subscribe(oldSubscription.options);
  await fetch(`${BROWSERS}/${await idOf(endpoint)}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ endpoint }),
  });
}
