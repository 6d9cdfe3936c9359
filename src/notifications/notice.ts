import { plural, t } from "../../languages/text.ts";
import type { News } from "./schema.ts";

/** Returns what a notification says, in the current language, and the path of the page that it opens. */
export function noticeOf({ waiting, purpose, task }: Pick<News, "waiting" | "purpose" | "task">): News["notice"] {
  const body =
    waiting === 0 ? t("You are all caught up.") : plural(waiting, "{n} task waits for you.", "{n} tasks wait for you.");
  if (purpose === "test") return { title: t("Notifications work in this browser"), body, path: "/inbox" };
  if (task === null) return { title: "Human Task Service", body, path: "/inbox" };
  const why = purpose === null ? null : sayWhy(purpose);
  const title = task.title ?? t("A confidential task");
  return { title, body: why === null ? body : `${why}. ${body}`, path: `/tasks/${task.id}` };
}

function sayWhy(purpose: string): string | null {
  switch (purpose) {
    case "assigned":
      return t("Assigned to you");
    case "commented":
      return t("New comment");
    case "new_round":
      return t("Changed, so please decide again");
    case "reminder":
      return t("Reminder");
    case "revised":
      return t("Changed");
    case "sent_back":
      return t("Sent back");
    default:
      return null;
  }
}
