import type { ListedTask, Me } from "../api.ts";

/** Whose task it is, as whoever reads it would say. */
export function whoOf(task: Pick<ListedTask, "assigned_to_user_id" | "assigned_to_email">, me: Me): string {
  if (task.assigned_to_user_id !== null && task.assigned_to_user_id === me.user_id) return "You";
  if (task.assigned_to_email !== null) return task.assigned_to_email;
  return task.assigned_to_user_id === null ? "Unassigned" : "Assigned";
}
