export { approval } from "./approval.ts";
export type {
  Action,
  ActionQuestion,
  ActionsQuestion,
  Approval,
  Decision,
  DecisionName,
  Decisions,
  PatchStep,
} from "./approval.ts";
export { approve, awaitHuman, createClient } from "./client.ts";
export type { Approve, Client, ClientOptions } from "./client.ts";
export type { FirstAnswer } from "./any-of.ts";
export { callbackHandler, nodeCallbackHandler, verifyCallback } from "./callbacks.ts";
export type {
  Callback,
  CallbackAnswer,
  CallbackKey,
  HandlerOptions,
  IncomingCallback,
  QuestionCallback,
} from "./callbacks.ts";
export type { Clock } from "./clock.ts";
export { AnswerRefusedError, ApiError, HumanTaskError, NoAnswerError, UnreachableError } from "./errors.ts";
export type { FromJsonSchema } from "./infer.ts";
export type { ListFilter } from "./list.ts";
export type { Abortable, Asked, Created, Question, Reply, Revision, Waiting } from "./question.ts";
export { withJsonSchema } from "./schemas.ts";
export type { AnswerOf, AnySchema, PayloadOf, StandardSchema, YesOrNo } from "./schemas.ts";
export type {
  AuditEntry,
  Comment,
  EmbedToken,
  ListedTask,
  Problem,
  TaskOutcome,
  TaskRecord,
  TaskVersion,
} from "./shapes.ts";
