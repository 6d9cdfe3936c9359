import { useQuery } from "@tanstack/react-query";
import type { Task } from "../api.ts";

/** The dialog, once its code has loaded. */
export function SnoozeDialog(props: { task: Task; onSnoozed: () => void; onClose: () => void }) {
  const { data } = useQuery({
    queryKey: ["code", "snooze"],
    queryFn: async () => import("./dialog.tsx"),
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
  return data === undefined ? null : <data.SnoozeDialog {...props} />;
}
