import { useEffect, useState } from "react";
import type { ComponentType } from "react";
import type { ChangesProps } from "./changes.tsx";
import { LIVE } from "./live.ts";

/** Loads the code that shows changes when there are any, because few forms have changes. */
export function LaterChanges({
  Changes,
  ...changes
}: ChangesProps & { Changes: ComponentType<ChangesProps> | undefined }) {
  const [loaded, setLoaded] = useState({ Changes });
  const isWanted = LIVE && changes.plan.changes.length > 0;
  useEffect(() => {
    if (isWanted) import("./changes.tsx").then(setLoaded, () => {});
  }, [isWanted]);
  return loaded.Changes ? <loaded.Changes {...changes} /> : null;
}
