/** What a notification is about, as the service says it. */
export interface News {
  waiting: number;
  purpose: string | null;
  task: { id: string; title: string | null } | null;
}

interface Notice {
  title: string;
  body: string;
  /** Of the page that it opens. */
  path: string;
}

const WHY: Readonly<Record<string, string>> = {
  assigned: "Assigned to you",
  commented: "New comment",
  new_round: "Changed, so please decide again",
  reminder: "Reminder",
  revised: "Changed",
  sent_back: "Sent back",
};

/** Returns what a notification says. @param news - null if it is not known */
export function noticeOf(news: News | null): Notice {
  if (news === null) return { title: "Human Task Service", body: "There is something new for you.", path: "/inbox" };
  const { waiting, purpose, task } = news;
  const body = waitingText(waiting);
  if (purpose === "test") return { title: "Notifications work in this browser", body, path: "/inbox" };
  if (task === null) return { title: "Human Task Service", body, path: "/inbox" };
  const why = purpose === null ? undefined : WHY[purpose];
  const title = task.title ?? "A confidential task";
  return { title, body: why === undefined ? body : `${why}. ${body}`, path: `/tasks/${task.id}` };
}

function waitingText(waiting: number): string {
  if (waiting === 0) return "You are all caught up.";
  return waiting === 1 ? "1 task waits for you." : `${waiting.toLocaleString("en")} tasks wait for you.`;
}
