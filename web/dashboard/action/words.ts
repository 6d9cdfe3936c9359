import type { Decision } from "./asked.ts";

/** The words and the key of each decision. */
export const DECISIONS: Readonly<
  Record<Decision, { label: string; key: string; done: string; finish: string; tone: "ok" | "bad" | "info" }>
> = {
  approve: { label: "Approve", key: "A", done: "Approved", finish: "Approve", tone: "ok" },
  edit: { label: "Edit", key: "E", done: "Approved with changes", finish: "Approve with changes", tone: "ok" },
  reject: { label: "Reject", key: "R", done: "Rejected", finish: "Reject", tone: "bad" },
  respond: { label: "Respond", key: "M", done: "Responded", finish: "Send response", tone: "info" },
};
