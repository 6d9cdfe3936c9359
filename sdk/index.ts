export { awaitHuman, createClient } from "./client.ts";
export type {
  Abortable,
  Asked,
  Client,
  ClientOptions,
  Created,
  FirstAnswer,
  ListFilter,
  Question,
  Waiting,
} from "./client.ts";
export { callbackHandler, nodeCallbackHandler, verifyCallback } from "./callbacks.ts";
export type { Callback, CallbackAnswer, CallbackKey, HandlerOptions, IncomingCallback } from "./callbacks.ts";
export type { Clock } from "./clock.ts";
export { AnswerRefusedError, ApiError, HumanTaskError, NoAnswerError, UnreachableError } from "./errors.ts";
export type { FromJsonSchema } from "./infer.ts";
export { withJsonSchema } from "./schemas.ts";
export type { AnswerOf, AnySchema, PayloadOf, StandardSchema, YesOrNo } from "./schemas.ts";
export type { AuditEntry, EmbedToken, ListedTask, Problem, TaskOutcome, TaskRecord } from "./shapes.ts";
