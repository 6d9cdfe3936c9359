import { useEffect, useRef } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { askerLine } from "../../../form/asker.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import { actionsOf } from "../action/asked.ts";
import { ActionLine } from "../action/line.tsx";
import type { Me, Task } from "../api.ts";
import { useDay } from "../absence/chip.tsx";
import { NextSteps } from "../escalation/next-steps.tsx";
import type { Names } from "../inbox/names.ts";
import { AllLabels } from "../inbox/row-parts.tsx";
import { EndedAt, OutcomeChip } from "../inbox/outcome.tsx";
import { takesFocus } from "../inbox/reading.ts";
import { useNames, whoOf } from "../inbox/who.ts";
import { WidthButton } from "../inbox/width-button.tsx";
import { ProjectLine } from "../projects/name.tsx";
import { IconButton } from "../shell.tsx";
import { IconArrowDown, IconArrowLeft, IconArrowUp, IconLink } from "../ui/icons.tsx";
import { useNow } from "../ui/now.ts";
import { usePreferences } from "../ui/preferences.ts";
import { Deadline, isOpenStatus, PriorityChip } from "../ui/status.tsx";
import { Snoozed } from "../snooze/words.tsx";
import type { Claim } from "./claim.ts";
import type { TaskNavigation } from "./navigation.ts";
import { TaskMenu } from "./task-menu.tsx";

interface TaskHeaderProps {
  task: Task;
  me: Me;
  isOver: boolean;
  claim: Claim;
  navigation: TaskNavigation;
  copyLink: () => void;
  showRaw: () => void;
}

/**
 * The state of a task, the links to others, its menu, and its heading, which takes the focus when the task is opened.
 */
export function TaskHeader({ task, me, isOver, claim, navigation, copyLink, showRaw }: TaskHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isOpen = isOpenStatus(task.status) && !isOver;
  // A screen reader first announces the opened task.
  useEffect(() => {
    if (takesFocus(task.id)) heading.current?.focus({ preventScroll: true });
  }, [task.id]);
  const [first, rest] = headingOf(task.task);
  const names = useNames(me);
  const { isWide } = usePreferences();
  const assignee = whoOf(task, me, names);
  const isClaimed = isOpen && claim.state === "mine" && task.assigned_to_email === null;
  const who = isClaimed && assignee !== null ? t("{assignee}, claimed by you", { assignee }) : assignee;
  const asker = askerLine(task, isOpen ? "asks" : "asked");
  return (
    <header className="task-head">
      <div className="task-state">
        <button type="button" className="back" aria-label={t("Back to the list")} onClick={navigation.back}>
          <IconArrowLeft size={16} stroke={1.75} aria-hidden />
        </button>
        <OutcomeChip task={task} isOver={isOver} />
        {isOpen && <PriorityChip task={task} />}
        {isOpen && <Snoozed task={task} />}
        {isOpen && <Deadline created={task.created_at} at={task.timeout_at} />}
        {who !== null && !(isOver && isOpenStatus(task.status)) && <span className="who">{who}</span>}
        <EndedAt task={task} isDated />
        <span className="count-of">{navigation.position}</span>
        <div className="wide-only row">
          <WidthButton label={isWide ? t("Show the list") : t("Hide the list")} />
          <IconButton label={t("Previous task")} onClick={navigation.previous}>
            <IconArrowUp size={16} stroke={1.75} aria-hidden />
          </IconButton>
          <IconButton label={t("Next task")} onClick={navigation.next}>
            <IconArrowDown size={16} stroke={1.75} aria-hidden />
          </IconButton>
          <IconButton label={t("Copy link")} onClick={copyLink}>
            <IconLink size={16} stroke={1.75} aria-hidden />
          </IconButton>
        </div>
        <TaskMenu
          task={task}
          me={me}
          isOpen={isOpen}
          claim={claim}
          navigation={navigation}
          copyLink={copyLink}
          showRaw={showRaw}
        />
      </div>
      {isOpen && <NextSteps task={task} me={me} />}
      <h1 ref={heading} tabIndex={-1} dir="auto">
        {first}
      </h1>
      {actionsOf(task) !== null ? (
        <ActionLine task={task} />
      ) : (
        asker !== null && (
          <p className="muted" dir="auto">
            {asker}
          </p>
        )
      )}
      {isOpen && task.delegated_from !== null && <ForLine task={task} names={names} />}
      <ProjectLine slug={task.project} />
      <AllLabels labels={task.labels} />
      {rest !== "" && (
        <p className="task-rest" dir="auto">
          {rest}
        </p>
      )}
    </header>
  );
}

const MINUTE = 60_000;

/** Names the absent person that the task is for, and until when they are away. */
function ForLine({ task: { delegated_from, delegated_until }, names }: { task: Task; names: Names }) {
  const day = useDay();
  const now = useNow(() => MINUTE);
  if (delegated_from === null) return null;
  const person = <strong>{names.get(delegated_from.user_id) ?? delegated_from.email ?? t("someone")}</strong>;
  const isAway = delegated_until !== null && Date.parse(delegated_until) > now;
  return (
    <p className="muted" dir="auto">
      {isAway
        ? rich("For {person}, away until {day}", { person, day: day(delegated_until) })
        : rich("For {person}", { person })}
    </p>
  );
}
