import { useMemo, type ReactNode } from "react";
import { plural } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { capitalized } from "../../../form/titles.ts";
import type { Me, Task } from "../api.ts";
import type { Names } from "../inbox/names.ts";
import { useNames } from "../inbox/who.ts";
import { Moment, Time } from "../ui/times.tsx";
import { comingSteps, fallbackOption, sayComing } from "./words.ts";

/** Steps that the line names. */
const MAX_STEPS = 4;

/** What happens to an open task while no one answers, and what counts at the deadline, in one line; nothing if neither. */
export function NextSteps({ task, me }: { task: Task; me: Me }) {
  const names = useNames(me);
  const steps = comingSteps(task);
  const option = useMemo(() => fallbackOption(task), [task]);
  if (steps.length === 0 && task.on_timeout === null) return null;
  const by = <Time at={task.timeout_at} />;
  return (
    <p className="muted">
      {steps.length > 0 && lineOf(steps, names)}
      {steps.length > 0 && task.on_timeout !== null && " · "}
      {task.on_timeout !== null &&
        (option === null
          ? rich("If no one answers by {time}, the answer given beforehand counts", { time: by })
          : rich("If no one answers by {time}, the answer {answer} counts", {
              time: by,
              answer: <q dir="auto">{option}</q>,
            }))}
    </p>
  );
}

function lineOf([first, ...others]: ReturnType<typeof comingSteps>, names: Names): ReactNode {
  const more = others.length + 1 - MAX_STEPS;
  let line: ReactNode = rich("{step} {time}", {
    step: capitalized(sayComing(first!, names)),
    time: <Moment at={first!.at} />,
  });
  for (const step of others.slice(0, MAX_STEPS - 1))
    line = rich("{steps}, then {step} {time}", {
      steps: line,
      step: sayComing(step, names),
      time: <Moment at={step.at} />,
    });
  return more > 0 ? rich("{steps}, and {more}", { steps: line, more: plural(more, "{n} more", "{n} more") }) : line;
}
