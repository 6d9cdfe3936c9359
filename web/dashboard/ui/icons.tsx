import alertTriangle from "../../../vendor/tabler-icons/alert-triangle.svg";
import arrowBackUp from "../../../vendor/tabler-icons/arrow-back-up.svg";
import arrowDown from "../../../vendor/tabler-icons/arrow-down.svg";
import arrowLeft from "../../../vendor/tabler-icons/arrow-left.svg";
import arrowUp from "../../../vendor/tabler-icons/arrow-up.svg";
import bell from "../../../vendor/tabler-icons/bell.svg";
import chartBar from "../../../vendor/tabler-icons/chart-bar.svg";
import check from "../../../vendor/tabler-icons/check.svg";
import checks from "../../../vendor/tabler-icons/checks.svg";
import chevronDown from "../../../vendor/tabler-icons/chevron-down.svg";
import circleCheck from "../../../vendor/tabler-icons/circle-check.svg";
import circleDashed from "../../../vendor/tabler-icons/circle-dashed.svg";
import circlePlus from "../../../vendor/tabler-icons/circle-plus.svg";
import circleX from "../../../vendor/tabler-icons/circle-x.svg";
import clock from "../../../vendor/tabler-icons/clock.svg";
import clockOff from "../../../vendor/tabler-icons/clock-off.svg";
import copy from "../../../vendor/tabler-icons/copy.svg";
import dots from "../../../vendor/tabler-icons/dots.svg";
import flask from "../../../vendor/tabler-icons/flask.svg";
import folders from "../../../vendor/tabler-icons/folders.svg";
import handStop from "../../../vendor/tabler-icons/hand-stop.svg";
import inbox from "../../../vendor/tabler-icons/inbox.svg";
import keyboard from "../../../vendor/tabler-icons/keyboard.svg";
import layoutSidebar from "../../../vendor/tabler-icons/layout-sidebar.svg";
import link from "../../../vendor/tabler-icons/link.svg";
import point from "../../../vendor/tabler-icons/point.svg";
import refresh from "../../../vendor/tabler-icons/refresh.svg";
import robot from "../../../vendor/tabler-icons/robot.svg";
import search from "../../../vendor/tabler-icons/search.svg";
import settings from "../../../vendor/tabler-icons/settings.svg";
import shieldX from "../../../vendor/tabler-icons/shield-x.svg";
import user from "../../../vendor/tabler-icons/user.svg";
import userCircle from "../../../vendor/tabler-icons/user-circle.svg";
import users from "../../../vendor/tabler-icons/users.svg";
import usersGroup from "../../../vendor/tabler-icons/users-group.svg";
import webhook from "../../../vendor/tabler-icons/webhook.svg";
import x from "../../../vendor/tabler-icons/x.svg";

interface IconProps {
  /** The size in px. */
  size: number;
  /** The width of its lines, in a drawing of width 24. */
  stroke?: number;
  "aria-hidden"?: boolean;
}

/** Returns a component with one of Tabler's drawings. `vendor/tabler-icons/README.md` explains how to add one. */
function icon(paths: readonly string[]) {
  return ({ size, stroke = 2, ...rest }: IconProps) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...rest}
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

export const IconAlertTriangle = icon(alertTriangle);
export const IconArrowBackUp = icon(arrowBackUp);
export const IconArrowDown = icon(arrowDown);
export const IconArrowLeft = icon(arrowLeft);
export const IconArrowUp = icon(arrowUp);
export const IconBell = icon(bell);
export const IconChartBar = icon(chartBar);
export const IconCheck = icon(check);
export const IconChecks = icon(checks);
export const IconChevronDown = icon(chevronDown);
export const IconCircleCheck = icon(circleCheck);
export const IconCircleDashed = icon(circleDashed);
export const IconCirclePlus = icon(circlePlus);
export const IconCircleX = icon(circleX);
export const IconClock = icon(clock);
export const IconClockOff = icon(clockOff);
export const IconCopy = icon(copy);
export const IconDots = icon(dots);
export const IconFlask = icon(flask);
export const IconFolders = icon(folders);
export const IconHandStop = icon(handStop);
export const IconInbox = icon(inbox);
export const IconKeyboard = icon(keyboard);
export const IconLink = icon(link);
export const IconPoint = icon(point);
export const IconRefresh = icon(refresh);
export const IconRobot = icon(robot);
export const IconSearch = icon(search);
export const IconSettings = icon(settings);
export const IconSidebar = icon(layoutSidebar);
export const IconShieldX = icon(shieldX);
export const IconUser = icon(user);
export const IconUserCircle = icon(userCircle);
export const IconUsers = icon(users);
export const IconUsersGroup = icon(usersGroup);
export const IconWebhook = icon(webhook);
export const IconX = icon(x);
