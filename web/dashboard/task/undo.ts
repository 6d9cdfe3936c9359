import { t } from "../../../languages/text.ts";
import { hideToast, toast } from "../ui/toasts.ts";

interface Undoable {
  /** The changed object. A later change of the same object replaces this one. */
  of: string;
  /** Shown after the action: "Claimed". */
  message: string;
  /** Shown after the undo: "Claim undone". */
  undone: string;
  /** Resolves with false if the undo failed; then the person has seen the reason. */
  undo: () => Promise<boolean>;
  /** In milliseconds. */
  closesAfter?: number;
}

/** Actions that can be undone, oldest first. */
let done: { action: Undoable; toast: string }[] = [];

/** Shows what was done, and offers to undo it with a button in the toast and with a key. */
export function undoable(action: Undoable): void {
  forget(action.of);
  const { message, closesAfter } = action;
  const offer = { label: t("Undo"), onClick: () => void takeBack(action) };
  const id = toast({ message, action: offer, ...(closesAfter === undefined ? {} : { closesAfter }) });
  done.push({ action, toast: id });
}

/** Whether there is something to undo. */
export function canUndo(): boolean {
  return done.length > 0;
}

/** Undoes the last action that can still be undone. */
export function undoLast(): void {
  const last = done.at(-1);
  if (last !== undefined) void takeBack(last.action);
}

/** No longer offers to undo changes of this object. */
export function forget(of: string): void {
  for (const { action, toast: id } of done) if (action.of === of) hideToast(id);
  done = done.filter(({ action }) => action.of !== of);
}

async function takeBack({ of, undone, undo }: Undoable): Promise<void> {
  forget(of);
  if (await undo()) toast({ message: undone });
}
