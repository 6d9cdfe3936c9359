import { hideToast, toast } from "../ui/toasts.ts";

interface Undoable {
  /** What it changed; a later change of the same thing replaces it. */
  of: string;
  /** Said once it is done: "Claimed". */
  message: string;
  /** Said once it is undone: "Claim undone". */
  undone: string;
  /** false: it could not be undone, and the person was told why. */
  undo: () => Promise<boolean>;
}

/** Oldest first. */
let done: { action: Undoable; toast: string }[] = [];

/** Says what was done, and offers to undo it, in the toast and by a key. */
export function undoable(action: Undoable): void {
  forget(action.of);
  const id = toast({ message: action.message, action: { label: "Undo", onClick: () => void takeBack(action) } });
  done.push({ action, toast: id });
}

/** Undoes what was done last and can still be undone. */
export function undoLast(): void {
  const last = done.at(-1);
  if (last !== undefined) void takeBack(last.action);
}

/** Offers no longer to undo changes of this thing. */
export function forget(of: string): void {
  for (const { action, toast: id } of done) if (action.of === of) hideToast(id);
  done = done.filter(({ action }) => action.of !== of);
}

async function takeBack({ of, undone, undo }: Undoable): Promise<void> {
  forget(of);
  if (await undo()) toast({ message: undone });
}
