import { Button } from "@mantine/core";
import { plural, t } from "../../../languages/text.ts";
import type { Kind } from "./kinds.ts";
import { questionsOf } from "./shared-form.ts";
import { tasksIn } from "./words.ts";

/** Says that the selected tasks have several forms, and offers to decide those of one form first. */
export function Kinds({ kinds, choose }: { kinds: readonly Kind[]; choose: (kind: Kind) => void }) {
  const when = { time_zone: "UTC", now: new Date(0) };
  return (
    <div className="task-sections">
      <section className="stack" aria-labelledby="kinds">
        <h2 id="kinds">{t("These tasks have {n} different forms", { n: kinds.length })}</h2>
        <p className="muted">
          {t("One answer fits tasks with the same form. Start with one; the others stay selected.")}
        </p>
        <ul className="batch-kinds">
          {kinds.map((kind, index) => (
            <li key={kind.key}>
              <div>
                <strong>{tasksIn(kind.tasks.length)}</strong>
                <p dir="auto">{questionsOf(kind.tasks[0]!, when)}</p>
                <p className="muted who" dir="auto">
                  {kind.tasks[0]!.task}
                  {kind.tasks.length > 1 && ", ..."}
                </p>
              </div>
              <Button variant={index === 0 ? "filled" : "default"} onClick={() => choose(kind)}>
                {plural(kind.tasks.length, "Decide this one", "Decide these {n}")}
              </Button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
