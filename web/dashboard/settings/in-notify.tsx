import type { ReactNode } from "react";
import { rich } from "../../rich.tsx";

interface InNotifyProps {
  entry: ReactNode;
  /** Works too, if this is the only sender or workspace; null: it is not. */
  shortEntry: ReactNode;
}

/** How agents name a sender or a workspace. */
export function InNotify({ entry, shortEntry }: InNotifyProps) {
  if (shortEntry === null) return rich("In notify: {entry}", { entry });
  return rich("In notify: {entry} or {shortEntry}", { entry, shortEntry });
}
