import type { AskedAction } from "./asked.ts";
import { ActionCard } from "./card.tsx";
import { useActionStyles } from "./styles.ts";

/** The actions of an open task, for somebody who cannot decide it. */
export function ActionsToRead({ asked, redact }: { asked: readonly AskedAction[]; redact: boolean }) {
  useActionStyles();
  return (
    <div className="stack">
      {asked.map((one, i) => (
        <ActionCard
          key={one.at}
          asked={one}
          index={i}
          count={asked.length}
          redact={redact}
          opened={null}
          decided={null}
          edited={undefined}
          message={undefined}
        />
      ))}
    </div>
  );
}
