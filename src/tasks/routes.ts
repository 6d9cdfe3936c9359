import type { Logger } from "pino";
import { AddCommentBody, CommentRecord } from "../conversation/schema.ts";
import type { Metrics } from "../http/metrics.ts";
import { mount } from "../http/route.ts";
import type { CreationContext } from "./create.ts";
import type { TaskEvents } from "./events.ts";
import type { NotifiableChannel } from "./notify.ts";
import type { Waiters } from "./poll.ts";
import { assignTaskRoute, claimTaskRoute, releaseTaskRoute, snoozeTaskRoute, wakeTaskRoute } from "./routes/assign.ts";
import { addCommentRoute, listCommentsRoute, listVersionsRoute, reviseTaskRoute } from "./routes/conversation.ts";
import { createTaskRoute } from "./routes/create.ts";
import { createTasksRoute } from "./routes/create-many.ts";
import { exportTasksRoute } from "./routes/export.ts";
import {
  completeTaskRoute,
  cancelTaskRoute,
  deleteTaskRoute,
  extendTaskRoute,
  withdrawDecisionRoute,
} from "./routes/finish.ts";
import {
  listTasksRoute,
  countTasksRoute,
  getTaskRoute,
  listRefusedAnswersRoute,
  getAuditTrailRoute,
  getStatsRoute,
  getStatsGroupsRoute,
  getUserActivityRoute,
  listUserGroupsRoute,
} from "./routes/read.ts";
import { pollTaskRoute, streamTaskChangesRoute } from "./routes/watch.ts";
import {
  AssignTaskBody,
  AuditEntryRecord,
  CancelTaskBody,
  ClaimTaskBody,
  CompleteTaskBody,
  CreationResult,
  describeCreateTaskBody,
  ExtendTaskBody,
  ListedTask,
  PollResult,
  RefusedAnswerRecord,
  ReviseTaskBody,
  SnoozeTaskBody,
  Stats,
  StatsGroups,
  TaskCounts,
  TaskRecord,
  groupShapes,
  UserActivity,
  VersionRecord,
} from "./schema.ts";
import type { CompletionContext } from "./tasks.ts";

interface TaskContext extends CompletionContext, CreationContext {
  log: Logger;
  waiters: Waiters;
  events: TaskEvents;
  metrics: Metrics;
}

/** Every task route of the spec. (spec: Endpoints, Tasks; Other, stats) */
export const taskRoutes = mount<TaskContext>([
  createTaskRoute,
  createTasksRoute,
  listTasksRoute,
  exportTasksRoute,
  countTasksRoute,
  getTaskRoute,
  listRefusedAnswersRoute,
  listCommentsRoute,
  addCommentRoute,
  reviseTaskRoute,
  listVersionsRoute,
  pollTaskRoute,
  completeTaskRoute,
  withdrawDecisionRoute,
  cancelTaskRoute,
  extendTaskRoute,
  claimTaskRoute,
  releaseTaskRoute,
  assignTaskRoute,
  snoozeTaskRoute,
  wakeTaskRoute,
  getAuditTrailRoute,
  deleteTaskRoute,
  streamTaskChangesRoute,
  getStatsRoute,
  getStatsGroupsRoute,
  getUserActivityRoute,
  listUserGroupsRoute,
]);

/** Shapes that other shapes refer to by name. */
export const taskShapes = (channels: readonly NotifiableChannel[]) => [
  describeCreateTaskBody(channels),
  CreationResult,
  CompleteTaskBody,
  CancelTaskBody,
  ExtendTaskBody,
  ReviseTaskBody,
  ClaimTaskBody,
  AssignTaskBody,
  SnoozeTaskBody,
  TaskRecord,
  ListedTask,
  TaskCounts,
  PollResult,
  RefusedAnswerRecord,
  AddCommentBody,
  CommentRecord,
  UserActivity,
  ...groupShapes,
  VersionRecord,
  AuditEntryRecord,
  Stats,
  StatsGroups,
];
