import type { AskedAction } from "./asked.ts";
import { ActionCards } from "./card.tsx";
import { useActionStyles } from "./styles.ts";

/** The actions of an open task, for somebody who cannot decide it. */
export function ActionsToRead({ asked, redact }: { asked: readonly AskedAction[]; redact: boolean }) {
  useActionStyles();
  return (
    <div className="stack">
      <ActionCards asked={asked} redact={redact} />
    </div>
  );
}
