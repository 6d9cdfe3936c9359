import { plural } from "../../../languages/text.ts";

/** "1 task", "100 tasks" */
export function tasksIn(count: number): string {
  return plural(count, "{n} task", "{n} tasks");
}

/** "1 task decided", "100 tasks decided" */
export function decidedIn(count: number): string {
  return plural(count, "{n} task decided", "{n} tasks decided");
}
