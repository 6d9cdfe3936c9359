import { isSlackChannel } from "../../src/channels/slack/notifiable.ts";
import { emailKey, isEmailAddress } from "../../src/lib/text.ts";
import type { Routing } from "../../src/tasks/assign-to.ts";
import type { Destination } from "../../src/tasks/notify.ts";
import { assigned, NOBODY, offered, unmatched, type Routed } from "../../src/tasks/routed.ts";

/**
 * Returns the assignee and the candidates of a new task, like `route` of the service with an empty directory. (wire:
 * assign_to)
 */
export function routeWithoutDirectory(asked: Routing | null, notify: readonly Destination[]): Routed {
  switch (asked?.to) {
    case undefined:
      return routeToNotified(notify);
    case "email":
      return assigned(null, asked.email, "email");
    case "emails":
      return offered([...new Set(asked.emails.map(emailKey))]);
    default:
      return unmatched();
  }
}

/** Returns the assignee by `notify`: if it names a single person by email, that person. */
function routeToNotified(notify: readonly Destination[]): Routed {
  const people = notify.map(({ target }) => target).filter((target) => !isSlackChannel(target));
  const [only] = people;
  if (only === undefined || new Set(people.map(emailKey)).size > 1 || !isEmailAddress(only)) return NOBODY;
  return assigned(null, only, "notify");
}
