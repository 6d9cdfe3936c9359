/** The width of the list beside a task, in px. */
export const LIST_MIN = 260;
export const LIST_MAX = 640;

/** Returns the columns of the list and the task. The task always has half of the page. @param width - null: as in dashboard.css */
export function columnsOf(width: number | null): string {
  return width === null
    ? ""
    : `min(${Math.min(Math.max(Math.round(width), LIST_MIN), LIST_MAX)}px, 50%) minmax(0, 1fr)`;
}
