import { Fragment, useMemo } from "react";
import { t } from "../../../languages/text.ts";
import { capitalized } from "../../../form/titles.ts";
import type { Me, Task } from "../api.ts";
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
  return (
    <p className="muted">
      {steps.slice(0, MAX_STEPS).map((step, i) => {
        const says = sayComing(step, names);
        return (
          <Fragment key={step.step}>
            {i === 0 ? capitalized(says) : t(", then {says}", { says })} <Moment at={step.at} />
          </Fragment>
        );
      })}
      {steps.length > MAX_STEPS && t(", and {value} more", { value: steps.length - MAX_STEPS })}
      {task.on_timeout !== null && (
        <>
          {steps.length > 0 && " · "}If no one answers by <Time at={task.timeout_at} />, the answer{" "}
          {option === null ? "given beforehand" : <q dir="auto">{option}</q>} counts
        </>
      )}
    </p>
  );
}
