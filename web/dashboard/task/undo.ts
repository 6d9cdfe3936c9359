import { toast } from "../ui/toasts.ts";

type Undo = () => void | Promise<void>;

let last: Undo | null = null;

/** Says what was done, and how to take it back: in the toast, and by a key. */
export function undoable(message: string, undo: Undo): void {
  last = undo;
  toast({ message, action: { label: "Undo", onClick: undoLast } });
}

/** Once: what was taken back is not done again. */
export function undoLast(): void {
  const undo = last;
  last = null;
  void undo?.();
}
