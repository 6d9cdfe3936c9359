import type { components, operations } from "./api.ts";

// The data of the service, with the names of the wire. (openapi.json)

type Schemas = components["schemas"];
export type TaskRecord = Schemas["Task"];
/** A task in a list. The client asks for whole rows, so they have their documents. */
export type ListedTask = Schemas["ListedTask"] & Pick<TaskRecord, "payload" | "response">;
/** The state of a task. */
export type TaskOutcome = Schemas["PollResult"];
/** What somebody said about a task. */
export type Comment = Schemas["Comment"];
/** The body of a comment. */
export type AddComment = Schemas["AddComment"];
/** The body of a revision. */
export type ReviseTask = Schemas["ReviseTask"];
/** What a task asks in one of its versions. */
export type TaskVersion = Schemas["Version"];
export type AuditEntry = Schemas["AuditEntry"];
export type EmbedToken = Schemas["EmbedToken"];
/** The body of a creation. */
export type CreateTask = Schemas["CreateTask"];
/** What became of one task of a request for many. */
export type CreationResult = Schemas["CreationResult"];
/** What an event of a subscription says about its task. */
export type TaskEventData = Schemas["TaskEvent"]["data"];
/** A place of a request that is invalid. */
export type Problem = NonNullable<Schemas["Error"]["details"]>[number];
export type ListQuery = NonNullable<operations["listTasks"]["parameters"]["query"]>;
